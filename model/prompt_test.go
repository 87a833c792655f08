package model_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
)

// sent is the body of the request that a model makes of messages.
func sent(t *testing.T, at place, r model.Request, changes ...func(*model.Settings)) string {
	t.Helper()
	s, m := start(t, at, []modeltest.Turn{{Text: []string{"ok"}}}, changes...)
	if h := ask(t.Context(), m, r); h.err != nil {
		t.Fatal(h.err)
	}
	return s.Requests()[0].Raw
}

func eachPlace(t *testing.T, f func(t *testing.T, at place)) {
	for name, at := range places {
		t.Run(name, func(t *testing.T) { f(t, at) })
	}
}

// answered is an answer of a model at a place.
func answered(at place, blocks ...message.Block) message.Message {
	return message.Message{Role: message.RoleAssistant, Provider: "here", Model: at.id, Content: blocks}
}

func call(id, name string) message.Block {
	return message.Block{Type: message.BlockToolCall, ID: id, Name: name, Arguments: json.RawMessage(`{"path":"a.go"}`)}
}

func result(id string, blocks ...message.Block) message.Message {
	return message.Message{Role: message.RoleToolResult, ToolCallID: id, ToolName: "read", Content: blocks}
}

var png = base64.StdEncoding.EncodeToString([]byte("\x89PNG-1"))

func TestWhatWasThoughtGoesBackToTheModelThatThoughtIt(t *testing.T) {
	signature := base64.StdEncoding.EncodeToString([]byte{0xff, 0xfe, 0, 1}) // Google's is no text
	for name, want := range map[string][]string{
		"anthropic":         {`"signature":"` + signature + `"`, `"thinking":"let me see"`},
		"google":            {`"thoughtSignature":"` + signature + `"`},
		"openrouter":        {`"signature":"` + signature + `"`, `"let me see"`},
		"openai-compatible": {`"reasoning_content":"let me see"`},
	} {
		t.Run(name, func(t *testing.T) {
			at := places[name]
			if name == "openrouter" {
				at.id = "anthropic/m"
			}
			s, m := start(t, at, []modeltest.Turn{{Thinking: []string{"let me ", "see"}, Signature: signature, Calls: []modeltest.Call{{ID: "c1", Name: "read", Arguments: `{"path":"a.go"}`}}}})
			first := ask(t.Context(), m, model.Request{Thinking: "low"})
			if first.err != nil {
				t.Fatal(first.err)
			}
			// As it comes out of the log.
			written, err := json.Marshal(*first.done)
			if err != nil {
				t.Fatal(err)
			}
			read, err := message.Decode(written)
			if err != nil {
				t.Fatal(err)
			}
			ask(t.Context(), m, model.Request{Messages: []message.Message{message.User("hello"), read, result("c1", message.Text("package a"))}})
			for _, part := range want {
				if raw := s.Requests()[1].Raw; !strings.Contains(raw, part) {
					t.Errorf("%s did not go back: %s", part, raw)
				}
			}
			other := *first.done
			other.Model = "another"
			ask(t.Context(), m, model.Request{Messages: []message.Message{message.User("hello"), other, result("c1", message.Text("package a"))}})
			if raw := s.Requests()[2].Raw; strings.Contains(raw, signature) || strings.Contains(raw, "let me see") {
				t.Errorf("another model's thinking was sent: %s", raw)
			}
		})
	}
}

func TestEachOfGooglesSignaturesStaysWithItsPart(t *testing.T) {
	at := places["google"]
	a, b := base64.StdEncoding.EncodeToString([]byte("first")), base64.StdEncoding.EncodeToString([]byte("second"))
	thought := func(s string) message.Block {
		return message.Block{Type: message.BlockThinking, Thinking: "hm", ThinkingSignature: s}
	}
	raw := sent(t, at, model.Request{Messages: []message.Message{
		message.User("x"), answered(at, thought(a), message.Text("so"), thought(b), call("c1", "read")), result("c1", message.Text("y")),
	}})
	text, function := strings.Index(raw, `"so"`), strings.Index(raw, `"functionCall"`)
	first, second := strings.Index(raw, a), strings.Index(raw, b)
	if text < 0 || function < 0 || first < 0 || second < 0 || (first < function) != (second > first) || second < first {
		t.Errorf("%s", raw)
	}
}

