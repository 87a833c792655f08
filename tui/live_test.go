//go:build unix

package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/agent/tool"
	"github.com/ramo-dev/ramo/config"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

// withModel is a setup with a model that answers as the script says.
func withModel(t *testing.T, set setup, script ...modeltest.Turn) setup {
	t.Helper()
	server := modeltest.NewServer(t, modeltest.OpenAI, script...)
	set.models = model.NewRegistry(map[string]model.Settings{"local": {
		Type: "openai-compatible", BaseURL: server.BaseURL(modeltest.OpenAI), Models: []model.Info{{ID: "small", ContextWindow: 100_000}},
	}})
	before := set.settings
	set.settings = func(s *config.Settings) {
		s.Model = "local/small"
		if before != nil {
			before(s)
		}
	}
	return set
}

func TestAnAnswerStreamsAndEscStopsIt(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	m := open(t, tour, withModel(t, setup{}, modeltest.Turn{Text: []string{"It **starts** with"}, Hold: hold}))
	m.see("local/small")
	m.command("and now")
	m.see("It starts with", "Esc stops")
	m.press("esc")
	m.see("(stopped)")
	m.gone("Esc stops")
	m.golden("stopped")
	if !strings.Contains(m.read(), `"stopReason":"aborted"`) {
		t.Error("what had arrived is not in the log")
	}
}

// What is sent while an answer is running is put when that has ended; when it is stopped, it comes back.
func TestARequestWaitsForTheAnswerBefore(t *testing.T) {
	hold, again := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(again) })
	m := open(t, tour, withModel(t, setup{}, modeltest.Turn{Text: []string{"One, ", "two."}, Hold: hold}, modeltest.Turn{Text: []string{"Three, ", "four."}, Hold: again}))
	m.see("local/small")
	m.command("count")
	m.see("One,")
	m.command("go on")
	m.see("1 waiting")
	close(hold)
	m.see("two.", "▌ go on", "Three,")
	m.command("and on")
	m.see("1 waiting")
	m.press("esc")
	m.see("(stopped)", "› and on")
}

// A request that could not be put comes back into the editor.
func TestARequestIsNeverLost(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("no model")
	m.command("how so")
	m.see("no model is active", "› how so")
	if strings.Contains(m.read(), "how so") {
		t.Error("a request that nobody can answer is in the log")
	}
}

func TestEscTwice(t *testing.T) {
	for _, test := range []struct{ setting, opens string }{
		{"tree", "type to search"}, {"branch", "Branch: a new session from which request?"}, {"none", ""},
	} {
		t.Run(test.setting, func(t *testing.T) {
			m := open(t, tour, setup{settings: func(s *config.Settings) { s.DoubleEscape = test.setting }})
			m.see("$0.14")
			m.press("esc", "esc")
			if test.opens == "" {
				m.typed("still here")
				m.see("› still here")
				return
			}
			m.see(test.opens)
		})
	}
}

// On a text, Esc twice opens nothing.
func TestEscTwiceNeedsAnEmptyEditor(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("$0.14")
	m.typed("words")
	m.see("› words")
	m.press("esc", "esc")
	m.typed("!")
	m.see("› words!")
}

// A request that is chosen in the tree comes back for the editor, if that is empty.
func TestTheEditorGetsTheRequestIfItIsEmpty(t *testing.T) {
	m := open(t, tour, setup{settings: func(s *config.Settings) { s.BranchSummary = "never" }})
	m.see("$0.14")
	m.press("ctrl+t")
	m.see("type to search")
	m.typed("What about cents")
	m.see("1/1")
	m.press("enter")
	m.see("› What about cents? 10.10")
	m.press("ctrl+c")
	m.gone("What about cents")
	m.typed("my own words")
	m.press("ctrl+t")
	m.see("type to search")
	m.typed("Can refunds keep")
	m.see("1/1")
	m.press("enter")
	m.see("› my own words", "That breaks refunds")
}

func TestChoosingTheLeafDoesNothing(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("$0.14")
	m.press("ctrl+t")
	m.see("type to search")
	m.press("home", "enter")
	m.see("No summary")
	m.press("enter")
	m.see("› Orders with two coupons")
	m.press("ctrl+c")
	m.gone("› Orders")
	// Before the first request is the session's name, which only the filter all shows.
	m.press("ctrl+t")
	m.see("type to search")
	m.press("alt+a")
	m.see("› • [name: Two coupons, wrong total]")
	m.press("enter")
	m.see("Already at this point")
}

