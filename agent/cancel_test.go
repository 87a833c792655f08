package agent_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

// Whatever is cancelled, and at whichever step: the leaf and the file are as they were, and the
// session goes on.

// stepped is a session of four messages that tells of every step: "asked" (an extension is), "event
// TYPE", "request N" (from 0, has come to the model's server) and "sent N TEXT" (by it).
type stepped struct {
	*live
	other string // the path of another session

	mu      sync.Mutex
	step    string // a step begins with it
	then    func()
	reached bool
}

// at has then called when a step is reached for the first time.
func (s *stepped) at(step string, then func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step, s.then, s.reached = step, then, false
}

// reach tells whether this is the step that was waited for.
func (s *stepped) reach(format string, args ...any) bool {
	s.mu.Lock()
	here := s.then != nil && !s.reached && strings.HasPrefix(fmt.Sprintf(format, args...), s.step)
	s.reached = s.reached || here
	then := s.then
	s.mu.Unlock()
	if here {
		then()
	}
	return here
}

func (s *stepped) wasReached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reached
}

func newStepped(t *testing.T, script []modeltest.Turn, change func(*agent.Options)) *stepped {
	t.Helper()
	s := &stepped{}
	inner := modeltest.NewServer(t, modeltest.OpenAI, script...)
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := len(inner.Requests()) // one comes after the other
		s.reach("request %d", n)
		inner.Config.Handler.ServeHTTP(&told{w, func(part string) { s.reach("sent %d %s", n, part) }}, r)
	}))
	t.Cleanup(func() {
		outer.CloseClientConnections()
		outer.Close()
	})
	s.live = newLive(t, nil, func(o *agent.Options) {
		keeping(120)(o)
		o.Models = model.NewRegistry(map[string]model.Settings{"test": {BaseURL: outer.URL + "/v1", Models: []model.Info{{ID: "m", ContextWindow: 100_000}}}})
		o.Model = "test/m"
		o.Extensions = []extension.Extension{extension.New("steps", func(api *extension.API) {
			ask := func(ctx context.Context) {
				if s.reach("asked") {
					<-ctx.Done()
				}
			}
			api.OnSessionBeforeTree(func(ctx context.Context, _ *extension.Session, _ extension.SessionBeforeTree) (a extension.TreeAnswer, _ error) {
				ask(ctx)
				return a, nil
			})
			api.OnSessionBeforeBranch(func(ctx context.Context, _ *extension.Session, _ extension.SessionBeforeBranch) (a extension.BranchAnswer, _ error) {
				ask(ctx)
				return a, nil
			})
			api.OnSessionBeforeSwitch(func(ctx context.Context, _ *extension.Session, _ extension.SessionBeforeSwitch) (a extension.Decision, _ error) {
				ask(ctx)
				return a, nil
			})
			api.OnSessionBeforeCompact(func(ctx context.Context, _ *extension.Session, _ extension.SessionBeforeCompact) (a extension.CompactAnswer, _ error) {
				ask(ctx)
				return a, nil
			})
		})}
		if change != nil {
			change(o)
		}
	})
	s.server = inner
	s.Listen(func(e agent.Event) { s.reach("event %s", e.Type) })
	if err := s.WaitExtensions(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.say("user", words("ONE", 100))
	s.say("assistant", words("TWO", 100))
	s.say("user", words("THREE", 100))
	s.say("assistant", words("FOUR", 100))
	s.other = filepath.Join(t.TempDir(), "other.jsonl")
	o, err := session.Create(s.other, session.NewHeader(""))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if _, err := o.Append(t.Context(), session.Message{Message: message.User("elsewhere")}); err != nil {
		t.Fatal(err)
	}
	return s
}

// told tells of what is written.
type told struct {
	http.ResponseWriter
	tell func(string)
}

func (w *told) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	if err == nil {
		err = http.NewResponseController(w.ResponseWriter).Flush()
	}
	w.tell(string(p))
	return n, err
}

