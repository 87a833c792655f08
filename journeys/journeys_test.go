//go:build unix

package journeys

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/internal/modeltest"
)

// A session of pi is opened, a place in its tree is found by a search and labelled, a request is chosen,
// edited and sent to a local model: the file has a new branch, and all that it had before.
func TestANewBranchInASessionOfPi(t *testing.T) {
	p := newTraveller(t, "", modeltest.Turn{Text: []string{"Then take ", "cider instead."}})
	path := p.soup()
	before := p.read(path)
	s := p.open(100, 30, path)
	s.see("onion soup", "Old bread, toasted")

	s.typed("/tree")
	s.press("Enter")
	s.see("user: and what about the bread")
	s.typed("wine")
	s.gone("Old bread, toasted")
	s.press("S-l") // the label is edited in place
	s.typed("the wine")
	s.press("Enter")
	s.see("[the wine] user: which wine goes into it")
	s.press("Enter") // there
	s.see("No summary")
	s.press("Enter")
	s.see("which wine goes into it", "onion soup") // the request is back in the editor
	s.gone("A dry white one")
	s.typed(" when children eat too")
	s.press("Enter")
	s.see("Then take cider instead.")

	if after := p.read(path); !strings.HasPrefix(after, before) {
		t.Errorf("what stood in the file has changed:\n%s", after)
	}
	label := p.last(path, ofType("label"))
	if label.TargetID != "00000003" || label.Label != "the wine" {
		t.Errorf("the label is %+v", label)
	}
	request := p.last(path, containing("which wine goes into it when children eat too"))
	if request.parent() != "00000002" {
		t.Errorf("the request hangs from %q", request.parent())
	}
	if answer := p.last(path, containing("cider")); answer.parent() != request.ID || answer.Message.StopReason != "stop" {
		t.Errorf("the answer is %+v", answer)
	}
	s.quit()
}

// Esc twice on an empty editor opens the tree; Esc closes it.
func TestEscTwiceOpensTheTree(t *testing.T) {
	p := newTraveller(t, "")
	s := p.open(100, 30, p.soup())
	s.see("Old bread, toasted")
	s.press("Escape", "Escape")
	s.see("assistant: Old bread, toasted")
	s.press("Escape")
	s.gone("assistant: Old bread, toasted")
	s.quit()
}

