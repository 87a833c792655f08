package treeview

import (
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// class is what the filters know an entry by.
type class uint8

const (
	classOther class = iota
	classUser
	classAssistant
	classCallsOnly // an assistant message with tool calls and no text, neither failed nor aborted
	classFailed    // an assistant message that failed or was aborted
	classToolResult
	classExecution
	classCustomMessage
	classSummary
	classBookkeeping
	classLabel
)

func classify(e session.Entry) class {
	if role := e.Role(); role != "" { // nearly all are messages
		return classifyMessage(e, role)
	}
	switch e.Type() {
	case session.TypeCustomMessage:
		return classCustomMessage
	case session.TypeBranchSummary, session.TypeCompaction:
		return classSummary
	case session.TypeLabel:
		return classLabel
	case session.TypeMessage, session.TypeResetBoundary:
		return classOther
	}
	// What no one has heard of is bookkeeping too: those types that came so far were.
	return classBookkeeping
}

func classifyMessage(e session.Entry, role string) class {
	switch role {
	case message.RoleUser:
		return classUser
	case message.RoleAssistant:
		switch {
		case e.Failed() || e.Aborted():
			return classFailed
		case e.HasToolCalls() && !e.HasText():
			return classCallsOnly
		}
		return classAssistant
	case message.RoleToolResult:
		return classToolResult
	case message.RoleBashExecution, message.RolePythonExecution:
		return classExecution
	case message.RoleCustom, message.RoleHookMessage:
		return classCustomMessage
	case message.RoleBranchSummary, message.RoleCompactionSummary:
		return classSummary
	}
	return classOther
}

func (c class) kind() Kind {
	switch c {
	case classUser:
		return KindUser
	case classAssistant, classCallsOnly:
		return KindAssistant
	case classFailed:
		return KindError
	case classToolResult, classExecution:
		return KindTool
	case classSummary:
		return KindSummary
	case classCustomMessage:
		return KindCustom
	}
	return KindBookkeeping
}
