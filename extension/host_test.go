package extension_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/agent/tool"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

func TestMain(m *testing.M) {
	if misbehave() {
		return
	}
	dir, err := os.MkdirTemp("", "ramo-extension")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_STATE_HOME", dir)
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// live is an agent with extensions, on a session file with a question, an answer, and so on.
type live struct {
	*agent.Agent
	t       *testing.T
	path    string
	entries []session.Entry // user, assistant, user, assistant

	mu     sync.Mutex
	events []agent.Event
	heard  chan struct{} // after each event
}

func newLive(t *testing.T, script []modeltest.Turn, o agent.Options, list ...extension.Extension) *live {
	t.Helper()
	l := &live{t: t, path: filepath.Join(t.TempDir(), "session.jsonl"), heard: make(chan struct{}, 1)}
	if script != nil {
		server := modeltest.NewServer(t, modeltest.OpenAI, script...)
		o.Models = model.NewRegistry(map[string]model.Settings{"test": {
			BaseURL: server.BaseURL(modeltest.OpenAI), Models: []model.Info{{ID: "m", ContextWindow: 100_000}},
		}})
		o.Model = "test/m"
	}
	o.Extensions = list
	s, err := session.Create(l.path, session.NewHeader(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"one", "two", "three", "four"} {
		role := []string{"user", "assistant"}[i%2]
		e, err := s.Append(t.Context(), session.Message{Message: message.Message{Role: role, Content: []message.Block{message.Text(text)}}})
		if err != nil {
			t.Fatal(err)
		}
		l.entries = append(l.entries, e)
	}
	if l.Agent, err = agent.New(s, o); err != nil {
		t.Fatal(err)
	}
	l.Listen(func(e agent.Event) {
		l.mu.Lock()
		l.events = append(l.events, e)
		l.mu.Unlock()
		select {
		case l.heard <- struct{}{}:
		default:
		}
	})
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// of are the events of a type.
func (l *live) of(typ agent.EventType) (list []agent.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.Type == typ {
			list = append(list, e)
		}
	}
	return list
}

// await waits for an event of a type whose text has the words.
func (l *live) await(typ agent.EventType, words string) agent.Event {
	l.t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		for _, e := range l.of(typ) {
			if strings.Contains(e.Text, words) {
				return e
			}
		}
		select {
		case <-l.heard:
		case <-deadline:
			l.t.Fatalf("no %s with %q; troubles: %v", typ, words, l.troubles())
		}
	}
}

func (l *live) troubles() (list []string) {
	for _, e := range l.of(agent.ExtensionTrouble) {
		list = append(list, e.Text)
	}
	return list
}

func (l *live) noTrouble() {
	l.t.Helper()
	if list := l.troubles(); len(list) > 0 {
		l.t.Errorf("trouble: %q", list)
	}
}

// oneTrouble checks that there was one, of this extension, whose text has all the words.
func (l *live) oneTrouble(name string, words ...string) {
	l.t.Helper()
	list := l.of(agent.ExtensionTrouble)
	if len(list) != 1 || list[0].Extension != name {
		l.t.Fatalf("troubles: %q", l.troubles())
	}
	for _, w := range words {
		if !strings.Contains(list[0].Text, w) {
			l.t.Errorf("%q says nothing of %q", list[0].Text, w)
		}
	}
}

// move goes to the first answer.
func (l *live) move(o agent.NavigateOptions) agent.Navigation {
	l.t.Helper()
	n, err := l.NavigateTree(l.t.Context(), l.entries[1].ID(), o)
	if err != nil {
		l.t.Fatal(err)
	}
	return n
}

func (l *live) leaf() string {
	e, _ := l.Session().Leaf()
	return e.ID()
}

// diary is what happened, in order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) add(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.lines, "\n")
}

type treeHandler = func(context.Context, *extension.Session, extension.SessionBeforeTree) (extension.TreeAnswer, error)

// onBeforeTree is an extension with one handler.
func onBeforeTree(name string, f treeHandler) extension.Extension {
	return extension.New(name, func(api *extension.API) { api.OnSessionBeforeTree(f) })
}

