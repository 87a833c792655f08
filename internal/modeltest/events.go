package modeltest

import (
	"fmt"
	"net/http"
)

// events writes an answer in a protocol's form.
type events struct {
	w        http.ResponseWriter
	flush    func()
	protocol Protocol
	index    int
}

func (e *events) send(name, data string) {
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", data)
	e.flush()
}

func refusal(p Protocol, status int, words string) string {
	switch p {
	case Anthropic:
		return fmt.Sprintf(`{"type":"error","error":{"type":"error","message":%s}}`, quote(words))
	case Google:
		return fmt.Sprintf(`{"error":{"code":%d,"message":%s,"status":"FAILED"}}`, status, quote(words))
	}
	return fmt.Sprintf(`{"error":{"message":%s,"type":"error","code":null}}`, quote(words))
}

func (e *events) pieces(t Turn) {
	switch e.protocol {
	case Anthropic:
		e.send("message_start", fmt.Sprintf(`{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":%d,"output_tokens":1}}}`, t.Input))
		if t.Thinking != nil {
			e.anthropicBlock(`{"type":"thinking","thinking":"","signature":""}`, "thinking_delta", "thinking", t.Thinking, "sig-1")
		}
		if t.Text != nil {
			e.anthropicBlock(`{"type":"text","text":""}`, "text_delta", "text", t.Text, "")
		}
		for _, c := range t.Calls {
			e.anthropicBlock(fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":{}}`, quote(c.ID), quote(c.Name)), "input_json_delta", "partial_json", []string{c.Arguments}, "")
		}
	case Google:
		for _, s := range t.Thinking {
			e.send("", fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[{"text":%s,"thought":true}]},"index":0}]}`, quote(s)))
		}
		for _, s := range t.Text {
			e.send("", fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[{"text":%s}]},"index":0}]}`, quote(s)))
		}
		for _, c := range t.Calls {
			e.send("", fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":%s,"name":%s,"args":%s}}]},"index":0}]}`, quote(c.ID), quote(c.Name), c.Arguments))
		}
	default:
		for _, s := range t.Thinking {
			e.delta(fmt.Sprintf(`{"reasoning_content":%s}`, quote(s)))
		}
		for _, s := range t.Text {
			e.delta(fmt.Sprintf(`{"content":%s}`, quote(s)))
		}
		for i, c := range t.Calls {
			half := len(c.Arguments) / 2
			e.delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}]}`, i, quote(c.ID), quote(c.Name), quote(c.Arguments[:half])))
			e.delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quote(c.Arguments[half:])))
		}
	}
}

func (e *events) delta(d string) {
	e.send("", fmt.Sprintf(`{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":null}]}`, d))
}

func (e *events) anthropicBlock(start, delta, field string, pieces []string, signature string) {
	e.send("content_block_start", fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, e.index, start))
	for _, p := range pieces {
		e.send("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":%q,%q:%s}}`, e.index, delta, field, quote(p)))
	}
	if signature != "" {
		e.send("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"signature_delta","signature":%q}}`, e.index, signature))
	}
	e.send("content_block_stop", fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, e.index))
	e.index++
}

func (e *events) fail(words string) {
	switch e.protocol {
	case Anthropic:
		e.send("error", fmt.Sprintf(`{"type":"error","error":{"type":"overloaded_error","message":%s}}`, quote(words)))
	default:
		e.send("", fmt.Sprintf(`{"error":{"message":%s,"type":"server_error","code":500}}`, quote(words)))
	}
}

func (e *events) end(t Turn) {
	calls := len(t.Calls) > 0
	switch e.protocol {
	case Anthropic:
		reason := "end_turn"
		switch {
		case calls:
			reason = "tool_use"
		case t.Length:
			reason = "max_tokens"
		}
		e.send("message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":%d}}`, reason, t.Output))
		e.send("message_stop", `{"type":"message_stop"}`)
	case Google:
		reason := "STOP"
		if t.Length {
			reason = "MAX_TOKENS"
		}
		e.send("", fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":%q,"index":0}],"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d}}`, reason, t.Input, t.Output, t.Input+t.Output))
	default:
		reason := "stop"
		switch {
		case calls:
			reason = "tool_calls"
		case t.Length:
			reason = "length"
		}
		e.send("", fmt.Sprintf(`{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason))
		e.send("", fmt.Sprintf(`{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`, t.Input, t.Output, t.Input+t.Output))
		e.send("", "[DONE]")
	}
}
