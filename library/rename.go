package library

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/session"
)

// Rename calls a session by another name, with an entry that is appended at its leaf. With "" it has
// no name of its own any more. A newer session of omp has its title in a line of fixed width at the
// start too: there the name is put as well, cut to what fits.
func Rename(ctx context.Context, path, name string) error {
	name = strings.TrimSpace(name)
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("%q is no name: it must be one line of text", name)
	}
	s, err := session.Open(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	// First the entry, which says the whole name: if it ends between the two, that is what counts.
	if _, err := s.Append(ctx, session.SessionInfo{Name: name}); err != nil {
		return err
	}
	if !s.HasTitleLine() {
		return nil
	}
	return locked(ctx, path, func() error { return setTitleLine(path, name, time.Now()) })
}

// setTitleLine writes the title into the line before the header, over what stands there, byte for byte
// as long.
func setTitleLine(path, title string, now time.Time) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	head := make([]byte, 4096)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return errors.Join(err, f.Close())
	}
	line, _, found := bytes.Cut(head[:n], []byte("\n"))
	if changed, ok := titleLine(line, title, now); found && ok {
		_, err = f.WriteAt(changed, 0)
		if err == nil {
			err = f.Sync()
		}
	} else {
		err = nil // a line of another kind stays: the entry has the name
	}
	return errors.Join(err, f.Close())
}

// titleLine is a title line with another title and the same length. What does not fit is cut off.
func titleLine(line []byte, title string, now time.Time) ([]byte, bool) {
	type place struct{ start, end int }
	at := map[string]place{}
	if !rawjson.Object(line, func(key []byte, start, end int) { at[string(key)] = place{start, end} }) {
		return nil, false
	}
	pad, ok := at["pad"]
	if typ, _ := rawjson.String(line[at["type"].start:at["type"].end]); typ != "title" || !ok || at["title"].end == 0 {
		return nil, false
	}
	values := map[string][]byte{"pad": []byte(`""`)}
	if at["updatedAt"].end > 0 && line[at["updatedAt"].start] == '"' {
		values["updatedAt"] = []byte(`"` + now.UTC().Format("2006-01-02T15:04:05.000Z") + `"`)
	}
	for {
		values["title"] = quoted(title)
		var out []byte
		from, padAt := 0, 0
		// The members in the order in which they stand.
		rawjson.Object(line, func(key []byte, start, end int) {
			v, ok := values[string(key)]
			if !ok || at[string(key)] != (place{start, end}) {
				return
			}
			out = append(append(out, line[from:start]...), v...)
			if start == pad.start {
				padAt = len(out) - 1
			}
			from = end
		})
		out = append(out, line[from:]...)
		if room := len(line) - len(out); room >= 0 {
			spaces := bytes.Repeat([]byte(" "), room)
			return append(out[:padAt:padAt], append(spaces, out[padAt:]...)...), true
		}
		if title == "" {
			return nil, false
		}
		_, size := utf8.DecodeLastRuneInString(title)
		title = title[:len(title)-size]
	}
}

// quoted is a JSON string, in which only what must be is escaped.
func quoted(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string has no way to fail
	return bytes.TrimSpace(b.Bytes())
}