func TestHandlersRunInRegistrationOrder(t *testing.T) {
	var d diary
	note := func(line string) treeHandler {
		return func(context.Context, *extension.Session, extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			d.add("%s", line)
			return extension.TreeAnswer{}, nil
		}
	}
	l := newLive(t, nil, agent.Options{},
		extension.New("a", func(api *extension.API) {
			api.OnSessionBeforeTree(note("a1"))
			api.OnSessionBeforeTree(note("a2"))
		}), onBeforeTree("b", note("b")))
	l.move(agent.NavigateOptions{})
	if d.String() != "a1\na2\nb" {
		t.Errorf("%s", d.String())
	}
	l.noTrouble()
}

func TestTheFirstCancelWins(t *testing.T) {
	asked := false
	cancel := func(reason string) treeHandler {
		return func(context.Context, *extension.Session, extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			return extension.TreeAnswer{Decision: extension.Decision{Cancel: true, Reason: reason}}, nil
		}
	}
	l := newLive(t, nil, agent.Options{},
		onBeforeTree("willing", func(context.Context, *extension.Session, extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			return extension.TreeAnswer{}, nil
		}),
		onBeforeTree("first", cancel("first")),
		onBeforeTree("second", func(context.Context, *extension.Session, extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			asked = true
			return extension.TreeAnswer{}, nil
		}))
	before := l.leaf()
	n := l.move(agent.NavigateOptions{})
	if !n.Cancelled || n.Reason != "first" || asked || l.leaf() != before {
		t.Errorf("%+v, asked on: %v, leaf %s", n, asked, l.leaf())
	}
	l.noTrouble()
}

func TestAHandlerThatFailsIsReportedAndSkipped(t *testing.T) {
	for name, c := range map[string]struct {
		handler treeHandler
		words   []string
	}{
		"an error": {func(context.Context, *extension.Session, extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			return extension.TreeAnswer{Decision: extension.Decision{Cancel: true}}, errors.New("out of cheese")
		}, []string{"session_before_tree", "out of cheese"}},
		"a panic": {func(context.Context, *extension.Session, extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			panic("eek")
		}, []string{"session_before_tree", "panic: eek", "host_test.go:"}},
	} {
		t.Run(name, func(t *testing.T) {
			after := false
			l := newLive(t, nil, agent.Options{}, onBeforeTree("bad", c.handler),
				onBeforeTree("good", func(context.Context, *extension.Session, extension.SessionBeforeTree) (extension.TreeAnswer, error) {
					after = true
					return extension.TreeAnswer{}, nil
				}))
			if n := l.move(agent.NavigateOptions{}); n.Cancelled || n.NewLeaf != l.entries[1].ID() || !after {
				t.Errorf("%+v, the next was asked: %v", n, after)
			}
			l.oneTrouble("bad", c.words...)
		})
	}
}

