package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// search runs a query and returns what was found, one hit a line: the session, the entry, its role.
func (b *bookcase) search(query string, o SearchOptions) string {
	b.t.Helper()
	hits, err := b.x.Search(context.Background(), query, o)
	if err != nil {
		b.t.Fatalf("%s: %v", query, err)
	}
	var all []string
	for _, h := range hits {
		all = append(all, strings.Join(strings.Fields(strings.TrimSuffix(filepath.Base(h.Item.Path), ".jsonl")+" "+h.EntryID+" "+h.Role), " "))
	}
	return strings.Join(all, ", ")
}

func TestSearch(t *testing.T) {
	b := newBookcase(t)
	at := func(line, time string) string { return strings.Replace(line, "2026-03-09T09:00:01.000Z", time, 1) }
	b.write("one",
		user("u1", "", "Please mend the Parser: it fails on naïve input"),
		entry("message", "c1", "u1", `"message":{"role":"assistant","content":[{"type":"thinking","thinking":"zebra"},{"type":"toolCall","name":"bash","arguments":{"command":"go test ./lexer"}},{"type":"toolCall","name":"edit","arguments":{"path":"src/parser/table.go"}}]}`),
		entry("message", "r1", "c1", `"message":{"role":"toolResult","toolName":"bash","content":[{"type":"text","text":"zebra"}]}`),
		answer("a1", "r1", "The parser table is mended."),
		label("l1", "a1", "a1", "First Try"), label("l2", "l1", "r1", "output"))
	b.write("two",
		at(user("u2", "", "今日は修正を行う"), "2026-03-01T09:00:00.000Z"),
		at(entry("branch_summary", "s2", "u2", `"fromId":"x","summary":"We tried quinces","details":{"modifiedFiles":["docs/guide.md"]}`), "2026-03-02T09:00:00.000Z"),
		entry("session_info", "n2", "s2", `"name":"The giraffe project"`))
	b.update()
	for query, want := range map[string]string{
		`parser fails`:               "one u1 user",
		`PARSER mended`:              "one a1 assistant",
		`"parser table"`:             "one a1 assistant, one c1 assistant", // and in a file's path
		`"table parser"`:             "",
		`naive`:                      "one u1 user",
		`pleas`:                      "",
		`pleas*`:                     "one u1 user",
		`lexer`:                      "one c1 assistant",
		`file:table.go`:              "one c1 assistant",
		`file:src/parser`:            "one c1 assistant",
		`file:lexer`:                 "",
		`tool:bash`:                  "one c1 assistant",
		`tool:bash tool:edit`:        "one c1 assistant",
		`tool:edit parser`:           "one c1 assistant",
		`zebra`:                      "", // thoughts and output
		`修正`:                         "two u2 user",
		`正修`:                         "",
		`quinces`:                    "two s2 summary",
		`role:summary`:               "two s2 summary",
		`file:guide`:                 "two s2 summary",
		`giraffe`:                    "two session",
		`label:first`:                "one a1 assistant",
		`label:"first try" mended`:   "one a1 assistant",
		`label:"first try" quinces`:  "",
		`"first try"`:                "one a1 label",
		`label:output`:               "one r1 label", // the entry is not indexed itself
		`role:user`:                  "one u1 user, two u2 user",
		`role:user since:2026-03-05`: "one u1 user",
		`parser cwd:/srv role:user`:  "one u1 user",
		`parser cwd:elsewhere`:       "",
	} {
		if got := b.search(query, SearchOptions{}); got != want {
			t.Errorf("%s\nfinds %s\nwant  %s", query, got, want)
		}
	}
	if got := b.search("role:user", SearchOptions{Limit: 1}); got != "one u1 user" {
		t.Errorf("with a limit: %s", got)
	}
	if got := b.search("parser", SearchOptions{Dir: "/elsewhere"}); got != "" {
		t.Errorf("elsewhere: %s", got)
	}
	if got := b.search("parser role:user", SearchOptions{Dir: "/srv/demo"}); got != "one u1 user" {
		t.Errorf("here: %s", got)
	}
	if _, err := b.x.Search(context.Background(), "", SearchOptions{}); !errors.Is(err, ErrQuery) {
		t.Errorf("an empty query: %v", err)
	}
}

// TestTheBestComeFirst: a label before words in passing, the rarer word, the newer entry.
func TestTheBestComeFirst(t *testing.T) {
	b := newBookcase(t)
	b.write("s",
		user("passing", "", "among many other things that were talked about there was a coupon too, and then some more of it"),
		user("short", "passing", "a coupon"), user("labelled", "short", "nothing of the kind"), label("l", "labelled", "labelled", "coupon"),
		strings.Replace(user("old", "l", "an invoice"), "2026", "2019", 1), strings.Replace(user("new", "old", "an invoice"), "2026", "2020", 1))
	b.update()
	for query, want := range map[string]string{
		"coupon":  "s labelled label, s short user, s passing user",
		"invoice": "s new user, s old user",
	} {
		if got := b.search(query, SearchOptions{}); got != want {
			t.Errorf("%s\nfinds %s\nwant  %s", query, got, want)
		}
	}
}

