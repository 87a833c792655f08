package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// source is a file being read into settings.
type source struct {
	from    Source
	file    string
	lines   map[string]int
	project string // of a project's file, its directory
	trusted bool
}

// path is where in a file a value stands.
type path struct {
	key     string // as Origin takes it
	pattern string // as the table of settings has it
	parent  *path
}

func (p *path) member(name string) *path {
	pattern := name
	if p.pattern != "" {
		pattern = p.pattern + "." + name
	}
	return &path{join(p.key, name), pattern, p}
}

func (p *path) anyMember(name string) *path {
	return &path{join(p.key, name), p.pattern + ".*", p}
}

func (p *path) element(i int) *path { return &path{index(p.key, i), p.pattern + "[]", p} }

type decoder struct {
	source
	s        *Settings
	ignoring bool
	errs     []*Error
}

// decode reads a file's text over what is set already.
func (s *Settings) decode(text string, src source) error {
	var raw map[string]any
	if _, err := toml.Decode(text, &raw); err != nil {
		return syntaxError(src, err)
	}
	src.lines = positions(text)
	d := &decoder{source: src, s: s}
	d.value(raw, reflect.ValueOf(s).Elem(), &path{})
	slices.SortStableFunc(d.errs, func(a, b *Error) int { return cmp.Compare(a.Origin.Line, b.Origin.Line) })
	slices.SortStableFunc(s.ignored, func(a, b Ignored) int { return cmp.Compare(a.Origin.Line, b.Origin.Line) })
	return joinErrors(d.errs)
}

func joinErrors(errs []*Error) error {
	var all []error
	for _, e := range errs {
		all = append(all, e)
	}
	return errors.Join(all...)
}

func syntaxError(src source, err error) error {
	e := &Error{Origin: Origin{Source: src.from, File: src.file}, Reason: err.Error()}
	if p, ok := errors.AsType[toml.ParseError](err); ok {
		e.Origin.Line = p.Position.Line
		e.Reason = p.Message // Error() shows the lines around, with whatever they hold
	}
	e.Reason = "not valid TOML: " + withoutValue(e.Reason)
	return e
}

var quotedValue = regexp.MustCompile(`"[^"]{2,}"|'[^']{2,}'|\S+ (?:is out of range)`)

// withoutValue takes out what a parser's message quotes, unless it is a key: a file that does not parse can
// have a secret anywhere. A single character says nothing.
func withoutValue(message string) string {
	if strings.HasPrefix(message, "Key '") {
		return message
	}
	return quotedValue.ReplaceAllStringFunc(message, func(found string) string {
		if strings.HasSuffix(found, " is out of range") {
			return "a value is out of range"
		}
		if r, _, rest, err := strconv.UnquoteChar(found[1:len(found)-1], found[0]); err == nil && rest == "" && r != utf8.RuneError {
			return found
		}
		return found[:1] + "…" + found[:1]
	})
}

func (d *decoder) origin(p *path) Origin {
	o := Origin{Source: d.from, File: d.file}
	for ; p != nil && o.Line == 0; p = p.parent {
		o.Line = d.lines[p.key]
	}
	return o
}

func (d *decoder) wrong(p *path, format string, args ...any) {
	d.errs = append(d.errs, &Error{d.origin(p), p.key, fmt.Sprintf(format, args...)})
}

func (d *decoder) set(p *path) {
	if !d.ignoring {
		d.s.origins[p.key] = d.origin(p)
	}
}

// value puts raw, which toml made, into v. Tables go into each other; everything else replaces what was there.
func (d *decoder) value(raw any, v reflect.Value, p *path) {
	if v.Type() == durationType {
		d.duration(raw, v, p)
		return
	}
	switch v.Kind() {
	case reflect.Pointer: // to what may be left unsaid
		said, before := reflect.New(v.Type().Elem()), len(d.errs)
		if d.value(raw, said.Elem(), p); len(d.errs) == before {
			v.Set(said)
		}
	case reflect.Struct:
		d.table(raw, v, p)
	case reflect.Map:
		d.names(raw, v, p)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct {
			d.tables(raw, v, p)
			return
		}
		d.strings(raw, v, p)
	default:
		d.scalar(raw, v, p)
	}
}

