package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const (
	defaultTimeout = 2 * time.Minute
	// grace is for a command to tidy up after it was told to end.
	grace = 2 * time.Second
	// drain is for output that a process which left the group still holds open.
	drain = 500 * time.Millisecond
)

var bashParameters = json.RawMessage(`{"type":"object","properties":{
"command":{"type":"string","description":"What bash -c shall run."},
"timeout":{"type":"number","minimum":0.1,"maximum":3600,"description":"Seconds until it is stopped; 120 if not given."}},
"required":["command"],"additionalProperties":false}`)

type bashArguments struct {
	Command string
	Timeout float64
}

// CommandDetails are the Details of bash.
type CommandDetails struct {
	ExitCode  *int  `json:"exitCode"`            // null when the command did not end by itself
	TimedOut  bool  `json:"timedOut,omitempty"`  //
	Cancelled bool  `json:"cancelled,omitempty"` //
	Omitted   int64 `json:"omittedBytes,omitempty"`
}

func (w *Workspace) bashTool() Tool {
	return Tool{
		Name: "bash",
		Description: fmt.Sprintf("Run a command with bash in the working directory. Returns its output and errors together, at most the first %s and the last %s. "+
			"There is no terminal and no input. What it leaves running in the background is ended with it.", size(maxOutputHead), size(maxOutputTail)),
		Parameters:  bashParameters,
		PreApproved: w.preApproved,
		Run:         bind(bashParameters, w.bash),
	}
}

func (w *Workspace) bash(ctx context.Context, a bashArguments) (Result, error) {
	if strings.TrimSpace(a.Command) == "" {
		return Result{}, errors.New("the command is empty")
	}
	if strings.ContainsRune(a.Command, 0) {
		return Result{}, errors.New("the command holds a NUL byte")
	}
	shell, err := findShell()
	if err != nil {
		return Result{}, err
	}
	timeout := defaultTimeout
	if a.Timeout > 0 {
		timeout = time.Duration(a.Timeout * float64(time.Second))
	}
	out := &output{show: func(piece string) { ShowOutput(ctx, piece) }}
	cmd := exec.Command(shell, "-c", a.Command)
	cmd.Dir = w.dir
	cmd.Env = w.environment()
	ended, err := runCommand(ctx, cmd, timeout, out)
	if err != nil {
		return Result{}, fmt.Errorf("cannot run %s: %w", shell, err)
	}
	return commandResult(out, cmd.ProcessState, ended, timeout)
}

func findShell() (string, error) {
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is neither bash nor sh on this system's PATH")
}

// environment keeps programs from waiting for someone to press a key.
func (w *Workspace) environment() []string {
	env := w.options.Env
	if env == nil {
		env = os.Environ()
	}
	return append(slices.Clone(env), "TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "PWD="+w.dir)
}

// ending is why a command is no longer running.
type ending int

const (
	byItself ending = iota
	timedOut
	cancelled
)

// runCommand runs cmd and everything it starts as one group, and returns when none of the group is left.
func runCommand(ctx context.Context, cmd *exec.Cmd, timeout time.Duration, out io.Writer) (ending, error) {
	if err := ctx.Err(); err != nil {
		return byItself, err // a command that is started and then killed may have done its work
	}
	r, pipe, err := os.Pipe()
	if err != nil {
		return byItself, err
	}
	// Both are the same file, so that output and errors come in the order they were written. And as
	// they are files, Wait does not wait for processes in the background to close them.
	cmd.Stdout, cmd.Stderr = pipe, pipe
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return byItself, errors.Join(err, r.Close(), pipe.Close())
	}
	_ = pipe.Close() // the command has its own; a failure here would show as a pipe that never ends, see drain
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(out, r) // ends with the last writer, or when r is closed
	}()
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait() // ProcessState says how it ended
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	ended := byItself
	select {
	case <-exited:
	case <-ctx.Done():
		ended = cancelled
	case <-timer.C:
		ended = timedOut
	}
	if ended != byItself {
		terminateGroup(cmd.Process)
		select {
		case <-exited:
		case <-time.After(grace):
		}
	}
	killGroup(cmd.Process)
	<-exited
	select {
	case <-copied:
	case <-time.After(drain):
	}
	_ = r.Close() // it was only read
	<-copied
	return ended, nil
}

func commandResult(out *output, state *os.ProcessState, ended ending, timeout time.Duration) (Result, error) {
	text, omitted := out.text()
	d := CommandDetails{Omitted: omitted, TimedOut: ended == timedOut, Cancelled: ended == cancelled}
	var note string
	switch {
	case ended == cancelled:
		note = "cancelled"
	case ended == timedOut:
		note = fmt.Sprintf("stopped after %v: it took too long; for more time set timeout", timeout)
	case state.Exited():
		code := state.ExitCode()
		d.ExitCode = &code
		if code != 0 {
			note = fmt.Sprintf("exit code %d", code)
		}
	default:
		note = "ended by " + state.String()
	}
	if text == "" {
		text = "(no output)"
	}
	if note != "" {
		text = strings.TrimRight(text, "\n") + "\n\n[" + note + "]"
	}
	details, err := json.Marshal(d)
	if err != nil {
		return Result{}, err
	}
	r := Text(text)
	r.Details, r.IsError = details, note != ""
	return r, nil
}

// preApproved tells whether the command begins as one that the options allow. Anything by which a shell
// could run something else, even quoted, is for the user to judge.
func (w *Workspace) preApproved(args json.RawMessage) bool {
	var a bashArguments
	if json.Unmarshal(args, &a) != nil || strings.ContainsAny(a.Command, ";&|<>$`()\n\r\x00") {
		return false
	}
	words := strings.Fields(a.Command)
	return slices.ContainsFunc(w.options.AllowCommands, func(prefix string) bool {
		allowed := strings.Fields(prefix)
		return len(allowed) > 0 && len(words) >= len(allowed) && slices.Equal(words[:len(allowed)], allowed)
	})
}