// Leaving a branch asks for a summary; with a model in three ways, without one in two. Esc goes back to
// the tree.
func TestLeavingABranchAsksForASummary(t *testing.T) {
	m := open(t, tour, withModel(t, setup{}, modeltest.Turn{Text: []string{"All about cents."}}))
	m.see("local/small")
	m.press("ctrl+t")
	m.see("type to search")
	m.press("home")
	m.golden("leaving-tree")
	m.press("enter")
	m.see("No summary", "Summarize with instructions")
	m.golden("leaving-choice")
	m.press("esc")
	m.golden("leaving-tree")
	m.press("enter")
	m.see("Summarize with instructions")
	m.press("down", "down", "enter")
	m.see("What should the summary say?")
	m.typed("only the cents")
	m.see("only the cents")
	m.press("enter")
	m.see("All about cents.", "› Orders with two coupons")
	if !strings.Contains(m.read(), "All about cents.") {
		t.Error("the summary is not in the log")
	}
}

func TestAlwaysSummarizing(t *testing.T) {
	m := open(t, tour, withModel(t, setup{settings: func(s *config.Settings) { s.BranchSummary = "always" }}, modeltest.Turn{Text: []string{"Without a question."}}))
	m.see("local/small")
	m.press("ctrl+t")
	m.see("type to search")
	m.typed("diagnosis")
	m.see("1/1")
	m.press("enter")
	m.see("Without a question.")
}

func TestWithoutAModelExtractIsOffered(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("$0.14")
	m.press("ctrl+t")
	m.see("type to search")
	m.typed("diagnosis")
	m.see("1/1")
	m.press("enter")
	m.see("No summary", "Extract")
	m.press("down", "enter")
	m.see("summary of a branch that was left")
}

// A tool that must be asked for runs only when the user says so.
func TestAToolIsAskedFor(t *testing.T) {
	dir := t.TempDir()
	w, err := tool.Open(dir, tool.Options{Write: tool.Ask})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	call := func(id, name string) modeltest.Turn {
		return modeltest.Turn{Calls: []modeltest.Call{{ID: id, Name: "write", Arguments: `{"path":"` + name + `","content":"x"}`}}}
	}
	m := open(t, tour, withModel(t, setup{agent: func(o *agent.Options) { o.Tools = w.Tools() }},
		call("c1", "refused"), modeltest.Turn{Text: []string{"Not then."}}, call("c2", "granted"), modeltest.Turn{Text: []string{"There."}}))
	m.see("local/small")
	m.command("write it")
	m.see("The model wants to run write", "refused")
	m.golden("approval")
	m.press("esc")
	m.see("Not then.")
	m.command("now really")
	m.see("The model wants to run write", "granted")
	m.typed("y")
	m.see("There.")
	if _, err := os.Stat(filepath.Join(dir, "refused")); err == nil {
		t.Error("the refused call has run")
	}
	if _, err := os.Stat(filepath.Join(dir, "granted")); err != nil {
		t.Error(err)
	}
}

// Extensions ask through the app, and their commands are commands of the app.
func TestAnExtensionAsksThroughTheApp(t *testing.T) {
	got := make(chan string, 1)
	quiz := extension.New("quiz", func(api *extension.API) {
		api.Command(extension.CommandInfo{Name: "quiz", Description: "asks three things"}, func(ctx context.Context, s *extension.CommandSession, args string) error {
			i, _, err := s.UI().Select(ctx, "Which colour?", []string{"red", "green"})
			if err != nil {
				return err
			}
			yes, err := s.UI().Confirm(ctx, "Sure?", "Colours matter.")
			if err != nil {
				return err
			}
			name, _, err := s.UI().Input(ctx, "Your name?", "a name")
			if err != nil {
				return err
			}
			s.UI().Notify(ctx, extension.Info, "Thank you, "+name)
			if i == 1 && yes {
				got <- name + " " + args
			}
			return nil
		})
	})
	m := open(t, tour, setup{agent: func(o *agent.Options) { o.Extensions = []extension.Extension{quiz} }})
	m.see("$0.14")
	m.until("the extension's start", func() bool { return len(m.app.agent.Commands()) == 1 })
	m.command("/quiz now")
	m.see("Which colour?")
	m.press("down", "enter")
	m.see("Sure?", "Colours matter.")
	m.typed("y")
	m.see("Your name?")
	m.typed("Ana")
	m.see("Ana")
	m.press("enter")
	m.see("Thank you, Ana")
	if answer := <-got; answer != "Ana now" {
		t.Errorf("it was told %q", answer)
	}
}

