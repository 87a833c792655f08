package library

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// StatsOptions narrow what is counted.
type StatsOptions struct {
	Since time.Time // 0: from the beginning
	// Dir leaves out the sessions that are not about this directory.
	Dir string
	// Location is where days begin and end; nil means time.Local.
	Location *time.Location
}

// Stats are what was said and spent, as the index knows it: Update brings it up to date. What a fork
// copied counts for the session it was copied from.
type Stats struct {
	Total  Spent
	Days   []SpentOn[time.Time] // the start of each day with anything in it, oldest first
	Models []SpentOn[string]    // provider/model of the answers, those with the most tokens first
	Dirs   []SpentOn[string]    // what sessions are about, those with the most tokens first
}

// SpentOn is what was spent on something.
type SpentOn[K comparable] struct {
	On K
	Spent
}

// Spent counts sessions, messages of any role, tokens and US dollars.
type Spent struct {
	Sessions, Messages                   int64
	Input, Output, CacheRead, CacheWrite int64
	Cost                                 float64
}

// Tokens are all tokens, in and out.
func (s Spent) Tokens() int64 { return s.Input + s.Output + s.CacheRead + s.CacheWrite }

// Stats counts what was said and spent.
func (x *Index) Stats(ctx context.Context, o StatsOptions) (stats Stats, err error) {
	err = x.query(func() error {
		stats, err = x.stats(ctx, o)
		return err
	})
	return stats, err
}

func (x *Index) stats(ctx context.Context, o StatsOptions) (Stats, error) {
	release, err := x.current()
	if err != nil {
		return Stats{}, err
	}
	defer release()
	const quarter = 15 * 60
	from := int64(-1 << 62)
	if !o.Since.IsZero() {
		from = o.Since.Unix() / quarter
	}
	rows, err := x.db.QueryContext(ctx, `SELECT session, cwd, quarter, model, spent.messages, input, output, cache_read, cache_write, cost
		FROM spent JOIN sessions ON sessions.id = session WHERE quarter >= ?`, from)
	if err != nil {
		return Stats{}, err
	}
	defer rows.Close()
	same := dirMatcher(o.Dir)
	zone := o.Location
	if zone == nil {
		zone = time.Local
	}
	total, days, models, dirs := newTally[bool](), newTally[time.Time](), newTally[string](), newTally[string]()
	for rows.Next() {
		var session, at int64
		var cwd, model string
		var s Spent
		if err := rows.Scan(&session, &cwd, &at, &model, &s.Messages, &s.Input, &s.Output, &s.CacheRead, &s.CacheWrite, &s.Cost); err != nil {
			return Stats{}, err
		}
		if o.Dir != "" && !same(cwd) {
			continue
		}
		t := time.Unix(at*quarter, 0).In(zone)
		total.add(true, session, s)
		days.add(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, zone), session, s)
		dirs.add(cwd, session, s)
		if model != "" {
			models.add(model, session, s)
		}
	}
	byTokens := func(a, b SpentOn[string]) int {
		return cmp.Or(cmp.Compare(b.Tokens(), a.Tokens()), cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.On, b.On))
	}
	stats := Stats{
		Days:   days.list(func(a, b SpentOn[time.Time]) int { return a.On.Compare(b.On) }),
		Models: models.list(byTokens),
		Dirs:   dirs.list(byTokens),
	}
	if all := total.list(nil); len(all) > 0 {
		stats.Total = all[0].Spent
	}
	return stats, rows.Err()
}

// tally adds up what was spent on things.
type tally[K comparable] struct {
	sums map[K]*Spent
	seen map[tallied[K]]bool // sessions, which count once
}

type tallied[K comparable] struct {
	on      K
	session int64
}

func newTally[K comparable]() tally[K] {
	return tally[K]{map[K]*Spent{}, map[tallied[K]]bool{}}
}

func (t tally[K]) add(on K, session int64, s Spent) {
	sum := t.sums[on]
	if sum == nil {
		sum = new(Spent)
		t.sums[on] = sum
	}
	if this := (tallied[K]{on, session}); !t.seen[this] {
		t.seen[this] = true
		sum.Sessions++
	}
	sum.Messages += s.Messages
	sum.Input += s.Input
	sum.Output += s.Output
	sum.CacheRead += s.CacheRead
	sum.CacheWrite += s.CacheWrite
	sum.Cost += s.Cost
}

func (t tally[K]) list(order func(a, b SpentOn[K]) int) []SpentOn[K] {
	list := make([]SpentOn[K], 0, len(t.sums))
	for on := range maps.Keys(t.sums) {
		list = append(list, SpentOn[K]{on, *t.sums[on]})
	}
	if order != nil {
		slices.SortFunc(list, order)
	}
	return list
}
