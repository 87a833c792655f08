package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

var editParameters = json.RawMessage(`{"type":"object","properties":{
"path":{"type":"string","description":"The file, relative to the working directory."},
"oldText":{"type":"string","description":"The text to replace. It must occur exactly once in the file, character for character."},
"newText":{"type":"string","description":"What stands there afterwards."}},
"required":["path","oldText","newText"],"additionalProperties":false}`)

type editArguments struct{ Path, OldText, NewText string }

func (w *Workspace) editTool() Tool {
	return Tool{
		Name:        "edit",
		Description: "Replace one text in a file. oldText must match exactly, white space too, and occur once: take in enough lines around it. Line ends stay those of the file.",
		Parameters:  editParameters,
		Run:         bind(editParameters, w.edit),
	}
}

func (w *Workspace) edit(ctx context.Context, a editArguments) (Result, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	t, err := w.target(a.Path, false)
	if err != nil {
		return Result{}, err
	}
	defer t.close()
	old, info, err := t.read(ctx)
	if err != nil {
		return Result{}, err
	}
	if info == nil {
		return Result{}, fmt.Errorf("%s does not exist; use write to make it", t.path)
	}
	changed, line, err := replaceOnce(old, a.OldText, a.NewText)
	if err != nil {
		return Result{}, fmt.Errorf("%s is unchanged: %w", t.path, err)
	}
	err = t.replace(ctx, changed, info, func() error {
		now, _, err := t.read(ctx)
		if err == nil && !bytes.Equal(now, old) {
			err = fmt.Errorf("%s was changed by someone else meanwhile and is left as they made it; read it again", t.path)
		}
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return fileResult(fmt.Sprintf("Edited %s at line %d.", t.path, line), FileDetails{Path: t.path, Diff: unifiedDiff(t.path, old, changed)})
}

// replaceOnce replaces the only place where text holds old, and tells its line. In a text whose
// lines all end in CRLF, line ends of old and new mean CRLF.
func replaceOnce(text []byte, old, new string) (changed []byte, line int, err error) {
	if old == "" {
		return nil, 0, errors.New("oldText is empty; give the text to replace")
	}
	if crlf := bytes.Count(text, []byte("\r\n")); crlf > 0 && crlf == bytes.Count(text, []byte("\n")) {
		old, new = toCRLF(old), toCRLF(new)
	}
	if old == new {
		return nil, 0, errors.New("oldText and newText are the same")
	}
	at := occurrences(text, []byte(old))
	switch len(at) {
	case 0:
		return nil, 0, notFound(text, old)
	case 1:
	default:
		var lines []string
		for _, i := range at {
			lines = append(lines, fmt.Sprint(lineAt(text, i)))
		}
		if len(at) == maxOccurrences {
			lines = append(lines, "…")
		}
		return nil, 0, fmt.Errorf("oldText occurs more than once, at lines %s; add lines around it until it is the only one", strings.Join(lines, ", "))
	}
	i := at[0]
	changed = make([]byte, 0, len(text)-len(old)+len(new))
	changed = append(changed, text[:i]...)
	changed = append(changed, new...)
	changed = append(changed, text[i+len(old):]...)
	return changed, lineAt(text, i), nil
}

const maxOccurrences = 10

// occurrences are the places where text holds old, overlapping ones too: each is a way to read what is
// meant.
func occurrences(text, old []byte) (at []int) {
	for from := 0; len(at) < maxOccurrences; {
		i := bytes.Index(text[from:], old)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + 1
	}
	return at
}

func toCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

func lineAt(text []byte, i int) int { return bytes.Count(text[:i], []byte("\n")) + 1 }

// notFound looks for lines that differ only in white space, what models get wrong most.
func notFound(text []byte, old string) error {
	var want []string
	for l := range strings.Lines(strings.Trim(old, "\r\n")) {
		want = append(want, strings.Join(strings.Fields(l), " "))
	}
	n, matched := 0, 0
	for l := range bytes.Lines(text) {
		n++
		got := strings.Join(strings.Fields(string(l)), " ")
		switch {
		case matched > 0 && got == want[matched]:
			matched++
		case len(want) > 0 && want[0] != "" && got == want[0]:
			matched = 1
		default:
			matched = 0
		}
		if matched > 0 && matched == len(want) {
			return fmt.Errorf("oldText was not found; the lines from %d on are the same but for white space, which must match too", n-len(want)+1)
		}
	}
	return errors.New("oldText was not found; read the file again and copy the text exactly")
}