func (w *told) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// sessions are the files beside the session's.
func (s *stepped) sessions() []string {
	s.t.Helper()
	list, err := filepath.Glob(filepath.Join(filepath.Dir(s.path), "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

func TestWhatIsCancelledAtAnyStepDoesNothing(t *testing.T) {
	half := modeltest.Turn{Text: []string{"half"}, Hold: make(chan struct{})}
	silent := modeltest.Turn{Text: []string{"S"}, Wait: make(chan struct{})}
	busy := modeltest.Turn{Status: 529, Message: "busy", Header: map[string]string{"Retry-After": "60"}}
	whole := modeltest.Turn{Text: []string{"S"}}
	full := modeltest.Turn{Text: []string{"FOUR"}, Input: 60_000, Output: 1}
	extract := func(o *agent.Options) { o.SummaryModel = model.ExtractName }

	move := func(o agent.NavigateOptions) func(context.Context, *stepped) error {
		return func(ctx context.Context, s *stepped) error {
			old := s.leaf()
			n, err := s.NavigateTree(ctx, s.Session().At(1).ID(), o)
			if err == nil && n.Cancelled {
				if n.OldLeaf != old || n.NewLeaf != old || n.EditorText != "" || !n.SummaryEntry.IsZero() {
					return fmt.Errorf("cancelled, but %+v", n)
				}
				return context.Canceled
			}
			return err
		}
	}
	navigate, summarize := move(agent.NavigateOptions{}), move(agent.NavigateOptions{Summarize: true})
	branch := func(ctx context.Context, s *stepped) error {
		_, err := s.Branch(ctx, s.Session().At(2).ID())
		return err
	}
	branchAtRoot := func(ctx context.Context, s *stepped) error {
		_, err := s.Branch(ctx, s.Session().At(0).ID())
		return err
	}
	fork := func(ctx context.Context, s *stepped) error {
		_, err := s.Fork(ctx)
		return err
	}
	fresh := func(ctx context.Context, s *stepped) error { return s.NewSession(ctx) }
	change := func(ctx context.Context, s *stepped) error { return s.Switch(ctx, s.other) }
	compact := func(ctx context.Context, s *stepped) error {
		_, err := s.Compact(ctx, "")
		return err
	}
	prompt := func(ctx context.Context, s *stepped) error {
		_, err := s.Prompt(ctx, "FIVE")
		return err
	}
	filled := func(ctx context.Context, s *stepped) error { // after an answer that filled the context
		if _, err := s.Prompt(context.WithoutCancel(ctx), "fill"); err != nil {
			return err
		}
		return prompt(ctx, s)
	}

	for _, c := range []struct {
		name, step string
		do         func(context.Context, *stepped) error
		script     []modeltest.Turn
		change     func(*agent.Options)
	}{
		{"a move", "before", navigate, nil, nil},
		{"a move", "asked", navigate, nil, nil},
		{"a move with a summary", "before", summarize, []modeltest.Turn{whole}, nil},
		{"a move with a summary", "asked", summarize, []modeltest.Turn{whole}, nil},
		{"a move with a summary", "event summary_start", summarize, []modeltest.Turn{half}, nil},
		{"a move with a summary, before its first byte", "request 0", summarize, []modeltest.Turn{silent}, nil},
		{"a move with a summary, in the middle of it", "sent 0 data: ", summarize, []modeltest.Turn{half}, nil},
		{"a move with a summary, before the provider is asked again", "event retry", summarize, []modeltest.Turn{busy}, nil},
		{"a branch", "before", branch, nil, nil},
		{"a branch", "asked", branch, nil, nil},
		{"a branch at a root", "before", branchAtRoot, nil, nil},
		{"a branch at a root", "asked", branchAtRoot, nil, nil},
		{"a fork", "before", fork, nil, nil},
		{"a fork", "asked", fork, nil, nil},
		{"a new session", "before", fresh, nil, nil},
		{"a new session", "asked", fresh, nil, nil},
		{"a switch", "before", change, nil, nil},
		{"a switch", "asked", change, nil, nil},
		{"a compaction", "before", compact, []modeltest.Turn{whole}, nil},
		{"a compaction", "asked", compact, []modeltest.Turn{whole}, nil},
		{"a compaction", "event summary_start", compact, []modeltest.Turn{half}, nil},
		{"a compaction, before its first byte", "request 0", compact, []modeltest.Turn{silent}, nil},
		{"a compaction, in the middle of it", "sent 0 data: ", compact, []modeltest.Turn{half}, nil},
		{"a compaction, before its short summary", "request 1", compact, []modeltest.Turn{whole, silent}, nil},
		{"a compaction, in the middle of its short summary", "sent 1 data: ", compact, []modeltest.Turn{whole, half}, nil},
		{"a prompt", "before", prompt, []modeltest.Turn{whole}, nil},
	} {
		for _, way := range []string{"context", "Abort"} {
			if c.step == "before" && way == "Abort" { // nothing runs that it could end
				way, c.change = "without extensions", func(o *agent.Options) { o.Extensions = nil }
			}
			t.Run(c.name+"/"+c.step+"/"+way, func(t *testing.T) {
				s := newStepped(t, c.script, c.change)
				check, files := s.unchanged(), s.sessions()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				switch {
				case c.step == "before":
					cancel()
				case way == "context":
					s.at(c.step, cancel)
				default:
					s.at(c.step, func() { go s.Abort() }) // it waits for what it cancels
				}
				if err := c.do(ctx, s); !errors.Is(err, context.Canceled) {
					t.Errorf("error: %v", err)
				}
				if c.step != "before" && !s.wasReached() {
					t.Error("the step was not reached")
				}
				check("after it was cancelled")
				if now := s.sessions(); len(now) != len(files) {
					t.Errorf("files: %v", now)
				}
				if n, err := s.NavigateTree(t.Context(), s.Session().At(1).ID(), agent.NavigateOptions{}); err != nil || n.NewLeaf != s.Session().At(1).ID() {
					t.Errorf("the next move: %+v %v", n, err)
				}
			})
		}
	}

	// What asks nobody ends although it was cancelled, right before the step that would be seen.
	for name, do := range map[string]func(context.Context, *stepped) error{"a move": summarize, "a compaction": compact} {
		t.Run(name+"/right before it is made", func(t *testing.T) {
			s := newStepped(t, nil, extract)
			check := s.unchanged()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s.at("event summary_start", cancel)
			if err := do(ctx, s); !errors.Is(err, context.Canceled) {
				t.Errorf("error: %v", err)
			}
			check("after it was cancelled")
		})
	}

	// A compaction that a prompt begins with leaves neither itself nor the request.
	for _, step := range []string{"asked", "event summary_start", "request 1", "sent 1 data: "} {
		t.Run("the compaction before a prompt/"+step, func(t *testing.T) {
			s := newStepped(t, []modeltest.Turn{full, half}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s.at(step, cancel)
			if err := filled(ctx, s); !errors.Is(err, context.Canceled) {
				t.Errorf("error: %v", err)
			}
			if n := s.Session().Len(); n != 6 || len(s.compactions()) > 0 { // of the four, the filling request and its answer
				t.Errorf("%d entries, %d compactions", n, len(s.compactions()))
			}
		})
	}
}

// What is asked of the provider is in the log already, and what came back stays.
func TestAPromptThatIsCancelledKeepsWhatWasSaid(t *testing.T) {
	for _, c := range []struct {
		name, step string
		script     []modeltest.Turn
		want       string // roles after the four messages
	}{
		{"before the first byte", "request 0", []modeltest.Turn{{Text: []string{"S"}, Wait: make(chan struct{})}}, "user"},
		{"before the provider is asked again", "event retry", []modeltest.Turn{{Status: 529, Message: "busy", Header: map[string]string{"Retry-After": "60"}}}, "user"},
		{"in the middle of the answer", "event text", []modeltest.Turn{{Text: []string{"half"}, Hold: make(chan struct{})}}, "user assistant"},
		{"while a tool is to be run", "event tool_start", []modeltest.Turn{
			{Calls: []modeltest.Call{{ID: "c1", Name: "nothing", Arguments: `{}`}, {ID: "c2", Name: "nothing", Arguments: `{}`}}}, {Text: []string{"never"}},
		}, "user assistant toolResult toolResult"},
		{"in the compaction after an overflow", "event summary_start", []modeltest.Turn{
			{Status: 400, Message: "maximum context length is 10 tokens"}, {Text: []string{"S"}, Hold: make(chan struct{})},
		}, "user"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStepped(t, c.script, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s.at(c.step, cancel)
			if _, err := s.Prompt(ctx, "FIVE"); !errors.Is(err, context.Canceled) {
				t.Errorf("error: %v", err)
			}
			var roles []string
			for i := 4; i < s.Session().Len(); i++ {
				e := s.Session().At(i)
				roles = append(roles, e.Role())
				if e.ParentID() != s.Session().At(i-1).ID() {
					t.Errorf("entry %d does not hang from the one before", i)
				}
			}
			if got := strings.Join(roles, " "); got != c.want || s.leaf() != s.Session().At(s.Session().Len()-1).ID() {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A move that is cancelled while it waits for the answer that it stops.
func TestWhatIsCancelledWhileItStopsAnAnswerDoesNothing(t *testing.T) {
	for name, do := range map[string]func(context.Context, *stepped) error{
		"a move": func(ctx context.Context, s *stepped) error {
			n, err := s.NavigateTree(ctx, s.Session().At(1).ID(), agent.NavigateOptions{})
			if err == nil && n.Cancelled {
				return context.Canceled
			}
			return fmt.Errorf("no error, but a navigation: %+v %v", n, err)
		},
		"a branch": func(ctx context.Context, s *stepped) error {
			_, err := s.Branch(ctx, s.Session().At(2).ID())
			return err
		},
		"a fork": func(ctx context.Context, s *stepped) error {
			_, err := s.Fork(ctx)
			return err
		},
		"a switch": func(ctx context.Context, s *stepped) error { return s.Switch(ctx, s.other) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStepped(t, []modeltest.Turn{{Text: []string{"half"}, Hold: make(chan struct{})}}, nil)
			present := s.Session()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			begun := false
			s.Listen(func(e agent.Event) {
				switch {
				case e.Type == agent.TextDelta && !begun:
					begun = true
					go func() { ended <- do(ctx, s) }() // which stops the answer
				case e.Type == agent.AnswerEnd: // and waits for this
					cancel()
					if err := <-ended; !errors.Is(err, context.Canceled) {
						t.Errorf("error: %v", err)
					}
				}
			})
			kept, err := s.Prompt(t.Context(), "FIVE")
			if !errors.Is(err, context.Canceled) || !kept.Aborted() {
				t.Fatalf("the answer: %v", err)
			}
			if s.Session() != present || s.leaf() != kept.ID() {
				t.Errorf("at %s in %s, not at the answer", s.leaf(), s.Session().Path())
			}
			if files, err := os.ReadDir(filepath.Dir(s.path)); err != nil || len(files) != 1 {
				t.Errorf("files: %v %v", files, err)
			}
		})
	}
}