func TestThinkingThatAnthropicShowsNoOneGoesBack(t *testing.T) {
	s, m := start(t, places["anthropic"], []modeltest.Turn{{Redacted: "c2VjcmV0", Text: []string{"yes"}}})
	first := ask(t.Context(), m, model.Request{Thinking: "low"})
	written, err := json.Marshal(*first.done)
	if err != nil || !strings.Contains(string(written), `"redacted":true`) {
		t.Fatalf("%v %s", err, written)
	}
	read, err := message.Decode(written)
	if err != nil {
		t.Fatal(err)
	}
	ask(t.Context(), m, model.Request{Messages: []message.Message{message.User("x"), read, message.User("and?")}})
	if raw := s.Requests()[1].Raw; !strings.Contains(raw, `"type":"redacted_thinking"`) || !strings.Contains(raw, "c2VjcmV0") {
		t.Errorf("%s", raw)
	}
}

func TestImagesAreSent(t *testing.T) {
	eachPlace(t, func(t *testing.T, at place) {
		raw := sent(t, at, model.Request{Messages: []message.Message{message.User("look", message.Block{Type: message.BlockImage, MimeType: "image/png", Data: png})}})
		if !strings.Contains(raw, png) || !strings.Contains(raw, "image/png") {
			t.Errorf("%s", raw)
		}
	})
}

func TestAnImageThatCannotBeSentIsWords(t *testing.T) {
	svg := message.Block{Type: message.BlockImage, MimeType: "image/svg+xml", Data: png}
	broken := message.Block{Type: message.BlockImage, MimeType: "image/png", Data: "%%%"}
	blind := message.Block{Type: message.BlockImage, MimeType: "image/png", Data: png}
	eachPlace(t, func(t *testing.T, at place) {
		for words, b := range map[string]message.Block{"image/svg+xml, which cannot be sent": svg, "cannot be read": broken} {
			for _, messages := range [][]message.Message{
				{message.User("look", b)},
				{message.User("look"), answered(at, call("c1", "read")), result("c1", b)},
			} {
				if raw := sent(t, at, model.Request{Messages: messages}); !strings.Contains(raw, words) || strings.Contains(raw, png) {
					t.Errorf("%s", raw)
				}
			}
		}
	})
	s := modeltest.NewServer(t, modeltest.OpenAI, modeltest.Turn{Text: []string{"ok"}})
	id := ""
	r := model.NewRegistry(map[string]model.Settings{"openrouter": {BaseURL: s.BaseURL(modeltest.OpenAI), APIKey: key}})
	for _, k := range r.List() {
		if k.Provider == "openrouter" && !k.Images {
			id = k.ID
		}
	}
	m, err := r.Model("openrouter/" + id)
	if err != nil {
		t.Fatal(err)
	}
	ask(t.Context(), m, model.Request{Messages: []message.Message{message.User("look", blind)}})
	if raw := s.Requests()[0].Raw; !strings.Contains(raw, "this model cannot see") || strings.Contains(raw, png) {
		t.Errorf("%s: %s", id, raw)
	}
}

