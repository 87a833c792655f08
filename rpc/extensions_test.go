package rpc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/rpc"
)

// curious has a command that asks everything, and says what it heard.
func curious(heard *[]any) extension.Extension {
	return extension.New("curious", func(api *extension.API) {
		api.Command(extension.CommandInfo{Name: "ask", Description: "Ask it all"}, func(ctx context.Context, s *extension.CommandSession, args string) error {
			i, ok, err1 := s.UI().Select(ctx, "Which?", []string{"a", "b"})
			yes, err2 := s.UI().Confirm(ctx, "Sure?", "really")
			text, said, err3 := s.UI().Input(ctx, "What?", "words")
			*heard = []any{args, i, ok, yes, text, said}
			s.UI().Notify(ctx, extension.Warning, "thanks")
			return errors.Join(err1, err2, err3)
		})
	})
}

func TestAnExtensionsQuestionsGoToAClientThatAnswersThem(t *testing.T) {
	var heard []any
	c := inProcess(t, agent.Options{Extensions: []extension.Extension{curious(&heard)}})
	c.call("client", object{"questions": true})
	c.call("new", object{"cwd": t.TempDir()})
	list := c.call("commands", nil)["commands"].([]any)
	if len(list) != 1 || list[0].(object)["name"] != "ask" || list[0].(object)["description"] != "Ask it all" {
		t.Errorf("%v", list)
	}
	id := c.start("run_command", object{"name": "ask", "args": "x"})
	answers := map[string]struct {
		title, result string
	}{
		"select":  {"curious: Which?", `{"index":1}`},
		"confirm": {"curious: Sure?", `{"yes":true}`},
		"input":   {"curious: What?", `{"text":"hello"}`},
	}
	for len(answers) > 0 {
		m := c.read()
		method, _ := m["method"].(string)
		a, ok := answers[method]
		if !ok {
			c.events = append(c.events, m)
			continue
		}
		if title := m["params"].(object)["title"]; title != a.title {
			t.Errorf("%s: %v", method, title)
		}
		delete(answers, method)
		c.send(`{"jsonrpc":"2.0","id":"` + m["id"].(string) + `","result":` + a.result + `}`)
	}
	if _, failure := c.wait(id); failure != nil {
		t.Fatal(failure)
	}
	want := []any{"x", 1, true, true, "hello", true}
	for i := range want {
		if heard[i] != want[i] {
			t.Errorf("%v, want %v", heard, want)
		}
	}
	notice := c.events[len(c.events)-1]["params"].(object)
	if notice["type"] != "notice" || notice["text"] != "curious: thanks" || notice["level"] != "warning" {
		t.Errorf("%v", notice)
	}
}

func TestAClientThatDidNotSaySoIsNotAsked(t *testing.T) {
	var heard []any
	c := inProcess(t, agent.Options{Extensions: []extension.Extension{curious(&heard)}})
	c.call("new", object{"cwd": t.TempDir()})
	_, failure := c.wait(c.start("run_command", object{"name": "ask"}))
	if failure == nil || failure["code"] != float64(rpc.CodeFailed) {
		t.Errorf("%v", failure)
	}
	if _, failure = c.wait(c.start("run_command", object{"name": "none"})); failure["code"] != float64(rpc.CodeNotFound) {
		t.Errorf("%v", failure)
	}
}

func TestAbortTakesAQuestionBack(t *testing.T) {
	var heard []any
	c := inProcess(t, agent.Options{Extensions: []extension.Extension{curious(&heard)}})
	c.call("client", object{"questions": true})
	c.call("new", object{"cwd": t.TempDir()})
	run := c.start("run_command", object{"name": "ask"})
	var question string
	for question == "" {
		if m := c.read(); m["method"] == "select" {
			question = m["id"].(string)
		}
	}
	abort := c.start("abort", nil)
	takenBack, failed, aborted := false, false, false
	for !takenBack || !failed || !aborted {
		switch m := c.read(); {
		case m["method"] == "$/cancel":
			takenBack = takenBack || m["params"].(object)["id"] == question
		case m["id"] == float64(run):
			failed = m["error"].(object)["code"] == float64(rpc.CodeCancelled)
		case m["id"] == float64(abort):
			aborted = m["result"].(object)["aborted"] == true
		}
	}
}
