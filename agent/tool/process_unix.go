//go:build !windows

package tool

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts the command as the leader of a session of its own: of a group that can be signalled
// as one, and without the terminal, from which a password prompt would read past the user interface.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// A group that is already gone is what is wanted, so errors do not matter.
func terminateGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }
func killGroup(p *os.Process)      { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
