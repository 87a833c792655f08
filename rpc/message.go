package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// incoming is a request, a notification (no ID), or the answer to a request of the server's.
type incoming struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *Error          `json:"error"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

type outgoing struct {
	Version string `json:"jsonrpc"`
	ID      string `json:"id,omitempty"` // of a request; "" for a notification
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// Error is a JSON-RPC error object.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// The codes: JSON-RPC's own, and Ramo's.
const (
	CodeParse     = -32700
	CodeRequest   = -32600
	CodeMethod    = -32601
	CodeParams    = -32602
	CodeFailed    = 1 // what was asked for failed
	CodeNoSession = 2 // no session is open
	CodeBusy      = 3 // another operation is running
	CodeNotFound  = 4 // no such entry, file, model or method argument
	CodeReadOnly  = 5
	CodeNoModel   = 6
	CodeCancelled = 7
)

func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	code := CodeFailed
	switch {
	case errors.Is(err, agent.ErrBusy):
		code = CodeBusy
	case errors.Is(err, session.ErrNotFound), errors.Is(err, fs.ErrNotExist), errors.Is(err, model.ErrUnknown), errors.Is(err, extension.ErrNoCommand):
		code = CodeNotFound
	case errors.Is(err, session.ErrReadOnly):
		code = CodeReadOnly
	case errors.Is(err, agent.ErrNoModel), errors.Is(err, model.ErrNotForChat):
		code = CodeNoModel
	case isCancelled(err):
		code = CodeCancelled
	case errors.Is(err, summary.ErrNothingToCompact), errors.Is(err, summary.ErrAlreadyCompacted):
		code = CodeNotFound
	}
	return &Error{code, err.Error()}
}

// marshal is json.Marshal without escapes for HTML, on one line.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
