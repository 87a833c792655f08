package summary

import (
	"github.com/ramo-dev/ramo/message"
)

// Cut is where a compaction cuts a list of messages.
type Cut struct {
	First int // the first message that is kept; 0: there is no cut
	Turn  int // where the turn begins that the cut goes through; First if it goes between two turns
}

// FindCut finds where to cut a context's messages, without the compaction summary it may begin with
// (section 11). It is the earliest point from which what is kept is within keepRecentTokens; if the
// last point of all keeps more, it is that one, for something must stay. The cut is before a message
// of a user, an assistant, an execution, an extension or a summary: never before a tool result, and
// never between a call and its result.
func FindCut(msgs []message.Message, keepRecentTokens int64) Cut {
	return findCut(msgs, keepRecentTokens, func(int) bool { return true })
}

// findCut lets the caller forbid points.
func findCut(msgs []message.Message, keep int64, allowed func(i int) bool) Cut {
	inside := insideSteps(msgs)
	first := 0
	var kept int64
	for i := len(msgs) - 1; i >= 0; i-- {
		kept += estimate(msgs[i])
		if kept > keep && first > 0 {
			break
		}
		if cutsBefore(msgs[i].Role) && !inside[i] && allowed(i) {
			first = i
		}
	}
	if kept <= keep { // all of it fits
		first = 0
	}
	return Cut{First: first, Turn: turnStart(msgs, first)}
}

func cutsBefore(role string) bool {
	switch role {
	case message.RoleUser, message.RoleDeveloper, message.RoleAssistant, message.RoleBashExecution, message.RolePythonExecution,
		message.RoleCustom, message.RoleHookMessage, message.RoleBranchSummary, message.RoleFileMention:
		return true
	}
	return false
}

// insideSteps tells for each message whether a cut before it would part a call from its result.
// Other messages may stand between the two: a user need not wait. A call of the last answer that
// nothing answered yet may still get its result.
func insideSteps(msgs []message.Message) []bool {
	inside := make([]bool, len(msgs))
	callAt := map[string]int{} // by id, the latest: providers use ids again
	done := map[string]bool{}
	last := -1
	mark := func(from, to int) {
		for i := to; i > from && !inside[i]; i-- {
			inside[i] = true
		}
	}
	for i, m := range msgs {
		switch m.Role {
		case message.RoleAssistant:
			last = i
			for _, c := range m.ToolCalls() {
				callAt[c.ID], done[c.ID] = i, false
			}
		case message.RoleToolResult:
			if at, ok := callAt[m.ToolCallID]; ok {
				mark(at, i)
				done[m.ToolCallID] = true
			}
		}
	}
	if last >= 0 && msgs[last].StopReason != message.StopAborted && msgs[last].StopReason != message.StopError {
		for _, c := range msgs[last].ToolCalls() {
			if !done[c.ID] {
				mark(last, len(msgs)-1)
			}
		}
	}
	return inside
}

// turnStart is the request that the message at first works on, or first itself if a cut there goes
// between two turns.
func turnStart(msgs []message.Message, first int) int {
	if first == 0 || !midTurn(msgs, first) {
		return first
	}
	for i := first - 1; i >= 0; i-- {
		switch msgs[i].Role {
		case message.RoleUser:
			return i
		case message.RoleCustom, message.RoleHookMessage, message.RoleBashExecution, message.RolePythonExecution:
			// They begin a turn only if no work of a turn goes on around them.
			if !midTurn(msgs, i) {
				return startOfRequest(msgs, i)
			}
		}
	}
	return first // its request was cut off by an earlier compaction
}

// startOfRequest goes up from a note or an execution that stands directly behind the user's words.
func startOfRequest(msgs []message.Message, i int) int {
	for k := i - 1; k >= 0; k-- {
		switch msgs[k].Role {
		case message.RoleUser:
			return k
		case message.RoleAssistant, message.RoleToolResult:
			return i
		}
	}
	return i
}

// midTurn tells whether a turn is under way just before the message at i: an answer always belongs
// to one; anything else but a user's words does if it follows a result, which an answer must follow.
func midTurn(msgs []message.Message, i int) bool {
	switch msgs[i].Role {
	case message.RoleAssistant:
		return true
	case message.RoleUser:
		return false
	}
	for k := i - 1; k >= 0; k-- {
		switch msgs[k].Role {
		case message.RoleUser:
			return false
		case message.RoleToolResult:
			return true
		case message.RoleAssistant:
			return false
		}
	}
	return false
}