func TestAHandlerThatIsSlowerThanItsTimeoutIsReportedAndSkipped(t *testing.T) {
	release := make(chan struct{})
	var calls atomic.Int32
	back := make(chan error, 1)
	l := newLive(t, nil, agent.Options{}, extension.New("slow", func(api *extension.API) {
		api.Timeout = time.Millisecond
		api.OnSessionBeforeTree(func(ctx context.Context, s *extension.Session, _ extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			calls.Add(1)
			<-release // whatever ctx says
			_, err := s.AppendEntry(context.Background(), "late", nil)
			back <- err
			return extension.TreeAnswer{Decision: extension.Decision{Cancel: true}}, nil
		})
	}))
	if n := l.move(agent.NavigateOptions{}); n.Cancelled || n.NewLeaf != l.entries[1].ID() {
		t.Errorf("%+v", n)
	}
	if _, err := l.NavigateTree(t.Context(), l.entries[3].ID(), agent.NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	close(release)
	if err := <-back; err == nil {
		t.Error("a handler that was given up can still write")
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("it was called %d times, though it had not come back", n)
	}
	if l.Session().Len() != 4 {
		t.Errorf("%d entries", l.Session().Len())
	}
	l.oneTrouble("slow", "session_before_tree", "1ms")
}

func TestTheSignalReachesHandlersOnEsc(t *testing.T) {
	entered, saw := make(chan struct{}), make(chan struct{})
	l := newLive(t, nil, agent.Options{}, onBeforeTree("patient", func(ctx context.Context, _ *extension.Session, _ extension.SessionBeforeTree) (extension.TreeAnswer, error) {
		close(entered)
		<-ctx.Done()
		close(saw)
		return extension.TreeAnswer{}, ctx.Err()
	}))
	before := l.leaf()
	go func() {
		<-entered
		l.Abort()
	}()
	n := l.move(agent.NavigateOptions{})
	<-saw
	if !n.Cancelled || l.leaf() != before {
		t.Errorf("%+v", n)
	}
	l.noTrouble()
}

func TestWaitingForTheUserIsNotBeingSlow(t *testing.T) {
	ui := &user{answer: func() { time.Sleep(60 * time.Millisecond) }, yes: true}
	l := newLive(t, nil, agent.Options{UI: ui}, extension.New("asks", func(api *extension.API) {
		api.Timeout = 20 * time.Millisecond
		api.OnSessionBeforeTree(func(ctx context.Context, s *extension.Session, _ extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			yes, err := s.UI().Confirm(ctx, "Leave?", "there are changes")
			return extension.TreeAnswer{Decision: extension.Decision{Cancel: yes, Reason: "the user said so"}}, err
		})
	}))
	if n := l.move(agent.NavigateOptions{}); !n.Cancelled || n.Reason != "the user said so" {
		t.Errorf("%+v", n)
	}
	if got := ui.asked(); got != "confirm asks: Leave?" {
		t.Errorf("%s", got)
	}
	l.noTrouble()
}

// user is a user who answers everything alike.
type user struct {
	diary
	answer func() // before each answer
	yes    bool
	index  int
	text   string
}

func (u *user) asked() string { return u.String() }

func (u *user) wait() {
	if u.answer != nil {
		u.answer()
	}
}

func (u *user) Notify(_ context.Context, level extension.Level, text string) {
	u.add("%s %s", level, text)
}

func (u *user) Select(_ context.Context, title string, options []string) (int, bool, error) {
	u.add("select %s %v", title, options)
	u.wait()
	return u.index, true, nil
}

func (u *user) Confirm(_ context.Context, title, text string) (bool, error) {
	u.add("confirm %s", title)
	u.wait()
	return u.yes, nil
}

func (u *user) Input(_ context.Context, title, placeholder string) (string, bool, error) {
	u.add("input %s", title)
	u.wait()
	return u.text, true, nil
}

// everything notes every event with its fields.
func everything(d *diary) extension.Extension {
	return extension.New("all", func(api *extension.API) {
		id := func(e session.Entry) string { return e.Type() }
		api.OnSessionStart(func(_ context.Context, s *extension.Session, _ extension.SessionStart) error {
			d.add("session_start %d entries", s.Read().Len())
			return nil
		})
		api.OnSessionBeforeSwitch(func(_ context.Context, _ *extension.Session, e extension.SessionBeforeSwitch) (extension.Decision, error) {
			d.add("session_before_switch reason=%s target=%s", e.Reason, filepath.Base(e.Target))
			return extension.Decision{}, nil
		})
		api.OnSessionSwitch(func(_ context.Context, _ *extension.Session, e extension.SessionSwitch) error {
			d.add("session_switch reason=%s previous=%v", e.Reason, e.Previous != "")
			return nil
		})
		api.OnSessionBeforeTree(func(_ context.Context, _ *extension.Session, e extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			var ids []string
			for _, x := range e.Entries {
				ids = append(ids, x.ID())
			}
			d.add("session_before_tree target=%s old=%s common=%s entries=%v wants=%v", e.TargetID, e.OldLeafID, e.CommonAncestorID, ids, e.UserWantsSummary)
			return extension.TreeAnswer{}, nil
		})
		api.OnSessionTree(func(_ context.Context, _ *extension.Session, e extension.SessionTree) error {
			d.add("session_tree new=%s old=%s summary=%s extension=%v", e.NewLeafID, e.OldLeafID, id(e.SummaryEntry), e.FromExtension)
			return nil
		})
		api.OnSessionBeforeBranch(func(_ context.Context, _ *extension.Session, e extension.SessionBeforeBranch) (extension.BranchAnswer, error) {
			d.add("session_before_branch entry=%s", e.EntryID)
			return extension.BranchAnswer{SkipRestore: true}, nil
		})
		api.OnSessionBranch(func(_ context.Context, _ *extension.Session, e extension.SessionBranch) error {
			d.add("session_branch previous=%s", filepath.Base(e.Previous))
			return nil
		})
		api.OnSessionBeforeCompact(func(_ context.Context, _ *extension.Session, e extension.SessionBeforeCompact) (extension.CompactAnswer, error) {
			d.add("session_before_compact messages=%d prefix=%d previous=%q kept=%v instructions=%q", len(e.Messages), len(e.TurnPrefix), e.PreviousSummary, e.FirstKeptEntryID, e.Instructions)
			return extension.CompactAnswer{}, nil
		})
		api.OnSessionCompacting(func(_ context.Context, _ *extension.Session, e extension.SessionCompacting) (extension.CompactingAnswer, error) {
			d.add("session.compacting messages=%d", len(e.Messages))
			return extension.CompactingAnswer{PreserveData: json.RawMessage(`{"seen":true}`)}, nil
		})
		api.OnSessionCompact(func(_ context.Context, _ *extension.Session, e extension.SessionCompact) error {
			d.add("session_compact entry=%s extension=%v", id(e.Entry), e.FromExtension)
			return nil
		})
		api.OnSessionShutdown(func(context.Context, *extension.Session, extension.SessionShutdown) error {
			d.add("session_shutdown")
			return nil
		})
	})
}

// keepLittle makes the four entries of newLive enough for a compaction: the last turn stays.
var keepLittle = &summary.Settings{Enabled: true, ReserveTokens: 1000, KeepRecentTokens: 3}

// walk goes through everything that events tell of, and returns what they should be.
func (l *live) walk() string {
	l.t.Helper()
	ids := make([]any, len(l.entries))
	for i, e := range l.entries {
		ids[i] = e.ID()
	}
	must := func(err error) {
		if err != nil {
			l.t.Helper()
			l.t.Fatal(err)
		}
	}
	ctx := l.t.Context()
	_, err := l.Compact(ctx, "be brief")
	must(err)
	compaction := l.leaf()
	_, err = l.NavigateTree(ctx, l.entries[1].ID(), agent.NavigateOptions{Summarize: true, SummaryModel: model.ExtractName})
	must(err)
	leaf := l.leaf()
	_, err = l.Branch(ctx, l.entries[2].ID())
	must(err)
	must(l.NewSession(ctx))
	must(l.Switch(ctx, l.path))
	_, err = l.Fork(ctx)
	must(err)
	must(l.Close())
	return fmt.Sprintf(`session_start 4 entries
session_before_compact messages=2 prefix=0 previous="" kept=%[3]s instructions="be brief"
session.compacting messages=2
session_compact entry=compaction extension=false
session_before_tree target=%[2]s old=%[5]s common=%[2]s entries=[%[3]s %[4]s %[5]s] wants=true
session_tree new=%[6]s old=%[5]s summary=branch_summary extension=false
session_before_branch entry=%[3]s
session_branch previous=session.jsonl
session_before_switch reason=new target=.
session_switch reason=new previous=true
session_before_switch reason=resume target=session.jsonl
session_switch reason=resume previous=true
session_before_switch reason=fork target=.
session_switch reason=fork previous=true
session_shutdown`, append(ids, compaction, leaf)...)
}

func TestEveryEventComesWithItsFields(t *testing.T) {
	var d diary
	l := newLive(t, nil, agent.Options{SummaryModel: model.ExtractName, Compaction: keepLittle}, everything(&d))
	want := l.walk()
	if got := d.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	l.noTrouble()
	s, err := session.Open(t.Context(), l.path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	body, err := s.At(4).Body()
	if c, ok := body.(session.Compaction); err != nil || !ok || string(c.PreserveData) != `{"seen":true}` {
		t.Errorf("the compaction is %+v, %v", body, err)
	}
}

func TestASuppliedSummaryIsUsedIfOneWasAskedFor(t *testing.T) {
	supply := func(text string) extension.Extension {
		return onBeforeTree(text, func(context.Context, *extension.Session, extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			return extension.TreeAnswer{Summary: &extension.Summary{Summary: text, Details: json.RawMessage(`{"by":1}`)}}, nil
		})
	}
	l := newLive(t, nil, agent.Options{SummaryModel: model.ExtractName}, supply("mine"), supply("too late"))
	n := l.move(agent.NavigateOptions{Summarize: true})
	body, err := n.SummaryEntry.Body()
	if err != nil {
		t.Fatal(err)
	}
	if b := body.(session.BranchSummary); b.Summary != "mine" || string(b.Details) != `{"by":1}` || !b.FromExtension || !n.FromExtension {
		t.Errorf("%+v", b)
	}
	if n, err := l.NavigateTree(t.Context(), l.entries[3].ID(), agent.NavigateOptions{}); err != nil || !n.SummaryEntry.IsZero() {
		t.Errorf("%+v %v", n, err)
	}
	l.noTrouble()
}

func TestEachOperationCanBeCancelled(t *testing.T) {
	no := extension.Decision{Cancel: true, Reason: "not now"}
	l := newLive(t, nil, agent.Options{SummaryModel: model.ExtractName, Compaction: keepLittle}, extension.New("no", func(api *extension.API) {
		api.OnSessionBeforeSwitch(func(context.Context, *extension.Session, extension.SessionBeforeSwitch) (extension.Decision, error) {
			return no, nil
		})
		api.OnSessionBeforeBranch(func(context.Context, *extension.Session, extension.SessionBeforeBranch) (extension.BranchAnswer, error) {
			return extension.BranchAnswer{Decision: no}, nil
		})
		api.OnSessionBeforeCompact(func(context.Context, *extension.Session, extension.SessionBeforeCompact) (extension.CompactAnswer, error) {
			return extension.CompactAnswer{Decision: no}, nil
		})
	}))
	ctx := t.Context()
	_, fork := l.Fork(ctx)
	_, compact := l.Compact(ctx, "")
	for name, err := range map[string]error{"fork": fork, "new": l.NewSession(ctx), "switch": l.Switch(ctx, l.path), "compact": compact} {
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "not now") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b, err := l.Branch(ctx, l.entries[2].ID()); err != nil || !b.Cancelled || b.Reason != "not now" {
		t.Errorf("%+v %v", b, err)
	}
	if l.Session().Path() != l.path || l.Session().Len() != 4 {
		t.Error("something happened")
	}
	l.noTrouble()
}

func TestASuppliedCompactionIsUsedOnlyIfItLosesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		kept    func(l *live) string
		text    string
		trouble string
	}{
		"the proposed cut":            {func(*live) string { return "" }, "S", ""},
		"another cut":                 {func(l *live) string { return l.entries[1].ID() }, "S", ""},
		"an id that is not there":     {func(*live) string { return "ffffffff" }, "S", "not on the path"},
		"a label":                     {func(l *live) string { return l.leaf() }, "S", "is a label"},
		"a summary that says nothing": {func(*live) string { return "" }, "", "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			var l *live
			l = newLive(t, nil, agent.Options{SummaryModel: model.ExtractName, Compaction: keepLittle}, extension.New("c", func(api *extension.API) {
				api.OnSessionBeforeCompact(func(context.Context, *extension.Session, extension.SessionBeforeCompact) (extension.CompactAnswer, error) {
					return extension.CompactAnswer{Result: &extension.Compaction{Summary: c.text, FirstKeptEntryID: c.kept(l)}}, nil
				})
			}))
			if _, err := l.Session().SetLabel(t.Context(), l.entries[0].ID(), "start"); err != nil {
				t.Fatal(err)
			}
			e, err := l.Compact(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			body, err := e.Body()
			if err != nil {
				t.Fatal(err)
			}
			b := body.(session.Compaction)
			if c.trouble != "" {
				l.oneTrouble("c", c.trouble)
				if b.FromExtension || b.FirstKeptEntryID != l.entries[2].ID() {
					t.Errorf("%+v", b)
				}
				return
			}
			l.noTrouble()
			want := c.kept(l)
			if want == "" {
				want = l.entries[2].ID()
			}
			if !b.FromExtension || b.Summary != "S" || b.FirstKeptEntryID != want || b.TokensBefore == 0 {
				t.Errorf("%+v, want from %s", b, want)
			}
		})
	}
}