// The request that /branch chooses starts a session of its own, which knows where it comes from; /resume
// goes back to the first.
func TestABranchIntoANewFileAndBack(t *testing.T) {
	p := newTraveller(t, `double_escape = "branch"`, modeltest.Turn{Text: []string{"A young cider."}})
	path := p.soup()
	before := p.read(path)
	s := p.open(100, 30, path)
	s.see("Old bread, toasted")
	s.typed("/branch")
	s.press("Enter")
	s.see("how do I make onion soup", "which wine goes into it")
	s.typed("wine")
	s.press("Enter")
	s.gone("A dry white one")
	s.see("which wine goes into it", "onions and let them brown")
	s.typed(", or cider")
	s.press("Enter")
	s.see("A young cider.")

	files, err := filepath.Glob(filepath.Join(p.home, "data", "ramo", "sessions", "*", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the new sessions are %q, %v", files, err)
	}
	lines := p.lines(files[0])
	if lines[0].Parent != path {
		t.Errorf("the header is %+v", lines[0])
	}
	if request := p.last(files[0], containing("which wine goes into it, or cider")); request.parent() != "00000002" {
		t.Errorf("the request hangs from %q", request.parent())
	}
	if p.read(path) != before {
		t.Error("the old session has changed")
	}

	s.typed("/resume")
	s.press("Enter")
	s.see("Sessions of shop", "1/2")
	s.press("Down") // the newest is the one that is open
	s.press("Enter")
	s.see("Old bread, toasted")
	s.gone("A young cider.")
	s.quit()
}

// Esc while the summary is written leaves everything as it was; asked again, it hangs at the new
// position.
func TestASummaryWithEscInTheMiddle(t *testing.T) {
	hold := make(chan struct{})
	p := newTraveller(t, "",
		modeltest.Turn{Text: []string{"Talked about "}, Hold: hold},
		modeltest.Turn{Text: []string{"Old bread with cheese was settled."}},
	)
	t.Cleanup(func() { close(hold) })
	path := p.soup()
	before := p.read(path)
	s := p.open(100, 30, path, "--tree")
	s.see("user: which wine goes into it")
	choose := func() {
		s.typed("dry white")
		s.gone("user: how do I make onion soup")
		s.press("Enter")
		s.see("No summary", "Summarize with instructions")
		s.press("Down", "Enter")
	}
	choose()
	s.until("the request for a summary", func() bool { return len(p.server.Requests()) == 1 })
	s.see("One moment")
	s.press("Escape")
	s.gone("One moment")
	s.see("assistant: A dry white one") // in the tree again
	if p.read(path) != before {
		t.Error("the file has changed")
	}
	s.press("Enter")
	s.see("No summary")
	s.press("Down", "Enter")
	s.see("Old bread with cheese was settled")
	summary := p.last(path, ofType("branch_summary"))
	if summary.parent() != "00000004" || summary.FromID != "00000004" || !strings.Contains(summary.Summary, "cheese was settled") {
		t.Errorf("the summary is %+v", summary)
	}
	s.quit()
}

// Someone without a key takes a summary along that is made from the entries alone.
func TestASummaryWithoutAModel(t *testing.T) {
	p := newTraveller(t, "")
	path := p.soup()
	s := p.open(100, 30, path, "--tree")
	s.see("user: which wine goes into it")
	s.press("Up", "Up", "Enter")
	s.see("No summary", "Extract")
	s.press("Down", "Enter")
	s.until("the summary in the file", func() bool { return strings.Contains(p.read(path), `"branch_summary"`) })
	summary := p.last(path, ofType("branch_summary"))
	if summary.parent() != "00000004" || !strings.Contains(summary.Summary, "and what about the bread") {
		t.Errorf("the summary is %+v", summary)
	}
	s.typed("does it keep")
	s.press("Enter")
	s.see("model") // how to set one up
	if strings.Contains(p.read(path), "does it keep") {
		t.Error("a request that nobody can answer is in the file")
	}
	s.see("does it keep") // it is not lost either
	s.press("C-c")
	s.gone("does it keep")
	s.quit()
}

// Two windows on one session: each grows its own branch, sees the other's, and loses no word.
func TestTwoAppsOnOneSession(t *testing.T) {
	p := newTraveller(t, "", modeltest.Turn{Text: []string{"Understood."}})
	path := p.soup()
	one, two := p.open(100, 30, path), p.open(100, 30, path)
	one.see("Old bread, toasted")
	two.see("Old bread, toasted")
	one.typed("in the first window")
	one.press("Enter")
	one.see("Understood.")
	two.see("elsewhere")
	two.typed("in the second window")
	two.press("Enter")
	two.see("Understood.")
	for _, text := range []string{"in the first window", "in the second window"} {
		if request := p.last(path, containing(text)); request.parent() != "00000006" {
			t.Errorf("%q hangs from %q", text, request.parent())
		}
	}
	one.typed("/tree")
	one.press("Enter")
	one.see("user: in the first window", "user: in the second window")
	one.press("Escape")
	one.gone("user: in the first window")
	one.quit()
	two.quit()
}

// The window changes its size while an answer streams, down to less than the app can use.
func TestResizeWhileStreaming(t *testing.T) {
	hold := make(chan struct{})
	p := newTraveller(t, "", modeltest.Turn{Text: []string{"An answer of many words, which comes ", "in pieces."}, Hold: hold})
	path := p.soup()
	s := p.open(100, 30, path)
	s.see("Old bread, toasted")
	s.typed("go on")
	s.press("Enter")
	s.see("in pieces.")
	for _, size := range [][2]int{{40, 10}, {20, 5}, {150, 45}, {60, 15}} {
		s.resize(size[0], size[1])
	}
	s.see("in pieces.")
	s.resize(30, 8)
	s.gone("in pieces.") // a word about the size instead
	s.resize(100, 30)
	s.see("in pieces.")
	close(hold)
	s.until("the answer in the file", func() bool { return strings.Contains(p.read(path), "An answer of many words, which comes in pieces.") })
	s.quit()
}

// A process that is killed has lost nothing: the app opens where one stood.
func TestKilledAndReopened(t *testing.T) {
	p := newTraveller(t, "")
	path := p.soup()
	before := p.read(path)
	s := p.open(100, 30, path, "--tree")
	s.see("user: which wine goes into it")
	s.press("Up", "Up", "Enter") // to the answer about the wine
	s.see("No summary")
	s.press("Enter")
	s.see("A dry white one")
	s.gone("Old bread, toasted")
	s.kill9()
	if p.read(path) != before {
		t.Error("a move has written into the file")
	}
	again := p.open(100, 30, path)
	again.see("A dry white one")
	again.gone("Old bread, toasted")
	again.quit()
}

// Killed in mid-answer: the request is in the file, and the next start shows it.
func TestKilledWhileStreaming(t *testing.T) {
	hold := make(chan struct{})
	p := newTraveller(t, "", modeltest.Turn{Text: []string{"Half an ans"}, Hold: hold})
	t.Cleanup(func() { close(hold) })
	path := p.soup()
	s := p.open(100, 30, path)
	s.see("Old bread, toasted")
	s.typed("does it keep")
	s.press("Enter")
	s.see("Half an ans")
	s.kill9()
	p.last(path, containing("does it keep"))
	again := p.open(100, 30, path)
	again.see("does it keep")
	again.quit()
}

// Esc stops an answer; what had come is kept.
func TestEscStopsAnAnswer(t *testing.T) {
	hold := make(chan struct{})
	p := newTraveller(t, "", modeltest.Turn{Text: []string{"Three things, first "}, Hold: hold})
	t.Cleanup(func() { close(hold) })
	path := p.soup()
	s := p.open(100, 30, path)
	s.see("Old bread, toasted")
	s.typed("anything else")
	s.press("Enter")
	s.see("Three things, first")
	s.press("Escape")
	s.until("the stopped answer", func() bool { return strings.Contains(p.read(path), `"stopReason":"aborted"`) })
	if answer := p.last(path, containing("Three things, first")); answer.Message.StopReason != "aborted" {
		t.Errorf("the answer is %+v", answer)
	}
	s.quit()
}

// A command of the model's runs only when the user says so.
func TestAToolIsAskedFor(t *testing.T) {
	p := newTraveller(t, "[tools]\nbash = \"ask\"\n",
		modeltest.Turn{Calls: []modeltest.Call{{ID: "c1", Name: "bash", Arguments: `{"command":"touch refused"}`}}},
		modeltest.Turn{Text: []string{"Not then."}},
		modeltest.Turn{Calls: []modeltest.Call{{ID: "c2", Name: "bash", Arguments: `{"command":"touch granted"}`}}},
		modeltest.Turn{Text: []string{"It is there."}},
	)
	path := p.soup()
	s := p.open(100, 30, path)
	s.see("Old bread, toasted")
	s.typed("make a file")
	s.press("Enter")
	s.see("touch refused", "Esc")
	s.press("n")
	s.see("Not then.")
	s.typed("and now")
	s.press("Enter")
	s.see("touch granted")
	s.press("y")
	s.see("It is there.")
	if _, err := os.Stat(filepath.Join(p.project, "refused")); err == nil {
		t.Error("the refused command has run")
	}
	if _, err := os.Stat(filepath.Join(p.project, "granted")); err != nil {
		t.Error(err)
	}
	s.quit()
}

// The session's name, a label, an export, and the whole tree copied.
func TestNameLabelExportFork(t *testing.T) {
	p := newTraveller(t, "")
	path := p.soup()
	s := p.open(100, 30, path)
	s.see("Old bread, toasted")
	command := func(text string) {
		s.typed(text)
		s.press("Enter")
	}
	command("/name Onion soup for six")
	s.until("the name", func() bool { return strings.Contains(p.read(path), "Onion soup for six") })
	command("/label settled")
	s.until("the label", func() bool { return strings.Contains(p.read(path), `"settled"`) })
	if label := p.last(path, ofType("label")); label.TargetID == "" || label.Label != "settled" {
		t.Errorf("the label is %+v", label)
	}
	out := filepath.Join(p.project, "soup.md")
	command("/export soup.md")
	s.until("the export", func() bool {
		raw, err := os.ReadFile(out)
		return err == nil && strings.Contains(string(raw), "Old bread, toasted, with cheese.")
	})
	command("/fork")
	s.until("the copy", func() bool {
		files, _ := filepath.Glob(filepath.Join(p.home, "data", "ramo", "sessions", "*", "*.jsonl"))
		return len(files) == 1
	})
	command("/quit")
	s.ended()
}

// A request is finished in $EDITOR.
func TestTheExternalEditor(t *testing.T) {
	p := newTraveller(t, "")
	p.editor = filepath.Join(p.home, "editor")
	p.write(p.editor, "#!/bin/sh\necho ' and more' >> \"$1\"\n")
	if err := os.Chmod(p.editor, 0o700); err != nil {
		t.Fatal(err)
	}
	s := p.open(100, 30, p.soup())
	s.see("Old bread, toasted")
	s.typed("some words")
	s.see("› some words")
	s.press("C-g")
	s.see("› some words and more")
	s.press("C-c")
	s.gone("some words")
	s.quit()
}

// Without an argument a new session starts here; -c goes on with it.
func TestANewSessionAndItsContinuation(t *testing.T) {
	p := newTraveller(t, "", modeltest.Turn{Text: []string{"Leeks, then."}})
	s := p.open(100, 30)
	s.see("Type a request")
	s.typed("what is in season")
	s.press("Enter")
	s.see("Leeks, then.")
	s.quit()
	again := p.open(100, 30, "-c")
	again.see("what is in season", "Leeks, then.")
	again.quit()
}
