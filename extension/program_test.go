package extension_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

// program is this test program as an extension of a kind; see misbehave.
func program(t *testing.T, kind string, env ...string) extension.Program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return extension.Program{Command: []string{self}, Env: append(append(os.Environ(), asExtension+"="+kind), env...)}
}

// unharmed checks that the session is as it was, and works.
func (l *live) unharmed() {
	l.t.Helper()
	if l.Session().Len() != 4 {
		l.t.Errorf("%d entries", l.Session().Len())
	}
	s, err := session.Open(l.t.Context(), l.path)
	if err != nil {
		l.t.Fatal(err)
	}
	defer s.Close()
	if len(s.Problems()) > 0 || s.Len() != 4 {
		l.t.Errorf("%d entries, %v", s.Len(), s.Problems())
	}
	if _, err := l.Session().Append(l.t.Context(), session.Custom{CustomType: "test"}); err != nil {
		l.t.Error(err)
	}
}

func TestAProgramGetsEveryEventWithItsFields(t *testing.T) {
	diary := filepath.Join(t.TempDir(), "diary")
	l := newLive(t, nil, agent.Options{SummaryModel: model.ExtractName, Compaction: keepLittle}, program(t, "everything", "RAMO_TEST_DIARY="+diary).Extension())
	want := l.walk()
	got, err := os.ReadFile(diary)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(got)) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	l.noTrouble()
}

func TestAProgramsCommandDoesAllThatCommandsCan(t *testing.T) {
	ui := &user{index: 1, yes: true, text: "typed"}
	l := newLive(t, nil, agent.Options{UI: ui}, program(t, "acts").Extension())
	if err := l.WaitExtensions(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := l.Commands(); len(got) != 1 || got[0] != (extension.CommandInfo{Name: "act", Description: "Do it all"}) {
		t.Errorf("%v", got)
	}
	if err := l.RunCommand(t.Context(), "act", "now"); err != nil {
		t.Fatal(err)
	}
	want := `select actor: Which? [this that]
confirm actor: Sure?
input actor: What?
info actor: act now 4 info branch_of entry context labels append_entry append_message select {"index":1} confirm {"yes":true} input {"text":"typed"} navigate branch`
	if ui.asked() != want {
		t.Errorf("got\n%s\nwant\n%s", ui.asked(), want)
	}
	if len(l.of(agent.Appended)) != 2 || l.Session().Path() == l.path || l.Session().Len() != 2 {
		t.Errorf("%d appended, %d entries", len(l.of(agent.Appended)), l.Session().Len())
	}
	l.noTrouble()
}

func TestAProgramsCommandIsToldThatThereIsNobodyToAsk(t *testing.T) {
	l := newLive(t, nil, agent.Options{}, program(t, "acts").Extension())
	if err := l.RunCommand(t.Context(), "act", ""); err != nil {
		t.Fatal(err)
	}
	n := l.await(agent.Notice, "actor: act")
	if strings.Count(n.Text, "nobody to ask") != 3 {
		t.Errorf("%s", n.Text)
	}
	l.noTrouble()
}

func TestTheModelCallsAProgramsTool(t *testing.T) {
	l := newLive(t, []modeltest.Turn{
		{Calls: []modeltest.Call{{ID: "c1", Name: "echo", Arguments: `{"text":"hi"}`}}}, {Text: []string{"done"}},
	}, agent.Options{}, program(t, "acts").Extension())
	if _, err := l.Prompt(t.Context(), "say hi"); err != nil {
		t.Fatal(err)
	}
	m, err := l.of(agent.ToolEnd)[0].Entry.Message()
	if err != nil || m.Text() != "hi" || m.IsError || string(m.Details) != `{"n":1}` {
		t.Errorf("%+v %v", m, err)
	}
	l.noTrouble()
}

func TestTheSignalReachesAProgramOnEsc(t *testing.T) {
	l := newLive(t, nil, agent.Options{}, program(t, "cancelled").Extension())
	go func() {
		l.await(agent.Notice, "entered")
		l.Abort()
	}()
	if n := l.move(agent.NavigateOptions{}); !n.Cancelled || n.Reason != "" {
		t.Errorf("%+v", n)
	}
	l.await(agent.Notice, "cancelled true")
	if n := l.move(agent.NavigateOptions{}); !n.Cancelled || n.Reason != "back again" {
		t.Errorf("%+v", n)
	}
	l.noTrouble()
}

// A bad extension is reported, and the move is made all the same.
func TestABadProgramBlocksNothing(t *testing.T) {
	for _, c := range []struct {
		kind    string
		timeout time.Duration
		words   []string
	}{
		{"stillborn", 0, []string{"start", "exit status 3", "cannot find my settings", "left out"}},
		{"refuses", 0, []string{"start", "wrong version", "left out"}},
		{"hangs", 50 * time.Millisecond, []string{"session_before_tree", "too slow", "50ms"}},
		{"deaf", 50 * time.Millisecond, []string{"session_before_tree", "too slow"}},
		{"crashes", 0, []string{"exit status 7", "segmentation fault", "left out"}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			p := program(t, c.kind)
			p.Timeout = c.timeout
			l := newLive(t, nil, agent.Options{}, p.Extension())
			if n := l.move(agent.NavigateOptions{}); n.Cancelled || n.NewLeaf != l.entries[1].ID() {
				t.Errorf("%+v", n)
			}
			if _, err := l.NavigateTree(t.Context(), l.entries[3].ID(), agent.NavigateOptions{}); err != nil {
				t.Error(err)
			}
			l.unharmed()
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			l.oneTrouble(filepath.Base(p.Command[0]), c.words...)
		})
	}
}