func TestWhatACompactionShouldHeedReachesTheModel(t *testing.T) {
	heed := func(context_, prompt, data string) extension.Extension {
		return extension.New(context_, func(api *extension.API) {
			api.OnSessionCompacting(func(context.Context, *extension.Session, extension.SessionCompacting) (extension.CompactingAnswer, error) {
				return extension.CompactingAnswer{Context: []string{context_}, Prompt: prompt, PreserveData: json.RawMessage(data)}, nil
			})
		})
	}
	server := modeltest.NewServer(t, modeltest.OpenAI, modeltest.Turn{Text: []string{"S"}}, modeltest.Turn{Text: []string{"short"}})
	o := agent.Options{Compaction: keepLittle, Model: "test/m", Models: model.NewRegistry(map[string]model.Settings{"test": {
		BaseURL: server.BaseURL(modeltest.OpenAI), Models: []model.Info{{ID: "m", ContextWindow: 100_000}},
	}})}
	l := newLive(t, nil, o, heed("the moon is full", "Write a haiku.", `{"a":1}`), heed("the tide is low", "Write an ode.", `{"a":2,"b":3}`), heed("x", "", `[]`))
	e, err := l.Compact(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	sent := server.Requests()[0].Raw
	for _, words := range []string{"the moon is full", "the tide is low", "Write a haiku."} {
		if !strings.Contains(sent, words) {
			t.Errorf("the model was not told %q", words)
		}
	}
	if strings.Contains(sent, "Write an ode") {
		t.Error("the second prompt was used")
	}
	body, _ := e.Body()
	if b := body.(session.Compaction); string(b.PreserveData) != `{"a":1,"b":3}` {
		t.Errorf("%s", b.PreserveData)
	}
	l.oneTrouble("x", "no JSON object")
}

func TestACommandMovesAndBranchesAndAppends(t *testing.T) {
	ui := &user{index: 1, yes: true, text: "typed"}
	var l *live
	l = newLive(t, nil, agent.Options{UI: ui}, extension.New("tour", func(api *extension.API) {
		api.Command(extension.CommandInfo{Name: "tour", Description: "Go around"}, func(ctx context.Context, s *extension.CommandSession, args string) error {
			if args != "a b" {
				return fmt.Errorf("args are %q", args)
			}
			if _, err := s.AppendEntry(ctx, "tour", json.RawMessage(`{"n":1}`)); err != nil {
				return err
			}
			if _, err := s.AppendMessage(ctx, session.CustomMessage{CustomType: "tour", Content: json.RawMessage(`"hello"`), Display: true}); err != nil {
				return err
			}
			i, ok, err := s.UI().Select(ctx, "Which?", []string{"this", "that"})
			if err != nil || !ok || i != 1 {
				return fmt.Errorf("select: %d %v %v", i, ok, err)
			}
			if text, ok, err := s.UI().Input(ctx, "What?", ""); err != nil || !ok || text != "typed" {
				return fmt.Errorf("input: %q %v %v", text, ok, err)
			}
			if n, err := s.NavigateTree(ctx, l.entries[1].ID(), extension.NavigateOptions{}); err != nil || n.NewLeaf != l.entries[1].ID() {
				return fmt.Errorf("navigate: %+v %v", n, err)
			}
			if b, err := s.Branch(ctx, l.entries[2].ID()); err != nil || b.EditorText != "three" {
				return fmt.Errorf("branch: %+v %v", b, err)
			}
			s.UI().Notify(ctx, extension.Warning, fmt.Sprintf("%d entries", s.Read().Len()))
			return nil
		})
	}))
	if err := l.WaitExtensions(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := l.Commands(); !slices.Equal(got, []extension.CommandInfo{{Name: "tour", Description: "Go around"}}) {
		t.Errorf("%v", got)
	}
	if err := l.RunCommand(t.Context(), "tour", "a b"); err != nil {
		t.Fatal(err)
	}
	if want := "select tour: Which? [this that]\ninput tour: What?\nwarning tour: 2 entries"; ui.asked() != want {
		t.Errorf("%s", ui.asked())
	}
	if len(l.of(agent.Appended)) != 2 || l.Session().Path() == l.path {
		t.Errorf("%d appended, at %s", len(l.of(agent.Appended)), l.Session().Path())
	}
	if err := l.RunCommand(t.Context(), "none", ""); !errors.Is(err, extension.ErrNoCommand) {
		t.Errorf("%v", err)
	}
	l.noTrouble()
}

func TestEscEndsACommandThatHangs(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	l := newLive(t, nil, agent.Options{}, extension.New("c", func(api *extension.API) {
		api.Command(extension.CommandInfo{Name: "hang"}, func(context.Context, *extension.CommandSession, string) error {
			close(entered)
			<-release
			return nil
		})
	}))
	go func() {
		<-entered
		l.Abort()
	}()
	if err := l.RunCommand(t.Context(), "hang", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	l.move(agent.NavigateOptions{})
}

func TestNothingIsAppendedWhileExtensionsAreAskedWhatComesNext(t *testing.T) {
	var before, after error
	l := newLive(t, nil, agent.Options{}, extension.New("e", func(api *extension.API) {
		api.OnSessionBeforeTree(func(ctx context.Context, s *extension.Session, _ extension.SessionBeforeTree) (extension.TreeAnswer, error) {
			_, before = s.AppendEntry(ctx, "x", nil)
			return extension.TreeAnswer{}, nil
		})
		api.OnSessionTree(func(ctx context.Context, s *extension.Session, _ extension.SessionTree) error {
			_, after = s.AppendEntry(ctx, "x", nil)
			return nil
		})
	}))
	l.move(agent.NavigateOptions{})
	if before == nil || after != nil || l.Session().Len() != 5 {
		t.Errorf("before: %v, after: %v, %d entries", before, after, l.Session().Len())
	}
}

func TestWithoutAUserInterfaceNoticesAreEventsAndQuestionsFailAtOnce(t *testing.T) {
	var errs []error
	l := newLive(t, nil, agent.Options{}, extension.New("lonely", func(api *extension.API) {
		api.OnSessionTree(func(ctx context.Context, s *extension.Session, _ extension.SessionTree) error {
			s.UI().Notify(ctx, extension.Warning, "hello")
			_, _, err1 := s.UI().Select(ctx, "?", []string{"a"})
			_, err2 := s.UI().Confirm(ctx, "?", "")
			_, _, err3 := s.UI().Input(ctx, "?", "")
			errs = []error{err1, err2, err3}
			return nil
		})
	}))
	l.move(agent.NavigateOptions{})
	for _, err := range errs {
		if !errors.Is(err, extension.ErrNobody) {
			t.Errorf("%v", err)
		}
	}
	if n := l.await(agent.Notice, "lonely: hello"); n.Level != extension.Warning {
		t.Errorf("%+v", n)
	}
}

func TestTheModelCallsAnExtensionsTool(t *testing.T) {
	l := newLive(t, []modeltest.Turn{
		{Calls: []modeltest.Call{{ID: "c1", Name: "dice", Arguments: `{"sides":6}`}, {ID: "c2", Name: "trap", Arguments: `{}`}}},
		{Text: []string{"done"}},
	}, agent.Options{}, extension.New("games", func(api *extension.API) {
		api.Tool(tool.Tool{
			Name: "dice", Description: "Throw", Parameters: json.RawMessage(`{"type":"object","properties":{"sides":{"type":"integer"}}}`),
			Run: func(_ context.Context, args json.RawMessage) (tool.Result, error) {
				return tool.Text("4 of " + string(args)), nil
			},
		})
		api.Tool(tool.Tool{Name: "trap", Parameters: json.RawMessage(`{"type":"object"}`), Run: func(context.Context, json.RawMessage) (tool.Result, error) { panic("ouch") }})
		api.Tool(tool.Tool{Name: "dice", Parameters: json.RawMessage(`{"type":"object"}`), Run: func(context.Context, json.RawMessage) (tool.Result, error) { return tool.Result{}, nil }})
	}))
	if _, err := l.Prompt(t.Context(), "throw"); err != nil {
		t.Fatal(err)
	}
	results := l.of(agent.ToolEnd)
	first, _ := results[0].Entry.Message()
	second, _ := results[1].Entry.Message()
	if first.Text() != `4 of {"sides":6}` || first.IsError || !second.IsError || !strings.Contains(second.Text(), "ouch") {
		t.Errorf("%q %q", first.Text(), second.Text())
	}
	l.oneTrouble("games", "dice", "left out")
}

func TestWhatCannotStartIsLeftOut(t *testing.T) {
	l := newLive(t, nil, agent.Options{},
		extension.New("broken", func(*extension.API) { panic("no config") }),
		extension.New("fine", func(api *extension.API) {
			api.Command(extension.CommandInfo{Name: "ok"}, func(context.Context, *extension.CommandSession, string) error { return nil })
		}))
	if err := l.RunCommand(t.Context(), "ok", ""); err != nil {
		t.Error(err)
	}
	l.oneTrouble("broken", "start", "no config", "left out")
}

func TestTheFirstListenerHearsWhatCameBefore(t *testing.T) {
	s := session.NewMemory(session.NewHeader(t.TempDir()))
	a, err := agent.New(s, agent.Options{Extensions: []extension.Extension{extension.New("broken", func(*extension.API) { panic("early") })}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.WaitExtensions(t.Context()); err != nil {
		t.Fatal(err)
	}
	var first, second []agent.EventType
	a.Listen(func(e agent.Event) { first = append(first, e.Type) })
	a.Listen(func(e agent.Event) { second = append(second, e.Type) })
	if !slices.Contains(first, agent.ExtensionTrouble) || slices.Contains(second, agent.ExtensionTrouble) {
		t.Errorf("%v %v", first, second)
	}
}

func TestAShutdownThatHangsHoldsNothingUpForLong(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	l := newLive(t, nil, agent.Options{}, extension.New("clingy", func(api *extension.API) {
		api.OnSessionShutdown(func(context.Context, *extension.Session, extension.SessionShutdown) error {
			<-release
			return nil
		})
	}))
	if err := l.WaitExtensions(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	l.oneTrouble("clingy", "session_shutdown")
}

func TestARegisteredExtensionTakesPartInEverySession(t *testing.T) {
	started := make(chan string, 100)
	extension.Register(func(api *extension.API) {
		api.OnSessionStart(func(_ context.Context, s *extension.Session, _ extension.SessionStart) error {
			select {
			case started <- s.Read().Path():
			default: // a session of another test
			}
			return nil
		})
	})
	for range 2 {
		l := newLive(t, nil, agent.Options{})
		if err := l.WaitExtensions(t.Context()); err != nil {
			t.Fatal(err)
		}
		if path := <-started; path != l.path {
			t.Errorf("%s", path)
		}
	}
}

func TestACompactionThatIsRefusedStopsNoPrompt(t *testing.T) {
	asked := false
	full := &summary.Settings{Enabled: true, ReserveTokens: 99_999, KeepRecentTokens: 3}
	l := newLive(t, []modeltest.Turn{{Text: []string{"yes"}}}, agent.Options{Compaction: full}, extension.New("no", func(api *extension.API) {
		api.OnSessionBeforeCompact(func(context.Context, *extension.Session, extension.SessionBeforeCompact) (extension.CompactAnswer, error) {
			asked = true
			return extension.CompactAnswer{Decision: extension.Decision{Cancel: true}}, nil
		})
	}))
	// Of a window of 100 000 tokens half may be reserve.
	if _, err := l.Session().Append(t.Context(), session.Message{Message: message.User(strings.Repeat("word ", 60_000))}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Prompt(t.Context(), "are you there?"); err != nil || !asked {
		t.Errorf("%v, asked: %v", err, asked)
	}
}
