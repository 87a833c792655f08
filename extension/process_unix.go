//go:build !windows

package extension

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts the program as the leader of a session of its own: what it starts ends with it, and
// the terminal is not its to read from.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// killGroup ends the program and what it has started. That they have ended already is no error.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