func TestABabblingProgramIsStopped(t *testing.T) {
	for _, kind := range []string{"babbles", "babbles in one line"} {
		t.Run(kind, func(t *testing.T) {
			l := newLive(t, nil, agent.Options{}, program(t, kind).Extension())
			if n := l.move(agent.NavigateOptions{}); n.Cancelled {
				t.Errorf("%+v", n)
			}
			l.await(agent.ExtensionTrouble, "1 MB of nonsense")
			l.unharmed()
		})
	}
}

func TestWhatAProgramLogsOnStandardErrorIsNoTrouble(t *testing.T) {
	l := newLive(t, nil, agent.Options{}, program(t, "babbles on stderr").Extension())
	if n := l.move(agent.NavigateOptions{}); n.Reason != "said enough" {
		t.Errorf("%+v", n)
	}
	l.noTrouble()
	l.unharmed()
}

func TestALyingProgramIsReportedAndHarmless(t *testing.T) {
	l := newLive(t, nil, agent.Options{}, program(t, "lies").Extension())
	if n := l.move(agent.NavigateOptions{}); n.Cancelled || n.NewLeaf != l.entries[1].ID() {
		t.Errorf("%+v", n)
	}
	if err := l.RunCommand(t.Context(), "lie", ""); err != nil {
		t.Error(err)
	}
	for _, words := range []string{
		"no_such_event", `"a b" cannot be the name of a command`, "tool t is left out",
		"no JSON-RPC message", "answers to nothing", "answer is not understood",
		"navigate: no such entry", "branch: no such entry", "append_message: content", "append_entry: parameters", `"explode"`,
	} {
		l.await(agent.ExtensionTrouble, words)
	}
	if n := len(l.troubles()); n != 11 {
		t.Errorf("%d troubles: %q", n, l.troubles())
	}
	l.unharmed()
}

func TestAProgramMovesOnlyDuringACommandOfItsOwn(t *testing.T) {
	s := session.NewMemory(session.NewHeader(t.TempDir()))
	e, err := s.Append(t.Context(), session.Custom{CustomType: "test"})
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan string, 100)
	a, err := agent.New(s, agent.Options{Extensions: []extension.Extension{program(t, "moves outside of a command", "RAMO_TEST_TARGET="+e.ID()).Extension()}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	a.Listen(func(e agent.Event) {
		if e.Type == agent.Notice {
			heard <- e.Text
		}
	})
	if text := <-heard; !strings.HasSuffix(text, "error: true") {
		t.Errorf("%s", text)
	}
}

func TestACrashEndsWhatTheProgramIsAt(t *testing.T) {
	l := newLive(t, []modeltest.Turn{{Calls: []modeltest.Call{{ID: "c1", Name: "t", Arguments: `{}`}}}, {Text: []string{"pity"}}}, agent.Options{}, program(t, "crashes").Extension())
	command := make(chan error, 1)
	if err := l.WaitExtensions(t.Context()); err != nil {
		t.Fatal(err)
	}
	go func() { command <- l.RunCommand(context.Background(), "c", "") }()
	l.move(agent.NavigateOptions{})
	if err := <-command; err == nil {
		t.Error("the command succeeded")
	}
	if _, err := l.Prompt(t.Context(), "call t"); err != nil {
		t.Fatal(err)
	}
	if m, _ := l.of(agent.ToolEnd)[0].Entry.Message(); !m.IsError || !strings.Contains(m.Text(), "exit status 7") {
		t.Errorf("%q", m.Text())
	}
	l.oneTrouble(filepath.Base(os.Args[0]), "exit status 7")
}

func TestAProgramThatIsNotThereIsLeftOut(t *testing.T) {
	l := newLive(t, nil, agent.Options{}, extension.Program{Command: []string{"/nonexistent/guard"}}.Extension(), extension.Program{}.Extension())
	l.move(agent.NavigateOptions{})
	l.await(agent.ExtensionTrouble, "guard, start: cannot start: ")
	l.await(agent.ExtensionTrouble, "command is empty")
}

func TestASessionThatClosesAtOnceWaitsForNoProgram(t *testing.T) {
	l := newLive(t, nil, agent.Options{}, program(t, "mute").Extension())
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := l.RunCommand(t.Context(), "x", ""); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("%v", err)
	}
	l.noTrouble()
}
