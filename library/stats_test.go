package library

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestStats(t *testing.T) {
	b := newBookcase(t)
	at := func(line, time string) string { return strings.Replace(line, "2026-03-09T09:00:01.000Z", time, 1) }
	m2 := func(line string) string { return strings.Replace(line, `"m1"`, `"m2"`, 1) }
	b.write("one", user("a", "", "x"), answer("b", "a", "y"),
		entry("message", "c", "b", `"message":{"role":"toolResult","toolName":"bash","content":[]}`),
		at(m2(answer("d", "c", "z")), "2026-03-09T23:30:00.000Z"))
	two := b.write("two", at(user("a", "", "x"), "2026-03-11T09:00:00.000Z"), at(answer("b", "a", "y"), "2026-03-11T09:00:00.000Z"), answer("c", "b", "other branch"))
	text, err := os.ReadFile(two)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(two, []byte(strings.Replace(string(text), "/srv/demo", "/srv/other", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	b.update()
	stats := func(o StatsOptions) Stats {
		t.Helper()
		s, err := b.x.Stats(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// An answer costs 10 in, 2 out, 3 and 4 of the cache, and half a dollar.
	answers := func(sessions, messages, n int64) Spent {
		return Spent{sessions, messages, 10 * n, 2 * n, 3 * n, 4 * n, 0.5 * float64(n)}
	}
	day := func(d int, z *time.Location) time.Time { return time.Date(2026, 3, d, 0, 0, 0, 0, z) }
	want := Stats{
		Total:  answers(2, 7, 4),
		Days:   []SpentOn[time.Time]{{day(9, time.UTC), answers(2, 5, 3)}, {day(11, time.UTC), answers(1, 2, 1)}},
		Models: []SpentOn[string]{{"acme/m1", answers(2, 3, 3)}, {"acme/m2", answers(1, 1, 1)}},
		Dirs:   []SpentOn[string]{{"/srv/demo", answers(1, 4, 2)}, {"/srv/other", answers(1, 3, 2)}},
	}
	if got := stats(StatsOptions{Location: time.UTC}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	india := time.FixedZone("", 5*3600+1800)
	if got := stats(StatsOptions{Location: india}); len(got.Days) != 3 || !got.Days[1].On.Equal(day(10, india)) || got.Days[1].Messages != 1 {
		t.Errorf("where the day ends earlier: %+v", got.Days)
	}
	if got := stats(StatsOptions{Since: day(10, time.UTC)}); got.Total != answers(1, 2, 1) {
		t.Errorf("since: %+v", got.Total)
	}
	if got := stats(StatsOptions{Dir: "/srv/other"}); got.Total != answers(1, 3, 2) || len(got.Dirs) != 1 {
		t.Errorf("of a directory: %+v", got)
	}
	if got := stats(StatsOptions{Dir: "/nowhere"}); !reflect.DeepEqual(got, Stats{Days: []SpentOn[time.Time]{}, Models: []SpentOn[string]{}, Dirs: []SpentOn[string]{}}) {
		t.Errorf("of nothing: %+v", got)
	}

	t.Run("what a fork copied was paid once", func(t *testing.T) {
		fork := b.write("fork", user("a", "", "x"), answer("b", "a", "y"), at(answer("n", "b", "new"), "2026-03-12T10:00:00.000Z"))
		text, err := os.ReadFile(fork)
		if err != nil {
			t.Fatal(err)
		}
		forked := strings.Replace(string(text), `"timestamp":"2026-03-09T09:00:00.000Z"`, `"timestamp":"2026-03-12T09:00:00.000Z","parentSession":"one"`, 1)
		if err := os.WriteFile(fork, []byte(forked), 0o600); err != nil {
			t.Fatal(err)
		}
		b.update()
		if got := stats(StatsOptions{}).Total; fmt.Sprint(got) != fmt.Sprint(answers(3, 8, 5)) {
			t.Errorf("%+v, want %+v", got, answers(3, 8, 5))
		}
	})
}
