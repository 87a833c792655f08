package extension

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// incoming is a message of a program's.
type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *remoteError    `json:"error"`
}

type remoteError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *remoteError) Error() string { return short(e.Message) }

// outgoing is a message to a program.
type outgoing struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *remoteError    `json:"error,omitempty"`
}

// write writes lines until the program has ended or its input is closed.
func (r *program) write(in io.WriteCloser) {
	for {
		select {
		case line := <-r.lines:
			if len(line) == 0 {
				_ = in.Close()
				return
			}
			if _, err := in.Write(line); err != nil {
				return // it does not listen any more; that it ends is noticed elsewhere
			}
		case <-r.ctx.Done():
			return
		}
	}
}

// send has a message written. It waits while the program does not read.
func (r *program) send(ctx context.Context, m outgoing) error {
	m.Version = "2.0"
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return err
	}
	select {
	case r.lines <- b.Bytes():
		return nil
	case <-r.ctx.Done():
		return errGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *program) notify(ctx context.Context, method string, params any) error {
	return r.send(ctx, outgoing{Method: method, Params: params})
}

// request asks the program and waits for its answer. When ctx is done the program is told so, and its
// answer is still waited for: the Host has given the call up by then, and wants to know when the
// program comes back.
func (r *program) request(ctx context.Context, method string, params, result any) error {
	answer := make(chan incoming, 1)
	r.mu.Lock()
	r.next++
	id := strconv.Itoa(r.next)
	r.waiting[id] = answer
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.waiting, id)
		r.mu.Unlock()
	}()
	if err := r.send(ctx, outgoing{ID: json.RawMessage(id), Method: method, Params: params}); err != nil {
		return err
	}
	done := ctx.Done()
	for {
		select {
		case <-r.ctx.Done():
			return errGone
		case <-done:
			done = nil
			_ = r.notify(r.ctx, "$/cancel", map[string]any{"id": json.RawMessage(id)}) // or it has ended
		case a := <-answer:
			if a.Error != nil {
				return a.Error
			}
			if result == nil || len(a.Result) == 0 {
				return nil
			}
			if err := json.Unmarshal(a.Result, result); err != nil {
				return fmt.Errorf("its answer is not understood: %w", err)
			}
			return nil
		}
	}
}

// read takes what the program says until it says no more.
func (r *program) read(out io.Reader) {
	from := bufio.NewReaderSize(out, 64<<10)
	var line []byte
	long := false // what is read is the rest of a line that was dropped
	for {
		piece, err := from.ReadSlice('\n')
		if long || len(line)+len(piece) > MaxLine {
			r.bad("long", len(line)+len(piece), fmt.Errorf("a message is longer than %d MB, and dropped", MaxLine>>20))
			line, long = nil, true
		} else {
			line = append(line, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 {
			r.take(line)
		}
		line, long = nil, false
		if err != nil {
			return
		}
	}
}

// take takes one message.
func (r *program) take(line []byte) {
	var m incoming
	if err := json.Unmarshal(line, &m); err != nil {
		r.bad("noise", len(line), fmt.Errorf("on standard output it said what is no JSON-RPC message: %.100q; logs belong on standard error", bytes.TrimSpace(line)))
		return
	}
	if m.Method != "" {
		r.asked(m)
		return
	}
	r.mu.Lock()
	answer := r.waiting[string(m.ID)]
	delete(r.waiting, string(m.ID)) // a second answer is to nothing
	r.mu.Unlock()
	if answer == nil {
		r.bad("answer", len(line), fmt.Errorf("it answers to nothing that was asked: id %.100q", m.ID))
		return
	}
	answer <- m
}

// bad counts what is no message, or one without a meaning. The first of a kind is reported; too much
// ends the program.
func (r *program) bad(kind string, size int, err error) {
	r.once(kind, err)
	r.mu.Lock()
	r.noise += size
	enough := r.noise > MaxNoise && r.end == nil
	if enough {
		r.end = fmt.Errorf("it was stopped: it said more than %d MB of nonsense", MaxNoise>>20)
	}
	r.mu.Unlock()
	if enough {
		killGroup(r.cmd.Process)
	}
}

func (r *program) readErrors(from io.Reader) {
	_, _ = io.Copy(&r.stderr, from) // until it is closed
}