func TestResultsOfOneAnswerStandTogetherAndTheirImagesFollow(t *testing.T) {
	image := func(s string) message.Block {
		return message.Block{Type: message.BlockImage, MimeType: "image/png", Data: base64.StdEncoding.EncodeToString([]byte(s))}
	}
	eachPlace(t, func(t *testing.T, at place) {
		raw := sent(t, at, model.Request{Messages: []message.Message{
			message.User("look"), answered(at, call("c1", "read"), call("c2", "read")),
			result("c1", image("one"), image("two")), result("c2", message.Text("the second result")),
		}})
		for _, s := range []string{"one", "two"} {
			if !strings.Contains(raw, base64.StdEncoding.EncodeToString([]byte(s))) {
				t.Errorf("image %s is lost: %s", s, raw)
			}
		}
		last := base64.StdEncoding.EncodeToString([]byte("two"))
		if strings.Index(raw, "the second result") > strings.Index(raw, last) {
			t.Errorf("something stands between the results: %s", raw)
		}
		if n := len(regexp.MustCompile(`"(tool_use_id|tool_call_id)":|"type":"function_call_output"|"functionResponse":`).FindAllString(raw, -1)); n != 2 {
			t.Errorf("%d results: %s", n, raw)
		}
	})
}

func TestAFailedResultAndItsImageAreSent(t *testing.T) {
	eachPlace(t, func(t *testing.T, at place) {
		failed := result("c1", message.Text("it broke"), message.Block{Type: message.BlockImage, MimeType: "image/png", Data: png})
		failed.IsError = true
		raw := sent(t, at, model.Request{Messages: []message.Message{message.User("look"), answered(at, call("c1", "read")), failed}})
		if !strings.Contains(raw, "it broke") || !strings.Contains(raw, png) {
			t.Errorf("%s", raw)
		}
		if at.kind == "anthropic" && !strings.Contains(raw, `"is_error":true`) {
			t.Errorf("%s", raw)
		}
	})
}

func TestAllTextsOfAnAnswerAreSent(t *testing.T) {
	eachPlace(t, func(t *testing.T, at place) {
		raw := sent(t, at, model.Request{Messages: []message.Message{
			message.User("x"), answered(at, message.Text("first words"), call("c1", "read"), message.Text("last words")), result("c1", message.Text("y")),
		}})
		if !strings.Contains(raw, "first words") || !strings.Contains(raw, "last words") {
			t.Errorf("%s", raw)
		}
	})
}

