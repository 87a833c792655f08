package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// codexLine is a line of Codex's. Older files have the items bare, without the envelope.
type codexLine struct {
	Timestamp, Type string
	Payload         json.RawMessage
	RecordType      string `json:"record_type"` // of older files' own states
}

type codexMeta struct {
	ID, Timestamp, Cwd string
	ModelProvider      string `json:"model_provider"`
	ForkedFrom         string `json:"forked_from_id"`
}

type codexContext struct{ Cwd, Model, Effort string }

// codexItem is what goes to and fro between Codex and the model.
type codexItem struct {
	Type, Role string
	Content    []codexPart
	Summary    []codexPart // of reasoning
	Name       string
	CallID     string `json:"call_id"`
	Arguments  string // JSON
	Input      string // of a custom tool
	Action     json.RawMessage
	Output     json.RawMessage
}

type codexPart struct {
	Type, Text string
	ImageURL   string `json:"image_url"`
}

type codexEvent struct {
	Type     string
	NumTurns int `json:"num_turns"`
	Info     struct {
		Last *struct {
			Input  int64 `json:"input_tokens"`
			Cached int64 `json:"cached_input_tokens"`
			Output int64 `json:"output_tokens"`
			Total  int64 `json:"total_tokens"`
		} `json:"last_token_usage"`
	}
}

// codexReader turns a rollout's lines into nodes. They follow each other, but where turns were
// rolled back.
type codexReader struct {
	*conversation
	known func(key string) bool

	provider, model, effort string
	last                    *node
	answer                  *node // that more may belong to
	counted                 *node // the answer that the next count of tokens is about
	context                 int64 // tokens, as far as they were counted
	turns                   []*node
	names                   map[string]string // of tools, by call
	key                     string            // of the present line
	time                    time.Time
}