// What another window writes appears, with a note and a key when our branch grew there.
func TestTheBranchGrewElsewhere(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("$0.14")
	other, err := session.Open(t.Context(), m.path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Append(t.Context(), session.Message{Message: message.User("from the other window")}); err != nil {
		t.Fatal(err)
	}
	m.see("grew elsewhere: 1 new, Alt+G goes there")
	m.press("alt+g")
	// The newest is a request: one stands before it, with its text to be sent again.
	m.see("› from the other window")
	m.gone("grew elsewhere")
}

func TestTheKeysOfTheConversation(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("$0.14")
	m.golden("conversation")
	m.press("pgup")
	m.golden("page-up")
	m.press("ctrl+up")
	m.golden("line-up")
	m.press("ctrl+down")
	m.golden("page-up")
	m.press("pgdown")
	m.golden("conversation")
	m.press("alt+up")
	m.golden("previous-request")
	m.press("alt+down")
	m.golden("conversation")
	m.press("alt+n") // the branch beside the last branch point
	m.see("branch 1 of 2", "Could the receipt list")
	m.golden("next-branch")
	m.press("alt+p")
	m.see("Committed as")
	m.press("shift+tab")
	m.see("Thinking is")
}

func TestTheKeysOfTheEditor(t *testing.T) {
	m := open(t, tour, setup{})
	m.see("$0.14")
	m.press("up")
	m.see("› Good. Changelog, then commit.")
	m.press("up")
	m.see("› What about cents?")
	m.press("down", "down")
	m.gone("› Good")
	m.typed("two")
	m.press("ctrl+j")
	m.typed("lines")
	m.see("› two")
	m.golden("editor-lines")
	m.press("ctrl+c")
	m.gone("› two")
	m.typed("/th")
	m.see("choose how much the model thinks")
	m.golden("editor-commands")
	m.press("tab")
	m.see("› /thinking")
	m.press("ctrl+c")
	m.write("\x1b[200~" + strings.Repeat("pasted\n", 30) + "\x1b[201~")
	m.see("[paste 1: 31 lines]")
	m.press("ctrl+c")
	m.gone("[paste 1")
	m.press("ctrl+c")
	m.see("Ctrl+C again quits")
	m.press("ctrl+c")
	m.done()
}

func TestKeysCanBeRebound(t *testing.T) {
	m := open(t, tour, setup{settings: func(s *config.Settings) { s.Keys = map[string][]string{"tree": {"ctrl+y"}} }})
	m.see("$0.14")
	m.press("ctrl+y")
	m.see("type to search")
}

func TestTheCommands(t *testing.T) {
	m := open(t, tour, setup{settings: func(s *config.Settings) { s.DoubleEscape = "branch" }})
	m.see("$0.14")
	m.command("/name Cents and coupons")
	m.see("The session is called Cents and coupons")
	m.command("/label settled")
	m.see("[settled]")
	m.command("/label")
	m.gone("[settled]")
	m.command("/export out.md")
	m.see("Exported to out.md")
	if raw, err := os.ReadFile(filepath.Join(m.home, "out.md")); err != nil || !strings.Contains(string(raw), "Committed as 3f0c2d1") {
		t.Errorf("the export is %q, %v", raw, err)
	}
	m.command("/export out.md")
	m.see("exists already")
	m.command("/thinking high")
	m.see("Thinking is high")
	m.command("/model")
	m.see("Which model?")
	m.press("esc")
	m.gone("Which model?")
	m.command("/session")
	m.see("all branches", "Cents and coupons")
	m.press("esc")
	m.gone("all branches")
	m.command("/branch")
	m.see("from which request?")
	m.typed("cents? 10.10")
	m.see("1/1")
	m.press("enter")
	m.see("A new session", "› What about cents?")
	m.press("ctrl+c")
	m.gone("What about cents?")
	m.command("/fork")
	m.see("A copy of the whole tree")
	m.command("/new")
	m.see("a conversation that is a tree")
	m.command("/nonsense")
	m.see("there is no command /nonsense")
	m.press("ctrl+c")
	m.gone("nonsense")
	m.command("/quit")
	m.done()
}

// What the log holds can neither reach the terminal nor break the layout.
func TestHostileTextIsHarmless(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "session.jsonl")
	s, err := session.Create(path, session.NewHeader("/srv/demo"))
	if err != nil {
		t.Fatal(err)
	}
	evil := "red\x1b[31m \x1b]0;title\x07 \u202eback\u202c\ttab \u009b2J 宽字符 👩‍👩‍👧 שלום " + strings.Repeat("long", 60)
	for _, text := range []string{evil, "the end"} {
		if _, err := s.Append(t.Context(), session.Message{Message: message.User(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	m := openPath(t, home, path, setup{width: 60, height: 20})
	m.see("the end", "long")
	m.golden("hostile")
	m.press("ctrl+t")
	m.see("type to search")
	m.golden("hostile-tree")
}