func (d *decoder) table(raw any, v reflect.Value, p *path) {
	m, ok := raw.(map[string]any)
	if !ok {
		d.wrongType(p, v.Type(), raw)
		return
	}
	fields := fieldsOf(v)
	if p.key != "" {
		d.set(p)
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		at := p.member(name)
		field, ok := fields[name]
		if !ok {
			d.unknown(at, name, slices.Sorted(maps.Keys(fields)))
			continue
		}
		d.restricted(m[name], field, at)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		at := p.member(name)
		if st := settingByKey[at.pattern]; st != nil && st.required {
			if _, ok := m[name]; !ok {
				d.wrong(at, "is missing; every %s needs it", strings.Trim(p.pattern[strings.LastIndex(p.pattern, ".")+1:], "[]s"))
			}
		}
	}
}

// restricted keeps an untrusted project from setting what it may not. What it tries must be right all the same.
func (d *decoder) restricted(raw any, v reflect.Value, p *path) {
	untrusted := d.from == FromProject && !d.trusted && !d.ignoring
	tighten := slices.Contains(onlyTightenTools, p.pattern)
	if !untrusted || !tighten && !slices.Contains(needTrust, p.pattern) {
		d.value(raw, v, p)
		return
	}
	d.ignoring = true
	try := reflect.New(v.Type()).Elem()
	d.value(raw, try, p)
	d.ignoring = false
	if tighten && slices.Index(permissions, try.String()) <= slices.Index(permissions, v.String()) {
		d.value(raw, v, p)
		return
	}
	d.s.ignored = append(d.s.ignored, Ignored{p.key, d.origin(p), d.project})
}

func fieldsOf(v reflect.Value) map[string]reflect.Value {
	m := map[string]reflect.Value{}
	for f, field := range v.Fields() {
		if name := f.Tag.Get("toml"); name != "" {
			m[name] = field
		}
	}
	return m
}

func (d *decoder) unknown(p *path, name string, known []string) {
	if near := nearest(name, known); near != "" {
		d.wrong(p, "there is no such setting; did you mean %s?", near)
		return
	}
	d.wrong(p, "there is no such setting; there are %s", strings.Join(known, ", "))
}

func (d *decoder) names(raw any, v reflect.Value, p *path) {
	m, ok := raw.(map[string]any)
	if !ok {
		d.wrongType(p, v.Type(), raw)
		return
	}
	d.set(p)
	// A copy: the map may be one that a caller already has.
	all := reflect.MakeMap(v.Type())
	for _, k := range v.MapKeys() {
		all.SetMapIndex(k, v.MapIndex(k))
	}
	v.Set(all)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		at := p.anyMember(name)
		if name == "" || at.pattern == "providers.*" && strings.Contains(name, "/") {
			d.wrong(at, "must have a name, without a slash")
			continue
		}
		e := reflect.New(v.Type().Elem()).Elem()
		if old := v.MapIndex(reflect.ValueOf(name)); old.IsValid() {
			e.Set(old)
		}
		d.value(m[name], e, at)
		v.SetMapIndex(reflect.ValueOf(name), e)
	}
}

func (d *decoder) tables(raw any, v reflect.Value, p *path) {
	list, ok := listOf(raw)
	if !ok {
		d.wrongType(p, v.Type(), raw)
		return
	}
	if !slices.Contains(appendedTables, p.pattern) {
		d.forget(p)
		v.Set(reflect.Zero(v.Type()))
	}
	d.set(p)
	first := v.Len()
	for i, e := range list {
		item := reflect.New(v.Type().Elem()).Elem()
		d.elementAt(p, first, i, func(at *path) { d.value(e, item, at) })
		v.Set(reflect.Append(v, item))
	}
}

// elementAt decodes the i-th element of a list in the file, which becomes the first+i-th of all.
func (d *decoder) elementAt(p *path, first, i int, decode func(*path)) {
	if first == 0 {
		decode(p.element(i))
		return
	}
	before := d.lines
	d.lines = maps.Clone(before)
	was, is := index(p.key, i), index(p.key, first+i)
	for key, line := range before {
		if rest, ok := strings.CutPrefix(key, was); ok {
			d.lines[is+rest] = line
		}
	}
	decode(p.element(first + i))
	d.lines = before
}

// forget drops where a list's elements came from, which is replaced as a whole.
func (d *decoder) forget(p *path) {
	if !d.ignoring {
		maps.DeleteFunc(d.s.origins, func(key string, _ Origin) bool { return strings.HasPrefix(key, p.key+"[") })
	}
}

