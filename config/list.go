package config

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Row is a setting as `ramo config` shows it.
type Row struct {
	Key    string
	Value  string // as TOML; a secret is stars
	Origin Origin
}

// List returns all settings, in the order of docs/settings.md; those of providers, models, extensions and
// keys only as far as they are set.
func (s *Settings) List() []Row {
	var rows []Row
	s.list(reflect.ValueOf(s).Elem(), &path{}, &rows)
	return rows
}

func (s *Settings) list(v reflect.Value, p *path, rows *[]Row) {
	switch {
	case v.Kind() == reflect.Struct:
		for f, field := range v.Fields() {
			name := f.Tag.Get("toml")
			at := p.member(name)
			if name == "" || isElement(at) && s.origins[at.key] == (Origin{}) && field.IsZero() {
				continue
			}
			s.list(field, at, rows)
		}
	case v.Kind() == reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			s.list(v.MapIndex(k), p.anyMember(k.String()), rows)
		}
	case v.Kind() == reflect.Slice && v.Len() > 0 && (v.Type().Elem().Kind() == reflect.Struct || settingByKey[p.pattern].appends):
		for i := range v.Len() {
			s.list(v.Index(i), p.element(i), rows)
		}
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
	default:
		*rows = append(*rows, Row{p.key, show(v), s.origins[p.key]})
	}
}

// isElement tells whether the path is in a list or under a name, where what is not set is not shown.
func isElement(p *path) bool { return strings.ContainsAny(p.pattern, "*[") }

func show(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem() // nil is not listed
	}
	switch x := v.Interface().(type) {
	case Secret:
		return strconv.Quote(x.String())
	case time.Duration:
		return strconv.Quote(x.String())
	case string:
		return strconv.Quote(withoutPassword(x))
	case []string:
		var all []string
		for _, e := range x {
			all = append(all, strconv.Quote(withoutPassword(e)))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

// withoutPassword hides the password in an address.
func withoutPassword(text string) string {
	if u, err := url.Parse(text); err == nil && u.User != nil {
		if _, ok := u.User.Password(); ok {
			u.User = url.UserPassword(u.User.Username(), stars)
			return u.String()
		}
	}
	return text
}