func readCodex(ctx context.Context, t Transcript, known func(string) bool) (*conversation, error) {
	r := &codexReader{
		conversation: &conversation{tool: t.Tool, id: t.ID, skipped: map[string]int{}}, known: known,
		provider: "openai", names: map[string]string{},
	}
	first := true
	for _, file := range t.Files {
		err := readLines(ctx, file, func(n int, line []byte) bool {
			line = slices.Clone(line)
			var l codexLine
			if line[0] != '{' || decode(line, &l) != nil {
				r.damaged = append(r.damaged, Damage{file, n})
				return true
			}
			r.key = "line:" + strconv.Itoa(n)
			if t, err := time.Parse(time.RFC3339Nano, l.Timestamp); err == nil {
				r.time = t
				if r.started.IsZero() {
					r.started = t
				}
			}
			switch {
			case l.Payload != nil:
				r.line(l)
			case first && l.Type == "":
				r.meta(line)
			case l.RecordType != "":
				r.skip("record " + l.RecordType)
			default:
				r.item(line)
			}
			first = false
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return r.conversation, nil
}

func (r *codexReader) line(l codexLine) {
	switch l.Type {
	case "session_meta":
		r.meta(l.Payload)
	case "turn_context":
		r.turn(l.Payload)
	case "response_item":
		r.item(l.Payload)
	case "compacted":
		var c struct {
			Message            string
			ReplacementHistory []codexItem `json:"replacement_history"`
		}
		_ = decode(l.Payload, &c) // it was read as a part of the line
		for _, i := range slices.Backward(c.ReplacementHistory) {
			c.Message = cmp.Or(c.Message, codexText(i.Content))
		}
		typ, members := compaction(c.Message, r.context)
		r.put(typ, members, nil)
	case "event_msg":
		r.event(l.Payload)
	default:
		r.skip(cmp.Or(l.Type, "line without a type"))
	}
}

// meta takes what the first line says. A rollout that was forked has the one of its origin behind it.
func (r *codexReader) meta(raw json.RawMessage) {
	var m codexMeta
	_ = decode(raw, &m)
	if r.cwd != "" || m.ID != "" && m.ID != r.id {
		r.skip("session_meta of another session")
		return
	}
	r.cwd, r.parent = m.Cwd, m.ForkedFrom
	r.provider = cmp.Or(m.ModelProvider, r.provider)
	if t, err := time.Parse(time.RFC3339Nano, m.Timestamp); err == nil {
		r.started = t
		if r.time.IsZero() {
			r.time = t
		}
	}
}

// turn notes the model and how much it thinks, where they change.
func (r *codexReader) turn(raw json.RawMessage) {
	var c codexContext
	_ = decode(raw, &c)
	r.cwd = cmp.Or(r.cwd, c.Cwd)
	key := r.key
	if c.Model != "" && c.Model != r.model {
		r.model = c.Model
		r.key = key + "#model"
		r.put(session.TypeModelChange, []member{{"model", r.provider + "/" + c.Model}, {"provider", r.provider}, {"modelId", c.Model}}, nil)
	}
	if c.Effort != "" && c.Effort != r.effort {
		r.effort = c.Effort
		r.key = key + "#thinking"
		level := c.Effort
		if level == "none" {
			level = "off"
		}
		r.put(session.TypeThinkingLevelChange, []member{{"thinkingLevel", level}}, nil)
	}
	r.key = key
}

// put makes a node behind the last. Only an answer can be added to.
func (r *codexReader) put(typ string, members []member, m *message.Message) *node {
	n := r.add(&node{keys: []string{r.key}, parent: r.last, typ: typ, time: r.time, members: members, message: m})
	r.last, r.answer = n, nil
	return n
}

func (r *codexReader) item(raw json.RawMessage) {
	var i codexItem
	_ = decode(raw, &i)
	switch i.Type {
	case "message":
		r.message(i)
	case "reasoning":
		text := ""
		for _, p := range slices.Concat(i.Summary, i.Content) {
			text = join(text, p.Text, "\n\n")
		}
		if text != "" {
			r.say(message.Block{Type: message.BlockThinking, Thinking: text})
		}
	case "function_call":
		r.call(i.CallID, i.Name, json.RawMessage(i.Arguments))
	case "custom_tool_call":
		input, _ := object([]member{{"input", i.Input}})
		r.call(i.CallID, i.Name, input)
	case "local_shell_call":
		r.call(i.CallID, "shell", i.Action)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		m := codexOutput(i.Output)
		m.ToolCallID, m.ToolName = i.CallID, r.names[i.CallID]
		r.put(session.TypeMessage, nil, &m)
	case "ghost_snapshot":
		r.skip(i.Type)
	case "":
		r.skip("line without a type")
	default:
		typ, members := kept("codex/"+i.Type, raw)
		r.put(typ, members, nil)
	}
}

// notTyped is how messages begin that Codex puts in as the user.
var notTyped = []string{
	"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<permissions instructions>", "<turn_aborted>",
	"<skill>", "<collaboration_mode>",
}

func (r *codexReader) message(i codexItem) {
	var blocks []message.Block
	for _, p := range i.Content {
		if p.Type == "input_image" {
			blocks = append(blocks, codexImage(p.ImageURL))
		} else if p.Text != "" {
			blocks = append(blocks, message.Text(p.Text))
		}
	}
	if len(blocks) == 0 {
		return
	}
	m := &message.Message{Role: i.Role, Content: blocks}
	switch i.Role {
	case "assistant":
		r.say(blocks...)
	case "user":
		text := strings.TrimSpace(m.Text())
		if slices.ContainsFunc(notTyped, func(s string) bool { return strings.HasPrefix(text, s) }) {
			if _, rest, ok := strings.Cut(text, "<cwd>"); ok && r.cwd == "" {
				r.cwd, _, _ = strings.Cut(rest, "</cwd>")
			}
			typ, members := note("codex/context", m.Text())
			r.put(typ, members, nil)
			return
		}
		r.turns = append(r.turns, r.put(session.TypeMessage, nil, m))
	case "system", "developer":
		m.Role = message.RoleDeveloper
		r.put(session.TypeMessage, nil, m)
	default:
		r.skip("message of " + cmp.Or(i.Role, "nobody"))
	}
}

// say adds blocks to the answer that goes on, or begins one.
func (r *codexReader) say(blocks ...message.Block) {
	if r.answer == nil || r.known(r.answer.keys[0]) != r.known(r.key) {
		r.answer = r.put(session.TypeMessage, nil, &message.Message{
			Role: message.RoleAssistant, API: "openai-responses", Provider: r.provider, Model: r.model, StopReason: message.StopEnd,
		})
		r.counted = r.last
		r.answer = r.last
	} else {
		r.answer.keys = append(r.answer.keys, r.key)
	}
	r.answer.message.Content = append(r.answer.message.Content, blocks...)
}

func (r *codexReader) call(id, name string, arguments json.RawMessage) {
	c := message.Block{Type: message.BlockToolCall, ID: id, Name: name}
	if json.Valid(arguments) && strings.HasPrefix(strings.TrimSpace(string(arguments)), "{") {
		c.Arguments = compacted(arguments)
	} else if len(arguments) > 0 {
		c.Arguments, _ = object([]member{{"arguments", string(arguments)}})
	}
	r.names[id] = name
	r.say(c)
	r.answer.message.StopReason = message.StopToolUse
}

// codexOutput is what a tool gave back: a text, a text in JSON in a text, an object, or blocks.
func codexOutput(raw json.RawMessage) message.Message {
	m := message.Message{Role: message.RoleToolResult, Content: []message.Block{}}
	var text string
	var parts []codexPart
	var o struct {
		Output   *string
		Content  json.RawMessage
		Success  *bool
		Metadata *struct {
			ExitCode int `json:"exit_code"`
		}
	}
	switch {
	case json.Unmarshal(raw, &text) == nil:
		if strings.HasPrefix(text, "{") && decode([]byte(text), &o) == nil && o.Output != nil && o.Metadata != nil {
			text, m.IsError = *o.Output, o.Metadata.ExitCode != 0
		}
		m.Content = append(m.Content, message.Text(text))
	case json.Unmarshal(raw, &parts) == nil:
		for _, p := range parts {
			if p.Type == "input_image" {
				m.Content = append(m.Content, codexImage(p.ImageURL))
			} else {
				m.Content = append(m.Content, message.Text(p.Text))
			}
		}
	case decode(raw, &o) == nil && o.Content != nil:
		m = codexOutput(o.Content)
		m.IsError = o.Success != nil && !*o.Success
	case len(raw) > 0:
		m.Content = append(m.Content, message.Text(string(raw)))
	}
	return m
}

// codexImage is an image whose bytes are in its address; of another the address is told.
func codexImage(address string) message.Block {
	head, data, ok := strings.Cut(address, ";base64,")
	if mime, isData := strings.CutPrefix(head, "data:"); ok && isData && validBase64(data) == nil {
		return message.Block{Type: message.BlockImage, MimeType: mime, Data: data}
	}
	return message.Text("[image: " + address + "]")
}

func codexText(parts []codexPart) string {
	text := ""
	for _, p := range parts {
		text = join(text, p.Text, "\n\n")
	}
	return text
}

// event heeds what the items do not say. Most events say again what they do.
func (r *codexReader) event(raw json.RawMessage) {
	var e codexEvent
	_ = decode(raw, &e)
	switch e.Type {
	case "token_count":
		u := e.Info.Last
		if u == nil {
			return
		}
		r.context = u.Total
		if r.counted != nil {
			r.counted.message.Usage = &message.Usage{Input: u.Input - u.Cached, Output: u.Output, CacheRead: u.Cached, TotalTokens: u.Total}
			r.counted = nil
		}
	case "turn_aborted":
		if r.answer != nil {
			r.answer.message.StopReason = message.StopAborted
			r.answer = nil
		}
	case "thread_rolled_back":
		if n := min(e.NumTurns, len(r.turns)); n > 0 {
			at := len(r.turns) - n
			r.last, r.turns, r.answer = r.turns[at].parent, r.turns[:at], nil
			r.model, r.effort = "", "" // said again on the new path
		}
	case "user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break", "context_compacted",
		"task_started", "task_complete", "turn_started", "turn_complete", "entered_review_mode", "exited_review_mode", "thread_name_updated":
	default:
		r.skip("event " + cmp.Or(e.Type, "without a type"))
	}
}
