package tool

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup ends the process and those it started: Windows has no gentler way without a console.
func terminateGroup(p *os.Process) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run() // killGroup follows
}

func killGroup(p *os.Process) { _ = p.Kill() }
