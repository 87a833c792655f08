package tool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	maxMatches    = 100
	maxShownLine  = 500     // bytes
	maxSearchLine = 1 << 20 // bytes
)

var grepParameters = json.RawMessage(`{"type":"object","properties":{
"pattern":{"type":"string","description":"A regular expression in RE2 syntax, matched line by line."},
"path":{"type":"string","description":"The file or directory to search, relative to the working directory, which is the default."},
"glob":{"type":"string","description":"Search only files that match, such as *.go or src/**/*.{ts,tsx}; with a leading ! only those that do not."},
"ignoreCase":{"type":"boolean","description":"Take upper and lower case as equal."},
"literal":{"type":"boolean","description":"Take the pattern as plain text."},
"context":{"type":"integer","minimum":0,"maximum":20,"description":"How many lines to show before and after each match."},
"limit":{"type":"integer","minimum":1,"description":"How many matches at most; 100 if not given."}},
"required":["pattern"],"additionalProperties":false}`)

type grepArguments struct {
	Pattern, Path, Glob string
	IgnoreCase, Literal bool
	Context, Limit      count
}

func (w *Workspace) grepTool() Tool {
	return Tool{
		Name:        "grep",
		Description: "Find lines in files. Prints path:line: text for matches, path-line- text around them. Skips .git, binary files and symbolic links.",
		Parameters:  grepParameters,
		Run:         bind(grepParameters, w.grep),
	}
}

func (w *Workspace) grep(ctx context.Context, a grepArguments) (Result, error) {
	pattern := a.Pattern
	if a.Literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	if a.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return Result{}, fmt.Errorf("the pattern is not valid: %w; to find it as plain text, set literal", err)
	}
	s := &search{w: w, ctx: ctx, re: re, around: int(a.Context), limit: maxMatches}
	if a.Limit > 0 {
		s.limit = int(a.Limit)
	}
	if a.Glob != "" {
		if s.glob, err = parseGlob(a.Glob); err != nil {
			return Result{}, err
		}
	}
	if s.start, err = w.relative(orDot(a.Path)); err != nil {
		return Result{}, err
	}
	if err := s.run(); err != nil {
		return Result{}, err
	}
	return Text(s.report()), nil
}

// search is one run of grep.
type search struct {
	w             *Workspace
	ctx           context.Context
	re            *regexp.Regexp
	glob          *glob
	start         string
	around, limit int

	out       strings.Builder
	matches   int
	full      bool // more would not fit
	cut       bool // a line was searched only in part
	unread    int
	firstFail error
}

func (s *search) run() error {
	f, info, err := open(s.w.root, s.start)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return explain(s.start, err)
	}
	if !info.IsDir() {
		return s.file(s.start) // named by the model: its failure is the answer
	}
	// A stack in place of recursion; pushed in reverse, so that it comes out in order of names.
	for stack := []string{s.start}; len(stack) > 0 && !s.full; {
		dir := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if name, isFile := strings.CutSuffix(dir, "\x00"); isFile {
			if err := s.file(name); err != nil && !s.skip(err) {
				return err
			}
			continue
		}
		entries, err := readDir(s.ctx, s.w.root, dir)
		if err != nil {
			if dir == s.start || !s.skip(err) {
				return err
			}
			continue
		}
		for i := len(entries) - 1; i >= 0; i-- {
			e := entries[i]
			path := join(dir, e.Name())
			switch {
			case e.Name() == ".git":
			case e.IsDir():
				stack = append(stack, path)
			case e.Type().IsRegular() && s.wants(path):
				stack = append(stack, path+"\x00") // a byte that no path has
			}
		}
	}
	return nil
}

func (s *search) wants(path string) bool {
	below, err := filepath.Rel(s.start, path)
	if err != nil {
		below = path
	}
	return s.glob.match(filepath.ToSlash(path), filepath.ToSlash(below))
}

// skip notes a file that cannot be read, and tells whether the search may go on.
func (s *search) skip(err error) bool {
	if s.ctx.Err() != nil {
		return false
	}
	if s.unread++; s.firstFail == nil {
		s.firstFail = err
	}
	return true
}

// numbered is a line that may be shown as context of a later match.
type numbered struct {
	n    int
	text string
}

func (s *search) file(path string) error {
	f, _, err := openFile(s.w.root, path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(reader{s.ctx, f}, 64<<10)
	if head, err := r.Peek(headSize); isBinary(head) {
		return nil
	} else if err != nil && !errors.Is(err, io.EOF) {
		return explain(path, err)
	}
	shown := filepath.ToSlash(path)
	var before []numbered
	var buf []byte
	after, last := 0, 0 // lines of context still to show; the last line shown
	for n := 1; ; n++ {
		line, cut, err := nextLine(r, buf[:0], maxSearchLine)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return explain(path, err)
		}
		if err := s.ctx.Err(); err != nil { // a file in one buffer is searched without another read
			return err
		}
		buf = line
		s.cut = s.cut || cut
		line = bytes.TrimRight(line, "\r\n")
		at := s.re.FindIndex(line)
		switch {
		case at != nil && s.matches == s.limit:
			s.full = true
			return nil
		case at != nil:
			s.matches++
			if s.around > 0 && last > 0 && n-len(before) > last+1 {
				s.print("--\n")
			}
			for _, b := range before {
				s.print(fmt.Sprintf("%s-%d- %s\n", shown, b.n, b.text))
			}
			before = before[:0]
			s.print(fmt.Sprintf("%s:%d: %s\n", shown, n, window(line, at)))
			after, last = s.around, n
		case after > 0:
			s.print(fmt.Sprintf("%s-%d- %s\n", shown, n, window(line, nil)))
			after, last = after-1, n
		case s.around > 0:
			if len(before) == s.around {
				before = before[1:]
			}
			before = append(before, numbered{n, window(line, nil)})
		}
		if s.full {
			return nil
		}
	}
}

func (s *search) print(line string) {
	if s.full = s.full || s.out.Len()+len(line) > maxText; !s.full {
		s.out.WriteString(line)
	}
}

// window is the part of a line around a match, short enough to show.
func window(line []byte, match []int) string {
	from, to := 0, len(line)
	if to > maxShownLine {
		if match != nil {
			from = max(0, match[0]-maxShownLine/4)
		}
		to = min(len(line), from+maxShownLine)
	}
	text := strings.ToValidUTF8(string(line[from:to]), "\uFFFD")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}

func (s *search) report() string {
	var notes []string
	if s.matches == 0 {
		notes = append(notes, "No matches.")
	}
	if s.full {
		notes = append(notes, fmt.Sprintf("There are more than these %d matches; narrow the search.", s.matches))
	}
	if s.cut {
		notes = append(notes, fmt.Sprintf("Lines longer than %s were searched only up to there.", size(maxSearchLine)))
	}
	if s.unread > 0 {
		notes = append(notes, fmt.Sprintf("%d could not be read; the first: %v.", s.unread, s.firstFail))
	}
	out := s.out.String()
	if len(notes) == 0 {
		return out
	}
	if out != "" {
		out += "\n"
	}
	return out + "[" + strings.Join(notes, " ") + "]"
}
