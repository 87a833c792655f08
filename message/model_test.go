package message_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
	"pgregory.net/rapid"
)

func TestForModel(t *testing.T) {
	for rule, data := range vectors(t, "formodel") {
		t.Run(rule, func(t *testing.T) {
			var vector struct {
				In  []message.Message
				Out []json.RawMessage
			}
			if err := json.Unmarshal(data, &vector); err != nil {
				t.Fatal(err)
			}
			got := message.ForModel(vector.In)
			for i := range max(len(got), len(vector.Out)) {
				have, want := "nothing", "nothing"
				if i < len(got) {
					have = string(got[i].AppendJSON(nil))
				}
				if i < len(vector.Out) {
					want = string(vector.Out[i])
				}
				if have != want {
					t.Errorf("message %d:\n got %s\nwant %s", i, have, want)
				}
			}
			if err := valid(got); err != nil {
				t.Error(err)
			}
		})
	}
}

// valid checks what providers ask for, message by message, without knowing how ForModel works.
func valid(msgs []message.Message) error {
	ids := map[string]bool{}
	var waiting []string // calls of the last assistant message that have no result yet
	for i, m := range msgs {
		fail := func(format string, a ...any) error {
			return fmt.Errorf("message %d (%s): %s", i, m.Role, fmt.Sprintf(format, a...))
		}
		if m.Role != "toolResult" && len(waiting) > 0 {
			return fail("calls %v have no result", waiting)
		}
		if len(m.Content) == 0 {
			return fail("has no content")
		}
		said := false
		for _, b := range m.Content {
			switch b.Type {
			case "text":
				if strings.TrimSpace(b.Text) == "" {
					return fail("blank text")
				}
				said = true
			case "image":
				if m.Role == "assistant" || b.Data == "" {
					return fail("image")
				}
				said = true
			case "thinking":
				if m.Role != "assistant" {
					return fail("thinking")
				}
			case "toolCall":
				if m.Role != "assistant" || b.ID == "" || b.Name == "" || ids[b.ID] {
					return fail("call %q of %q", b.ID, b.Name)
				}
				ids[b.ID] = true
				waiting = append(waiting, b.ID)
				said = true
			default:
				return fail("block of type %q", b.Type)
			}
		}
		if !said {
			return fail("says nothing")
		}
		switch m.Role {
		case "user", "developer", "assistant":
		case "toolResult":
			at := slices.Index(waiting, m.ToolCallID)
			if at < 0 {
				return fail("result %q has no call, or is its second", m.ToolCallID)
			}
			if m.ToolName == "" {
				return fail("result %q names no tool", m.ToolCallID)
			}
			waiting = slices.Delete(waiting, at, at+1)
		default:
			return fail("role")
		}
	}
	if len(waiting) > 0 {
		return fmt.Errorf("at the end: calls %v have no result", waiting)
	}
	return nil
}

var (
	anyID    = rapid.SampledFrom([]string{"", "a", "b", "a_2", "call_2"})
	anyText  = rapid.SampledFrom([]string{"", " \n", "text", "\u2028", "```"})
	anyBlock = rapid.Custom(func(t *rapid.T) message.Block {
		return message.Block{
			Type:     rapid.SampledFrom([]string{"text", "text", "image", "thinking", "toolCall", "toolCall", "toolCall", "audio", ""}).Draw(t, "type"),
			Text:     anyText.Draw(t, "text"),
			Thinking: anyText.Draw(t, "thinking"),
			Data:     rapid.SampledFrom([]string{"", "AA=="}).Draw(t, "data"),
			ID:       anyID.Draw(t, "id"),
			Name:     rapid.SampledFrom([]string{"read", "bash", "bash", ""}).Draw(t, "name"),
		}
	})
	anyMessage = rapid.Custom(func(t *rapid.T) message.Message {
		return message.Message{
			Role: rapid.SampledFrom([]string{"user", "developer", "assistant", "assistant", "assistant", "toolResult", "toolResult",
				"toolResult", "bashExecution", "pythonExecution", "custom", "hookMessage", "branchSummary", "compactionSummary",
				"fileMention", "oracle"}).Draw(t, "role"),
			Content:            rapid.SliceOfN(anyBlock, 0, 4).Draw(t, "content"),
			StopReason:         rapid.SampledFrom([]string{"toolUse", "aborted"}).Draw(t, "stop"),
			ToolCallID:         anyID.Draw(t, "for"),
			ToolName:           rapid.SampledFrom([]string{"", "read"}).Draw(t, "tool"),
			Command:            anyText.Draw(t, "command"),
			Output:             anyText.Draw(t, "output"),
			Summary:            anyText.Draw(t, "summary"),
			ExcludeFromContext: rapid.Bool().Draw(t, "excluded"),
			Files:              []message.File{{Path: "a", Content: anyText.Draw(t, "file")}}[:rapid.IntRange(0, 1).Draw(t, "files")],
		}
	})
)

func TestForModelIsAlwaysValidForAProvider(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(anyMessage, 0, 12).Draw(t, "messages")
		before := written(in)
		out := message.ForModel(in)
		if err := valid(out); err != nil {
			t.Fatalf("%v\nin:\n%s\nout:\n%s", err, before, written(out))
		}
		if after := written(in); after != before {
			t.Fatalf("the input was changed:\n%s\nto\n%s", before, after)
		}
		if again := message.ForModel(out); !reflect.DeepEqual(again, out) {
			t.Fatalf("not the same when done twice:\n%s\n%s", written(out), written(again))
		}
	})
}

// sameID is a list in which every answer calls by the one id that some providers always begin with.
func sameID(n int) []message.Message {
	msgs := make([]message.Message, n)
	for i := range msgs {
		msgs[i] = message.Message{Role: "assistant", Content: []message.Block{{Type: "toolCall", ID: "call_0", Name: "read"}}}
	}
	return msgs
}

func TestOneIDInManyAnswers(t *testing.T) {
	out := message.ForModel(sameID(1000))
	if err := valid(out); err != nil || len(out) != 2000 {
		t.Errorf("%d messages: %v", len(out), err)
	}
}

// The time a message takes may not grow with their number.
func BenchmarkForModelOneIDInManyAnswers(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			msgs := sameID(n)
			for b.Loop() {
				message.ForModel(msgs)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/message")
		})
	}
}

func written(msgs []message.Message) string {
	var b bytes.Buffer
	for _, m := range msgs {
		b.Write(append(m.AppendJSON(nil), '\n'))
	}
	return b.String()
}

func TestCheckerFindsWhatProvidersRefuse(t *testing.T) {
	call := message.Message{Role: "assistant", Content: []message.Block{{Type: "toolCall", ID: "1", Name: "x"}}}
	result := message.Message{Role: "toolResult", ToolCallID: "1", ToolName: "x", Content: []message.Block{message.Text("ok")}}
	if err := valid([]message.Message{call, result}); err != nil {
		t.Error(err)
	}
	for what, msgs := range map[string][]message.Message{
		"a call without a result": {call},
		"a message in between":    {call, message.User("hi"), result},
		"two results":             {call, result, result},
		"a result without a call": {result},
		"an id twice":             {call, result, call, result},
		"an empty message":        {message.User("")},
	} {
		if valid(msgs) == nil {
			t.Errorf("%s passes", what)
		}
	}
}

func TestCorpusIsValidForAProvider(t *testing.T) {
	var all []message.Message // every branch after the other: calls and results in disorder
	corpus(t, func(t *testing.T, _ string, raw json.RawMessage) {
		all = append(all, decode(t, string(raw)))
	})
	if err := valid(message.ForModel(all)); err != nil {
		t.Error(err)
	}
}
