package config

import (
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

var update = flag.Bool("update", false, "renew docs/settings.md")

// leaf is a setting as the types of Settings have it.
type leaf struct {
	key    string
	typ    reflect.Type
	preset reflect.Value // invalid below a list or a name
}

func leaves(t reflect.Type, v reflect.Value, key string) (all []leaf) {
	switch {
	case t.Kind() == reflect.Struct:
		for f := range t.Fields() {
			name := f.Tag.Get("toml")
			if name == "" {
				continue
			}
			var field reflect.Value
			if v.IsValid() {
				field = v.FieldByIndex(f.Index)
			}
			all = append(all, leaves(f.Type, field, strings.TrimPrefix(key+"."+name, "."))...)
		}
		return all
	case t.Kind() == reflect.Map:
		return leaves(t.Elem(), reflect.Value{}, key+".*")
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return leaves(t.Elem(), reflect.Value{}, key+"[]")
	}
	return []leaf{{key, t, v}}
}

func allLeaves() []leaf {
	v := reflect.ValueOf(Default()).Elem()
	return leaves(v.Type(), v, "")
}

func TestTheTableHasEverySettingOfTheStruct(t *testing.T) {
	var got, want []string
	for _, l := range allLeaves() {
		want = append(want, l.key)
	}
	for _, s := range settings {
		got = append(got, s.key)
		if s.doc == "" {
			t.Errorf("%s has no documentation", s.key)
		}
	}
	if slices.Sort(got); len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Error("a key is twice in the table")
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the table has\n%s\nthe struct\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWhatTheTableNamesExists(t *testing.T) {
	byKey := map[string]leaf{}
	for _, l := range allLeaves() {
		byKey[l.key] = l
	}
	for _, s := range settings {
		l := byKey[s.key]
		if s.env != "" && (strings.ContainsAny(s.key, ".[*") || l.typ.Kind() != reflect.String) {
			t.Errorf("%s: a variable can set only a text at the top", s.key)
		}
		if len(s.values) > 0 && l.preset.IsValid() && !slices.Contains(s.values, l.preset.String()) {
			t.Errorf("%s: its default %q is not among its values", s.key, l.preset)
		}
		if s.appends && l.typ.Kind() != reflect.Slice {
			t.Errorf("%s is no list", s.key)
		}
	}
	top := fieldsOf(reflect.ValueOf(Default()).Elem())
	for _, k := range append(slices.Clone(needTrust), appendedTables...) {
		if !top[k].IsValid() {
			t.Errorf("there is no %s", k)
		}
	}
	for _, k := range onlyTightenTools {
		if !slices.Equal(byKey[k].values(), permissions) {
			t.Errorf("%s is no permission", k)
		}
	}
}

func (l leaf) values() []string { return settingByKey[l.key].values }

const docs = "../docs/settings.md"

// The part of docs/settings.md between the marks is made from the table and the defaults.
func TestDocumentationIsUpToDate(t *testing.T) {
	const from, to = "<!-- settings: made by go test ./config -update -->\n", "<!-- end -->\n"
	b, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(b), from)
	_, after, ok2 := strings.Cut(rest, to)
	if !ok1 || !ok2 {
		t.Fatalf("%s has lost its marks", docs)
	}
	want := before + from + documentation() + to + after
	if *update {
		if err := os.WriteFile(docs, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(b) != want {
		t.Errorf("%s is not what the settings are; run: go test ./config -update", docs)
	}
}

func documentation() string {
	var b strings.Builder
	section := ""
	for _, l := range allLeaves() {
		s := settingByKey[l.key]
		header := "General"
		if table, _, below := strings.Cut(l.key, "."); below {
			header = "`" + strings.TrimSuffix(table, "[]") + "`"
		}
		if section != header {
			section = header
			fmt.Fprintf(&b, "\n### %s\n\n| setting | type | default | meaning |\n| --- | --- | --- | --- |\n", header)
		}
		typ := typeName(l.typ)
		if len(s.values) > 0 {
			typ = "`\"" + strings.Join(s.values, "\"`, `\"") + "\"`"
		}
		preset := "–"
		if s.required {
			preset = "required"
		}
		if l.preset.IsValid() && !l.preset.IsZero() {
			preset = "`" + show(l.preset) + "`"
		}
		doc := s.doc
		if s.env != "" {
			doc += " Variable: `" + s.env + "`."
		}
		name := strings.NewReplacer("[]", "[]", ".*", ".NAME").Replace(l.key)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, typ, preset, doc)
	}
	return b.String()
}

// The example in the documentation is one that Load takes.
func TestDocumentationsExampleIsValid(t *testing.T) {
	b, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "```toml\n")
	example, _, ok2 := strings.Cut(rest, "```\n")
	if !ok || !ok2 {
		t.Fatal("there is no example")
	}
	s := Default()
	if err := s.decode(example, source{from: FromUser, file: docs}); err != nil {
		t.Error(err)
	}
	if err := s.finish(); err != nil {
		t.Error(err)
	}
}

func TestPositions(t *testing.T) {
	text := `# a comment = 1
a = 1 # not b = 2

b.c = """
d = 1
\""" ""\"
"""
d.'e f'."g\th" = ''' '''''
f = [ # a list ]
  "]", '[',
  { x = 1 },
]
[t]
x = {
  a = "}" }
[ t . "u" ]
y = 1
[[l]]
z = 1
[[l]]
z = 1
[l.m]
w = 1
[[l.n]]
v = 1
[[l.n]]
v = 1
[[l]]
[[l.n]]
v = 1
[p.q.r]`
	want := map[string]int{
		"a": 2, "b": 4, "b.c": 4, "d": 8, `d."e f"`: 8, `d."e f"."g\th"`: 8, "f": 9,
		"t": 13, "t.x": 14, "t.u": 16, "t.u.y": 17,
		"l": 18, "l[0]": 18, "l[0].z": 19, "l[1]": 20, "l[1].z": 21, "l[1].m": 22, "l[1].m.w": 23,
		"l[1].n": 24, "l[1].n[0]": 24, "l[1].n[0].v": 25, "l[1].n[1]": 26, "l[1].n[1].v": 27,
		"l[2]": 28, "l[2].n": 29, "l[2].n[0]": 29, "l[2].n[0].v": 30,
		"p": 31, "p.q": 31, "p.q.r": 31,
	}
	for _, end := range []string{"\n", "\r\n"} {
		text := strings.ReplaceAll(text, "\n", end)
		var v any
		if _, err := toml.Decode(text, &v); err != nil {
			t.Fatalf("the test's text: %v", err)
		}
		if got := positions(text); !reflect.DeepEqual(got, want) {
			for k := range want {
				if got[k] != want[k] {
					t.Errorf("%s: got %d, want %d", k, got[k], want[k])
				}
			}
			t.Errorf("got %v", got)
		}
	}
}

// Each key that the parser finds outside of values has a line, and it stands there.
func FuzzPositions(f *testing.F) {
	f.Add("a = 1\n[b.c]\nd.e = \"\"\"\n\n\"\"\"\n[[f]]\ng = {h = 1}\n")
	f.Add("'a\"' = 1\n\"\\u00e9\" = [1,\n2]#]\nx=1")
	f.Fuzz(func(t *testing.T, text string) {
		lines := positions(text) // ends, whatever it is given
		var v map[string]any
		if _, err := toml.Decode(text, &v); err != nil {
			return
		}
		for name, value := range v {
			line := lines[join("", name)]
			if line == 0 {
				t.Fatalf("%q: no line for %q (%T), found %v", text, name, value, lines)
			}
			if all := strings.Split(text, "\n"); line > len(all) || !strings.ContainsAny(name, "\"\\'") && !strings.Contains(all[line-1], "\\") && !strings.Contains(all[line-1], name) {
				t.Fatalf("%q: %q is not on line %d", text, name, line)
			}
		}
	})
}

// Whatever a file holds, reading it gives settings or an error with a line of that file.
func FuzzDecode(f *testing.F) {
	f.Add("model = 'a/b'\n[providers.x]\nbase_url = 'http://x'\n[[providers.x.models]]\nid = 'y'\n")
	f.Add("extensions = [{command = ['x'], timeout = '1s'}]\nkeys = {a = ['b+']}")
	f.Fuzz(func(t *testing.T, text string) {
		s := Default()
		err := s.decode(text, source{from: FromProject, file: "f", project: "/p"})
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%v", err)
		}
		if err == nil && s.finish() == nil {
			s.List()
		}
		if len(s.Extensions)+len(s.Providers)+len(s.Allow)+len(s.Keys) > 0 || s.Tools != Default().Tools {
			t.Errorf("an untrusted project got through: %+v", s)
		}
	})
}

func TestNearest(t *testing.T) {
	names := []string{"model", "theme", "thinking", "branch_summary", "summary_model"}
	for typed, want := range map[string]string{
		"modle": "model", "mode": "model", "MODEL": "model", "thme": "theme", "thinkin": "thinking",
		"branch_sumary": "branch_summary", "branchsummary": "branch_summary", "summary-model": "summary_model",
		"colour": "", "x": "", "telemetry": "",
	} {
		if got := nearest(typed, names); got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"é", "e", 1}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNumbersThatAreNone(t *testing.T) {
	for _, n := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -0.1} {
		if notNegative(n, place{}) == "" {
			t.Errorf("%v is allowed", n)
		}
	}
}
