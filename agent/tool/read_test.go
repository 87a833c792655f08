package tool_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
)

func lines(from, to int) string {
	var s strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&s, "line %d\n", i)
	}
	return s.String()
}

func TestRead(t *testing.T) {
	b := newBench(t, allTools())
	b.put("ten", lines(1, 10))
	b.put("crlf", "a\r\nb\r\n")
	b.put("no end", "a\nb")
	b.put("empty", "")
	b.put("latin1", "caf\xe9\n")
	b.put("long", lines(1, 5000))
	b.put("wide", strings.Repeat("x", 60<<10)+"\nend\n")
	b.put("sub/deep.txt", "deep\n")
	for _, c := range []struct {
		name string
		args args
		want string
	}{
		{"a whole file as it is", args{"path": "ten"}, lines(1, 10)},
		{"an absolute path within", args{"path": b.dir + "/sub/deep.txt"}, "deep\n"},
		{"up and down again", args{"path": "sub/../ten", "limit": 10}, lines(1, 10)},
		{"line ends are kept", args{"path": "crlf"}, "a\r\nb\r\n"},
		{"no last line end", args{"path": "no end"}, "a\nb"},
		{"empty", args{"path": "empty"}, "[The file is empty.]"},
		{"not UTF-8", args{"path": "latin1"}, "caf\uFFFD\n"},
		{"from a line on", args{"path": "ten", "offset": 9}, lines(9, 10)},
		{"the last line", args{"path": "ten", "offset": 10, "limit": 5}, lines(10, 10)},
		{"some lines", args{"path": "ten", "offset": 2, "limit": 3}, strings.TrimSuffix(lines(2, 4), "\n") + "\n\n[Lines 2-4 of a file of 71 bytes; go on with offset=5.]"},
		{"too many lines", args{"path": "long"}, strings.TrimSuffix(lines(1, 2000), "\n") + "\n\n[Lines 1-2000 of a file of 47.7 KB; go on with offset=2001.]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := b.ok("read", c.args); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("a line too long is cut and says so", func(t *testing.T) {
		got := b.ok("read", args{"path": "wide"})
		want := strings.Repeat("x", 50<<10) + "\n\n[Line 1 is longer than 50.0 KB; the rest of it is not shown. Lines 1-1 of a file of 60.0 KB; go on with offset=2.]"
		if got != want {
			t.Errorf("got %d bytes that end in %q", len(got), got[max(0, len(got)-150):])
		}
	})
	t.Run("pages put together are the file", func(t *testing.T) {
		var all strings.Builder
		for at := 1; at <= 5000; at += 700 {
			page, _, _ := strings.Cut(b.ok("read", args{"path": "long", "offset": at, "limit": 700}), "\n\n[")
			all.WriteString(strings.TrimSuffix(page, "\n") + "\n")
		}
		if all.String() != lines(1, 5000) {
			t.Error("they are not")
		}
	})
}

func TestReadRefuses(t *testing.T) {
	b := newBench(t, allTools())
	b.put("ten", lines(1, 10))
	b.put("empty", "")
	b.put("bin", "ab\x00cd")
	b.put("sub/x", "")
	for _, c := range []struct {
		name string
		args args
		want string
	}{
		{"a missing file", args{"path": "no"}, "no does not exist; use ls"},
		{"a directory", args{"path": "sub"}, "sub is a directory; use ls"},
		{"a file as a directory", args{"path": "ten/x"}, "ten is a file, not a directory"},
		{"a binary file", args{"path": "bin"}, "bin is a binary file (5 bytes)"},
		{"no path", args{"path": ""}, "path is empty"},
		{"past the end", args{"path": "ten", "offset": 11}, "offset 11 is past the end of ten, which has 10 lines"},
		{"far past the end", args{"path": "ten", "offset": 99}, "offset 99 is past the end of ten, which has 10 lines"},
		{"past the end of nothing", args{"path": "empty", "offset": 2}, "which has 0 lines"},
		{"a NUL in the path", args{"path": "a\x00b"}, "invalid"},
		{"line 0", args{"path": "ten", "offset": 0}, `argument "offset" must be at least 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want = strings.Replace(c.want, "ten is a file", "is a file", 1)
			b.fails("read", c.args, c.want)
		})
	}
}

func TestReadShowsImages(t *testing.T) {
	b := newBench(t, allTools())
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	b.put("picture", picture.String())
	r := b.call("read", args{"path": "picture"})
	if r.IsError || len(r.Content) != 2 {
		t.Fatalf("got %+v", r)
	}
	got := r.Content[1]
	data, err := base64.StdEncoding.DecodeString(got.Data)
	if err != nil || got.Type != message.BlockImage || got.MimeType != "image/png" || !bytes.Equal(data, picture.Bytes()) {
		t.Errorf("got %s %s, %d bytes, %v", got.Type, got.MimeType, len(data), err)
	}

	b.put("huge.png", picture.String()+strings.Repeat("\x00", 4<<20))
	b.fails("read", args{"path": "huge.png"}, "too large")
}
