package message

import (
	"slices"
	"strconv"
)

// turns puts each result with its call. A turn is a message and, for an assistant's, its calls.
type turns struct {
	list []turn
	open map[string]callAt   // by the id in the log: the latest call with it
	used map[string]struct{} // ids that calls have in the result
	next map[string]int      // by id: the number to try when it must be replaced again
}

type turn struct {
	message Message
	calls   []Block
	results []Message // in the order of the log
	done    []bool    // by call
}

type callAt struct{ turn, call int }

func (t *turns) add(m Message) {
	turn := turn{message: m}
	if m.Role == RoleAssistant {
		turn = t.called(m)
	}
	t.list = append(t.list, turn)
}

// called enters an assistant message's calls. A second call with one id in one message cannot be
// told from the first and is dropped; an id that an earlier message used is replaced.
func (t *turns) called(m Message) turn {
	if t.open == nil {
		t.open, t.used, t.next = map[string]callAt{}, map[string]struct{}{}, map[string]int{}
	}
	seen := map[string]bool{}
	m = keep(m, func(b Block) bool {
		if b.Type != BlockToolCall {
			return true
		}
		first := !seen[b.ID]
		seen[b.ID] = true
		return first
	})
	renamed := false
	out := turn{message: m}
	for i, b := range m.Content {
		if b.Type != BlockToolCall {
			continue
		}
		t.open[b.ID] = callAt{len(t.list), len(out.calls)}
		if id := t.unused(b.ID, seen); id != b.ID {
			if !renamed {
				m = m.Editable()
				m.Content = slices.Clone(m.Content)
				renamed = true
			}
			b = b.Editable()
			b.ID = id
			m.Content[i] = b
		}
		t.used[b.ID] = struct{}{}
		out.calls = append(out.calls, b)
	}
	out.message = m
	out.done = make([]bool, len(out.calls))
	return out
}

// unused is id, or one made from it that no call of this message (own) or an earlier one has.
func (t *turns) unused(id string, own map[string]bool) string {
	_, taken := t.used[id]
	if id != "" && !taken {
		return id
	}
	base := id
	if base == "" {
		base = "call"
	}
	for n := max(2, t.next[base]); ; n++ { // some providers begin with call_0 in every answer
		next := base + "_" + strconv.Itoa(n) // what providers allow in an id: letters, digits, _ and -
		if _, taken := t.used[next]; !taken && !own[next] {
			t.next[base] = n + 1
			return next
		}
	}
}

// answer puts a result with its call, if there is one that has none.
func (t *turns) answer(m Message) {
	at, ok := t.open[m.ToolCallID]
	if !ok || t.list[at.turn].done[at.call] {
		return
	}
	turn := &t.list[at.turn]
	turn.done[at.call] = true
	call := turn.calls[at.call]
	m = keep(m, Block.isSaid)
	if len(m.Content) == 0 || m.ToolCallID != call.ID || m.ToolName == "" {
		m = m.Editable()
		m.ToolCallID = call.ID
		if m.ToolName == "" {
			m.ToolName = call.Name
		}
		if len(m.Content) == 0 {
			m.Content = []Block{Text("(no output)")}
		}
	}
	turn.results = append(turn.results, m)
}

func (t *turns) messages() []Message {
	n := len(t.list)
	for _, turn := range t.list {
		n += len(turn.calls)
	}
	out := make([]Message, 0, n)
	for _, turn := range t.list {
		out = append(append(out, turn.message), turn.results...)
		for i, call := range turn.calls {
			if !turn.done[i] {
				out = append(out, standIn(turn.message, call))
			}
		}
	}
	return out
}

// standIn is a result for a call that has none in the list.
func standIn(m Message, call Block) Message {
	text := "The result of this call is not on this branch of the conversation. It may or may not have run."
	if m.StopReason == StopAborted || m.StopReason == StopError {
		text = "The answer was stopped before this call was run: its result is not on this branch of the conversation."
	}
	return Message{
		Role:       RoleToolResult,
		ToolCallID: call.ID,
		ToolName:   call.Name,
		Content:    []Block{Text(text)},
		IsError:    true,
		Timestamp:  m.Timestamp,
	}
}