func TestCallIDsOfOtherToolsAreMadeFit(t *testing.T) {
	long := "call_abc|fc_" + strings.Repeat("0123456789", 8)
	eachPlace(t, func(t *testing.T, at place) {
		raw := sent(t, at, model.Request{Messages: []message.Message{
			message.User("x"), answered(at, call(long, "read"), call("toolu_01", "read"), call("call_abc|fc_2", "read")),
			result(long, message.Text("one")), result("toolu_01", message.Text("two")), result("call_abc|fc_2", message.Text("three")),
		}})
		count := map[string]int{}
		for _, id := range regexp.MustCompile(`"(?:id|tool_use_id|tool_call_id|call_id)":"([^"]*)"`).FindAllStringSubmatch(raw, -1) {
			count[id[1]]++
			if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`).MatchString(id[1]) {
				t.Errorf("%s does not fit", id[1])
			}
		}
		if len(count) != 3 || count["toolu_01"] != 2 {
			t.Errorf("three ids, each of a call and its result: %v in %s", count, raw)
		}
	})
}

func TestAnthropicIsAskedToKeepThePrompt(t *testing.T) {
	at := places["anthropic"]
	raw := sent(t, at, model.Request{System: "be kind", Messages: []message.Message{
		message.User("one"), answered(at, message.Text("a")), message.User("two"), answered(at, call("c1", "read")), result("c1", message.Text("three")),
	}})
	// Anthropic takes four at most.
	if n := strings.Count(raw, `"cache_control":{"type":"ephemeral"}`); n != 3 {
		t.Errorf("%d marks: %s", n, raw)
	}
	at.kind, at.protocol, at.id = "openrouter", modeltest.OpenAI, "anthropic/m"
	if raw := sent(t, at, model.Request{}); !strings.Contains(raw, `"cache_control":{"type":"ephemeral"}`) {
		t.Errorf("%s", raw)
	}
}

func TestAThinkingLevelIsSentInTheModelsOwnTerms(t *testing.T) {
	for _, c := range []struct {
		place, level string
		efforts      []string
		want         string // in the request; "" for nothing about thinking
	}{
		{"anthropic", "off", nil, ""},
		{"anthropic", "medium", nil, `"thinking":{"budget_tokens":10240,"type":"enabled"}`},
		{"anthropic", "medium", []string{"low", "medium", "high"}, `"budget_tokens":10240`},
		{"anthropic", "xhigh", []string{"low", "medium", "high", "max"}, `"effort":"max"`},
		{"anthropic", "off", []string{"low", "medium", "high", "max"}, ""},
		{"openai", "xhigh", nil, `"reasoning_effort":"high"`},
		{"openai responses", "minimal", []string{"low", "medium"}, `"effort":"low"`},
		{"openai responses", "off", []string{"none", "low"}, `"effort":"none"`},
		{"openai responses", "off", nil, ""},
		{"google", "medium", nil, `"thinkingBudget":10240`},
		{"google", "xhigh", []string{"low", "high"}, `"thinkingLevel":"HIGH"`},
		{"google", "off", nil, ""},
		{"openrouter", "minimal", nil, `"reasoning":{"effort":"low"}`},
		{"openrouter", "off", nil, ""},
		{"openai-compatible", "high", nil, `"reasoning_effort":"high"`},
		{"openai-compatible", "off", nil, ""},
	} {
		t.Run(fmt.Sprint(c.place, " ", c.level, " ", c.efforts), func(t *testing.T) {
			level := func(s *model.Settings) { s.Models[0].Efforts = c.efforts }
			raw := sent(t, places[c.place], model.Request{Thinking: c.level}, level)
			if c.want != "" && !strings.Contains(raw, c.want) || c.want == "" && regexp.MustCompile(`(?i)reasoning|thinking|effort`).MatchString(raw) {
				t.Errorf("%s", raw)
			}
			cannot := func(s *model.Settings) { s.Models[0].Reasoning = false }
			if raw := sent(t, places[c.place], model.Request{Thinking: c.level}, level, cannot); regexp.MustCompile(`(?i)reasoning|thinking|effort`).MatchString(raw) {
				t.Errorf("a model that cannot think was asked to: %s", raw)
			}
		})
	}
}

func TestPromptAndAnswerFitIntoTheWindow(t *testing.T) {
	limit := regexp.MustCompile(`"(?:max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens)":(\d+)`)
	for _, c := range []struct {
		name            string
		prompt          int // characters
		window, most    int64
		asked           int64
		atLeast, atMost int64
	}{
		{"what the model can", 10, 100_000, 5000, 0, 5000, 5000},
		{"not more than anyone needs", 10, 1_000_000, 128_000, 0, 32_000, 32_000},
		{"what is asked for", 10, 1_000_000, 128_000, 64_000, 64_000, 64_000},
		{"what is left", 270_000, 100_000, 32_000, 0, 1024, 15_000}, // a token has three to four characters
		{"never nothing", 900_000, 100_000, 32_000, 0, 1024, 1024},
	} {
		for name, at := range places {
			raw := sent(t, at, model.Request{MaxOutput: c.asked, Messages: []message.Message{message.User(strings.Repeat("word ", c.prompt/5))}}, func(s *model.Settings) {
				s.Models[0].ContextWindow, s.Models[0].MaxOutput = c.window, c.most
			})
			var got int64
			if found := limit.FindStringSubmatch(raw); found != nil {
				fmt.Sscan(found[1], &got)
			}
			if got < c.atLeast || got > c.atMost {
				t.Errorf("%s: %s: %d", c.name, name, got)
			}
		}
	}
}

func TestAToolWithoutAValidSchemaTakesNoArguments(t *testing.T) {
	eachPlace(t, func(t *testing.T, at place) {
		for _, schema := range []string{``, `null`, `{"type":"object"}`, `{`} {
			raw := sent(t, at, model.Request{Tools: []model.Tool{{Name: "now", Description: "the time", Schema: json.RawMessage(schema)}}})
			if !strings.Contains(raw, `"now"`) {
				t.Errorf("%s", raw)
			}
		}
	})
}