func listOf(raw any) ([]any, bool) {
	switch l := raw.(type) {
	case []any:
		return l, true
	case []map[string]any: // an array of tables
		var all []any
		for _, m := range l {
			all = append(all, m)
		}
		return all, true
	}
	return nil, false
}

func (d *decoder) strings(raw any, v reflect.Value, p *path) {
	list, ok := listOf(raw)
	if !ok {
		d.wrongType(p, v.Type(), raw)
		return
	}
	texts := []string{}
	for _, e := range list {
		text, ok := e.(string)
		if !ok {
			d.wrong(p, "must be a list of strings; it holds %s", rawName(e))
			return
		}
		texts = append(texts, text)
	}
	if !d.allowed(texts, p) {
		return
	}
	d.set(p)
	if p.pattern == "extensions[].command" && isPath(texts[0]) {
		texts[0] = d.absolute(texts[0])
	}
	st := settingByKey[p.pattern]
	if st == nil || !st.appends {
		v.Set(reflect.ValueOf(texts))
		return
	}
	for _, text := range texts {
		if p.pattern == "session_dirs" {
			text = d.absolute(text)
		}
		d.set(p.element(v.Len()))
		v.Set(reflect.Append(v, reflect.ValueOf(text)))
	}
}

// absolute makes a path that was checked absolute. If there is no home directory, "~/" stays and leads nowhere.
func (d *decoder) absolute(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
		return path
	}
	if !filepath.IsAbs(path) {
		return filepath.Join(d.project, path)
	}
	return filepath.Clean(path)
}

func (d *decoder) duration(raw any, v reflect.Value, p *path) {
	text, ok := raw.(string)
	if !ok {
		d.wrong(p, `must be a duration in quotes, such as "5s" or "1m30s", not %s`, rawName(raw))
		return
	}
	t, err := time.ParseDuration(text)
	if err != nil {
		d.wrong(p, `must be a duration such as "5s" or "1m30s", not %q`, text)
		return
	}
	if d.allowed(t, p) {
		d.set(p)
		v.SetInt(int64(t))
	}
}

func (d *decoder) scalar(raw any, v reflect.Value, p *path) {
	if i, ok := raw.(int64); ok && v.Kind() == reflect.Float64 {
		raw = float64(i)
	}
	given := reflect.ValueOf(raw)
	if given.Kind() != v.Kind() { // a date is a struct, and so none of these
		d.wrongType(p, v.Type(), raw)
		return
	}
	given = given.Convert(v.Type())
	if d.allowed(given.Interface(), p) {
		d.set(p)
		v.Set(given)
		if st := settingByKey[p.pattern]; st != nil && st.file {
			if file, ok := strings.CutPrefix(v.String(), "@"); ok {
				v.SetString("@" + d.absolute(file))
			}
		}
	}
}

// allowed checks a value of the right type.
func (d *decoder) allowed(value any, p *path) bool {
	st := settingByKey[p.pattern]
	if st == nil {
		return true
	}
	reason := st.wrong(value, place{d.project})
	if reason != "" {
		d.wrong(p, "%s", reason)
	}
	return reason == ""
}

func (st *setting) wrong(value any, from place) string {
	if text, ok := value.(string); ok && len(st.values) > 0 && !slices.Contains(st.values, text) {
		return fmt.Sprintf("%q is not allowed; it must be one of %s", text, strings.Join(st.values, ", "))
	}
	if st.check != nil {
		return st.check(value, from)
	}
	return ""
}

// wrongType never quotes the value, which could be a secret.
func (d *decoder) wrongType(p *path, t reflect.Type, raw any) {
	want := typeName(t)
	article := "a"
	if want == "integer" {
		article = "an"
	}
	reason := fmt.Sprintf("must be %s %s, not %s", article, want, rawName(raw))
	if st := settingByKey[p.pattern]; st != nil && len(st.values) > 0 {
		reason += "; one of " + strings.Join(st.values, ", ")
	}
	d.wrong(p, "%s", reason)
}

func rawName(raw any) string {
	switch raw.(type) {
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a number with a fraction"
	case bool:
		return "a boolean"
	case map[string]any:
		return "a table"
	case []any:
		return "a list"
	case []map[string]any:
		return "a list of tables"
	}
	return "a date or time"
}
