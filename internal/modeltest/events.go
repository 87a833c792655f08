package modeltest

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
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
		e.send("message_start", fmt.Sprintf(`{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":1}}}`,
			t.Input-t.CacheRead-t.CacheWrite, t.CacheRead, t.CacheWrite))
		if t.Redacted != "" {
			e.anthropicBlock(fmt.Sprintf(`{"type":"redacted_thinking","data":%s}`, quote(t.Redacted)), "", "", nil, "")
		}
		if t.Thinking != nil {
			e.anthropicBlock(`{"type":"thinking","thinking":"","signature":""}`, "thinking_delta", "thinking", t.Thinking, cmp.Or(t.Signature, "sig-1"))
		}
		if t.Text != nil {
			e.anthropicBlock(`{"type":"text","text":""}`, "text_delta", "text", t.Text, "")
		}
		for _, c := range t.Calls {
			half := len(c.Arguments) / 2
			e.anthropicBlock(fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":{}}`, quote(c.ID), quote(c.Name)), "input_json_delta", "partial_json", []string{c.Arguments[:half], c.Arguments[half:]}, "")
		}
	case Google:
		for _, s := range t.Thinking {
			e.part(t, fmt.Sprintf(`{"text":%s,"thought":true}`, quote(s)))
		}
		signature := ""
		if t.Signature != "" {
			signature = fmt.Sprintf(`,"thoughtSignature":%s`, quote(t.Signature))
		}
		for _, s := range t.Text {
			e.part(t, fmt.Sprintf(`{"text":%s%s}`, quote(s), signature))
			signature = ""
		}
		for _, c := range t.Calls {
			e.part(t, fmt.Sprintf(`{"functionCall":{"id":%s,"name":%s,"args":%s}%s}`, quote(c.ID), quote(c.Name), c.Arguments, signature))
			signature = ""
		}
	case Responses:
		e.response(`{"type":"response.created","response":{"id":"r1","object":"response","status":"in_progress","output":[]}}`)
		if t.Thinking != nil {
			e.response(`{"type":"response.output_item.added","output_index":%d,"item":{"type":"reasoning","id":"rs_1","summary":[]}}`, e.index)
			e.response(`{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":%d,"summary_index":0,"part":{"type":"summary_text","text":""}}`, e.index)
			for _, s := range t.Thinking {
				e.response(`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":%d,"summary_index":0,"delta":%s}`, e.index, quote(s))
			}
			e.response(`{"type":"response.output_item.done","output_index":%d,"item":{"type":"reasoning","id":"rs_1","summary":[]}}`, e.index)
			e.index++
		}
		if t.Text != nil {
			e.response(`{"type":"response.output_item.added","output_index":%d,"item":{"type":"message","id":"msg_1","role":"assistant","content":[]}}`, e.index)
			for _, s := range t.Text {
				e.response(`{"type":"response.output_text.delta","item_id":"msg_1","output_index":%d,"content_index":0,"delta":%s}`, e.index, quote(s))
			}
			e.response(`{"type":"response.output_item.done","output_index":%d,"item":{"type":"message","id":"msg_1","role":"assistant","content":[]}}`, e.index)
			e.index++
		}
		for i, c := range t.Calls {
			e.response(`{"type":"response.output_item.added","output_index":%d,"item":{"type":"function_call","id":"fc_%d","call_id":%s,"name":%s,"arguments":""}}`, e.index, i, quote(c.ID), quote(c.Name))
			e.response(`{"type":"response.function_call_arguments.delta","item_id":"fc_%d","output_index":%d,"delta":%s}`, i, e.index, quote(c.Arguments))
			e.response(`{"type":"response.output_item.done","output_index":%d,"item":{"type":"function_call","id":"fc_%d","call_id":%s,"name":%s,"arguments":%s}}`, e.index, i, quote(c.ID), quote(c.Name), quote(c.Arguments))
			e.index++
		}
	default:
		// reasoning_content is how most compatible servers have it, reasoning_details OpenRouter.
		for _, s := range t.Thinking {
			e.delta(fmt.Sprintf(`{"reasoning_content":%s,"reasoning_details":[{"type":"reasoning.text","text":%s,"format":"anthropic-claude-v1","index":0}]}`, quote(s), quote(s)))
		}
		if t.Thinking != nil {
			e.delta(fmt.Sprintf(`{"reasoning_details":[{"type":"reasoning.text","signature":%s,"format":"anthropic-claude-v1","index":0}]}`, quote(cmp.Or(t.Signature, "sig-1"))))
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

// part is an event of Google's. Each counts all tokens so far.
func (e *events) part(t Turn, part string) {
	e.send("", fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[%s]},"index":0}],"usageMetadata":%s}`, part, googleUsage(t, t.Output/2)))
}

func googleUsage(t Turn, output int64) string {
	return fmt.Sprintf(`{"promptTokenCount":%d,"cachedContentTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d}`, t.Input, t.CacheRead, output, t.Input+output)
}

// response is an event of OpenAI's newer protocol, whose name is its type.
func (e *events) response(format string, args ...any) {
	data := fmt.Sprintf(format, args...)
	name, _, _ := strings.Cut(strings.TrimPrefix(data, `{"type":"`), `"`)
	e.send(name, data)
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
	case Responses:
		e.response(`{"type":"error","code":"server_error","message":%s}`, quote(words))
	default:
		e.send("", fmt.Sprintf(`{"error":{"message":%s,"type":"server_error","code":500}}`, quote(words)))
	}
}

func (e *events) end(t Turn) {
	// why picks the protocol's word for why the answer ends.
	why := func(end, calls, length, refusal string) string {
		switch {
		case t.Refuse:
			return refusal
		case t.Length:
			return length
		case len(t.Calls) > 0:
			return calls
		}
		return end
	}
	switch e.protocol {
	case Anthropic:
		e.send("message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":%d}}`, why("end_turn", "tool_use", "max_tokens", "refusal"), t.Output))
		e.send("message_stop", `{"type":"message_stop"}`)
	case Google:
		e.send("", fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":%q,"index":0}],"usageMetadata":%s}`, why("STOP", "STOP", "MAX_TOKENS", "SAFETY"), googleUsage(t, t.Output)))
	case Responses:
		usage := fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":%d}`, t.Input, t.CacheRead, t.Output, t.Input+t.Output)
		if reason := why("", "", "max_output_tokens", "content_filter"); reason != "" {
			e.response(`{"type":"response.incomplete","response":{"id":"r1","object":"response","status":"incomplete","incomplete_details":{"reason":%q},"output":[],"usage":%s}}`, reason, usage)
		} else {
			e.response(`{"type":"response.completed","response":{"id":"r1","object":"response","status":"completed","output":[],"usage":%s}}`, usage)
		}
	default:
		e.send("", fmt.Sprintf(`{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, why("stop", "tool_calls", "length", "content_filter")))
		e.send("", fmt.Sprintf(`{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens":%d,"total_tokens":%d}}`, t.Input, t.CacheRead, t.Output, t.Input+t.Output))
		e.send("", "[DONE]")
	}
}