// TestACopyIsFoundOnce, in the session where it was said.
func TestACopyIsFoundOnce(t *testing.T) {
	b := newBookcase(t)
	path := b.write("z-original", user("a", "", "plums"), answer("b", "a", "pears"))
	fork := b.write("a-fork", user("a", "", "plums"), answer("b", "a", "pears"))
	text, err := os.ReadFile(fork)
	if err != nil {
		t.Fatal(err)
	}
	forked := strings.Replace(strings.Replace(string(text), "T09:00:00.000Z", "T10:00:00.000Z", 1), `"cwd"`, `"parentSession":"z-original","cwd"`, 1)
	if err := os.WriteFile(fork, []byte(forked), 0o600); err != nil {
		t.Fatal(err)
	}
	b.update()
	if got := b.search("plums", SearchOptions{}); got != "z-original a user" {
		t.Errorf("found %s", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.update()
	if got := b.search("plums", SearchOptions{}); got != "a-fork a user" {
		t.Errorf("without the original: %s", got)
	}
}

// TestWhatIsShownIsReadFromTheSession, masked, and left out when it is not there any more.
func TestWhatIsShownIsReadFromTheSession(t *testing.T) {
	b := newBookcase(t)
	key := "sk-" + strings.Repeat("aB3x", 8)
	path := b.write("s", user("a", "", "plums \x1b[31mand\n\n pears "+key), entry("label", "l", "a", `"targetId":"a","label":"fruit"`), entry("session_info", "n", "l", `"name":"Fruit"`))
	b.update()
	hits, err := b.x.Search(context.Background(), "pears plum*", SearchOptions{})
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	h := hits[0]
	if h.Snippet != "plums and pears •••" || fmt.Sprint(h.Matches) != "[[0 5] [10 15]]" || h.Label != "fruit" || h.Item.Name != "Fruit" || h.Item.Path != path || !h.Item.Known || h.Item.Messages != 1 {
		t.Errorf("%+v", h)
	}
	b.write("s", answer("b", "", "another entry, at the same place, that speaks of other things altogether"))
	if hits, err := b.x.Search(context.Background(), "pears", SearchOptions{}); err != nil || len(hits) > 0 {
		t.Errorf("after the session was rewritten: %v %v", hits, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if hits, err := b.x.Search(context.Background(), "pears", SearchOptions{}); err != nil || len(hits) > 0 {
		t.Errorf("after the session was deleted: %v %v", hits, err)
	}
}

// TestOldLogsAreFound: the id is the one that any reader gives an entry without one.
func TestOldLogsAreFound(t *testing.T) {
	b := newBookcase(t)
	path := b.write("v1")
	if err := os.WriteFile(path, []byte(`{"type":"session","id":"v1","timestamp":"2025-03-09T09:00:00.000Z","cwd":"/srv/demo"}`+"\n"+
		`{"type":"message","timestamp":"2025-03-09T09:00:01.000Z","message":{"role":"user","content":"plums"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.update()
	hits, err := b.x.Search(context.Background(), "plums", SearchOptions{})
	if err != nil || len(hits) != 1 || len(hits[0].EntryID) != 8 || hits[0].Snippet != "plums" {
		t.Errorf("%+v %v", hits, err)
	}
}

func TestSnippet(t *testing.T) {
	words := func(s string) term {
		q, err := parseQuery(s, noon)
		if err != nil {
			t.Fatal(err)
		}
		return q.terms[0]
	}
	long := strings.Repeat("filler ", 100)
	for _, c := range []struct {
		text string
		term string
		want string // matches in brackets
	}{
		{"mend the parser", "parser", "mend the [parser]"},
		{"Mend THE Pársers", "parser*", "Mend THE [Pársers]"},
		{"a b a b", `"a b"`, "[a b] [a b]"},
		{"a a a", `"a a"`, "[a a a]"},
		{"nothing", "parser", "nothing"},
		{long + "parser here", "parser", "…filler filler filler filler filler filler filler [parser] here"},
		{"修正を行う", "正", "修[正]を行う"},
	} {
		line, at, _ := snippet(c.text, []term{words(c.term)})
		for i := len(at) - 1; i >= 0; i-- {
			line = line[:at[i][0]] + "[" + line[at[i][0]:at[i][1]] + "]" + line[at[i][1]:]
		}
		if line != c.want {
			t.Errorf("%.50q with %s:\n%q, want\n%q", c.text, c.term, line, c.want)
		}
	}
	// Where the most of what is asked for stands together.
	line, at, found := snippet("apple "+long+"apple and pear "+long, []term{words("apple"), words("pear")})
	if !found || len(at) != 2 || !strings.Contains(line, "apple and pear") || !strings.HasPrefix(line, "…") || !strings.HasSuffix(line, "…") {
		t.Errorf("%q %v", line, at)
	}
	for _, text := range []string{"", strings.Repeat("x", 5000), strings.Repeat("ä", 5000), strings.Repeat("- ", 5000), "x" + strings.Repeat(" ", 5000) + "parser"} {
		if line, _, _ := snippet(text, []term{words("parser")}); len(line) > 2*snippetSize+10 {
			t.Errorf("%.20q: %d bytes", text, len(line))
		}
	}
}
