package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/rpc"
	"github.com/ramo-dev/ramo/session"
)

func TestMain(m *testing.M) {
	if os.Getenv("RAMO_TEST_SERVE") != "" {
		if err := (&rpc.Server{}).Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	dir, err := os.MkdirTemp("", "ramo-rpc")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_STATE_HOME", dir)
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// client speaks to a server that is a process of its own, or one in this process.
type client struct {
	t      *testing.T
	in     io.WriteCloser
	lines  *bufio.Reader
	next   int
	events []map[string]any // notifications that came meanwhile
}

// process starts the server as another process.
func process(t *testing.T) *client {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RAMO_TEST_SERVE=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return &client{t: t, in: in, lines: bufio.NewReader(out)}
}

// inProcess starts a server with options.
func inProcess(t *testing.T, o agent.Options) *client {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- (&rpc.Server{Options: o}).Serve(context.Background(), fromClient, toClient)
		_ = toClient.Close()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return &client{t: t, in: in, lines: bufio.NewReader(out)}
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) read() map[string]any {
	c.t.Helper()
	line, err := c.lines.ReadBytes('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(line, &m); err != nil {
		c.t.Fatalf("%v: %q", err, line)
	}
	return m
}

// start sends a request and returns its id.
func (c *client) start(method string, params any) int {
	c.t.Helper()
	c.next++
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(string(b))
	return c.next
}

// wait reads until the answer to a request.
func (c *client) wait(id int) (result map[string]any, failure map[string]any) {
	c.t.Helper()
	for {
		m := c.read()
		if m["method"] != nil {
			c.events = append(c.events, m)
			continue
		}
		if m["id"] != float64(id) {
			c.t.Fatalf("an answer to another request: %v", m)
		}
		failure, _ = m["error"].(map[string]any)
		result, _ = m["result"].(map[string]any)
		return result, failure
	}
}

func (c *client) call(method string, params any) map[string]any {
	c.t.Helper()
	r, failure := c.wait(c.start(method, params))
	if failure != nil {
		c.t.Fatalf("%s %v: %v", method, params, failure)
	}
	return r
}

type object = map[string]any

func say(text string) object {
	return object{"entry": object{"type": "message", "message": object{"role": "user", "content": text}}}
}

// TestAThousandRandomOperationsEqualTheSameInProcess drives a server in another process, does the
// same to a session in this one, and compares the two files but for ids and times.
func TestAThousandRandomOperationsEqualTheSameInProcess(t *testing.T) {
	operations := 1000
	if testing.Short() {
		operations = 200
	}
	dir := t.TempDir()
	c := process(t)
	c.call("new", object{"path": filepath.Join(dir, "served.jsonl"), "cwd": dir})
	s, err := session.Create(filepath.Join(dir, "direct.jsonl"), session.NewHeader(dir))
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(s, agent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ctx := t.Context()

	var served []string // the ids in the served file, in the order of the direct one's entries
	pick := func(r *rand.Rand) int { return r.IntN(len(served)) }
	r := rand.New(rand.NewPCG(1, uint64(operations)))
	for i := range operations {
		kind := r.IntN(10)
		if len(served) == 0 {
			kind = 0
		}
		switch {
		case kind < 5:
			text := fmt.Sprintf("entry %d", i)
			served = append(served, c.call("append", say(text))["id"].(string))
			if _, err := a.Session().Append(ctx, session.RawBody(fmt.Sprintf(`{"type":"message","message":{"content":%q,"role":"user"}}`, text))); err != nil {
				t.Fatal(err)
			}
		case kind < 6:
			n, label := pick(r), fmt.Sprintf("label %d", i%7)
			served = append(served, c.call("label", object{"id": served[n], "label": label})["id"].(string))
			if _, err := a.Session().SetLabel(ctx, a.Session().At(n).ID(), label); err != nil {
				t.Fatal(err)
			}
		case kind < 9:
			n := pick(r)
			got := c.call("navigate", object{"target": served[n]})
			want, err := a.NavigateTree(ctx, a.Session().At(n).ID(), agent.NavigateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if (got["newLeaf"] == nil) != (want.NewLeaf == "") || want.Again && got["editorText"] != want.EditorText {
				t.Fatalf("operation %d: %v, want %+v", i, got, want)
			}
		default:
			n := pick(r)
			summarized := object{"target": served[n], "summarize": true, "summaryModel": model.ExtractName}
			got := c.call("navigate", summarized)
			want, err := a.NavigateTree(ctx, a.Session().At(n).ID(), agent.NavigateOptions{Summarize: true, SummaryModel: model.ExtractName})
			if err != nil {
				t.Fatal(err)
			}
			if (got["summaryEntry"] == nil) != want.SummaryEntry.IsZero() {
				t.Fatalf("operation %d: %v, want %+v", i, got, want)
			}
			if got["summaryEntry"] != nil {
				served = append(served, got["summaryEntry"].(string))
			}
		}
		if leaf, ok := a.Session().Leaf(); ok {
			if got := c.call("info", nil)["leaf"]; got != served[leaf.Index()] {
				t.Fatalf("operation %d: the leaf is %v, want %s", i, got, served[leaf.Index()])
			}
		}
	}
	outlines := [2]string{}
	for i, path := range []string{filepath.Join(dir, "served.jsonl"), filepath.Join(dir, "direct.jsonl")} {
		s, err := session.Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		if p := s.Problems(); len(p) > 0 {
			t.Fatalf("%s: %v", path, p)
		}
		outlines[i] = outline(t, s)
	}
	if outlines[0] != outlines[1] {
		t.Errorf("served:\n%s\ndirect:\n%s", outlines[0], outlines[1])
	}
}

// outline tells a session without its ids and times: entries by number.
func outline(t *testing.T, s *session.Session) string {
	t.Helper()
	number := map[string]string{}
	for e := range s.Entries() {
		number[e.ID()] = fmt.Sprint(e.Index())
	}
	var b strings.Builder
	for e := range s.Entries() {
		raw, err := e.Raw()
		if err != nil {
			t.Fatal(err)
		}
		var m object
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		delete(m, "timestamp")
		for _, name := range []string{"id", "parentId", "targetId", "fromId"} {
			if id, ok := m[name].(string); ok && number[id] != "" {
				m[name] = number[id]
			}
		}
		line, _ := json.Marshal(m) // in the keys' order
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

func TestWhatIsWrongIsAnsweredAndServingGoesOn(t *testing.T) {
	c := process(t)
	for _, x := range []struct {
		name, line string
		code       float64
	}{
		{"no JSON", `{nonsense`, rpc.CodeParse},
		{"no version", `{"id":1,"method":"info"}`, rpc.CodeRequest},
		{"no such method", `{"jsonrpc":"2.0","id":1,"method":"fly"}`, rpc.CodeMethod},
		{"an unknown parameter", `{"jsonrpc":"2.0","id":1,"method":"open","params":{"pth":"x"}}`, rpc.CodeParams},
		{"no session", `{"jsonrpc":"2.0","id":1,"method":"tree"}`, rpc.CodeNoSession},
		{"no file", `{"jsonrpc":"2.0","id":1,"method":"open","params":{"path":"/no/such.jsonl"}}`, rpc.CodeNotFound},
	} {
		c.send(x.line)
		m := c.read()
		if e, ok := m["error"].(map[string]any); !ok || e["code"] != x.code || e["message"] == "" {
			t.Errorf("%s: %v", x.name, m)
		}
	}
	c.send(`{"jsonrpc":"2.0","method":"fly"}`) // a notification gets no answer, even a wrong one
	c.send(`{"jsonrpc":"2.0","id":"mine","result":{}}`)
	if r := c.call("new", object{"cwd": t.TempDir()}); r["entries"] != 0.0 {
		t.Errorf("%v", r)
	}
	if _, failure := c.wait(c.start("prompt", object{"text": "hello"})); failure["code"] != float64(rpc.CodeNoModel) {
		t.Errorf("%v", failure)
	}
}

func TestAPromptStreamsItsEventsAndCanBeAborted(t *testing.T) {
	server := modeltest.NewServer(t, modeltest.OpenAI,
		modeltest.Turn{Text: []string{"Hel", "lo"}}, modeltest.Turn{Text: []string{"half"}, Hold: make(chan struct{})})
	c := inProcess(t, agent.Options{Model: "test/m", Models: model.NewRegistry(map[string]model.Settings{"test": {BaseURL: server.BaseURL(modeltest.OpenAI)}})})
	c.call("new", object{"cwd": t.TempDir()})
	if r := c.call("prompt", object{"text": "hi"}); r["type"] != "message" {
		t.Errorf("%v", r)
	}
	text := ""
	for _, e := range c.events {
		if p := e["params"].(map[string]any); p["type"] == "text" {
			text += p["text"].(string)
		}
	}
	if text != "Hello" {
		t.Errorf("streamed %q", text)
	}
	id := c.start("prompt", object{"text": "more"})
	for {
		if m := c.read(); m["method"] == "event" && m["params"].(map[string]any)["type"] == "text" {
			break
		}
	}
	abort := c.start("abort", nil)
	for range 2 { // the two answers may come in either order
		for {
			m := c.read()
			if m["method"] != nil {
				continue
			}
			if e, _ := m["error"].(map[string]any); m["id"] == float64(id) && e["code"] != float64(rpc.CodeCancelled) {
				t.Errorf("%v", m)
			}
			if m["id"] == float64(abort) && m["result"].(map[string]any)["aborted"] != true {
				t.Errorf("%v", m)
			}
			break
		}
	}
}

func TestFollowSendsWhatAnotherWriterAppends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shared.jsonl")
	c := process(t)
	c.call("new", object{"path": path, "cwd": t.TempDir()})
	c.call("follow", nil)
	other, err := session.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	e, err := other.Append(t.Context(), session.RawBody(`{"type":"custom","customType":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if m := c.read(); m["method"] != "entry" || m["params"].(map[string]any)["id"] != e.ID() {
		t.Errorf("%v", m)
	}
}
