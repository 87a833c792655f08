//go:build !windows

package extension_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/agent"
)

func TestWhatAProgramHasStartedEndsWithTheSession(t *testing.T) {
	l := newLive(t, nil, agent.Options{}, program(t, "leaves a child").Extension())
	if err := l.RunCommand(t.Context(), "pid", ""); err != nil {
		t.Fatal(err)
	}
	var name string
	var pid, child int
	if _, err := fmt.Sscanf(l.await(agent.Notice, "pids").Text, "%s pids %d %d", &name, &pid, &child); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the program is there: %v", err)
	}
	// It was killed; nobody here can wait for it, for it is no child of ours.
	for deadline := time.Now().Add(30 * time.Second); syscall.Kill(child, 0) == nil && !zombie(child); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("what the program started is there")
		}
	}
	l.noTrouble()
}

// zombie tells whether a process has ended, but was not yet waited for by whoever inherited it.
func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true // it is gone, or this system does not tell
	}
	_, state, _ := bytes.Cut(b, []byte(") "))
	return bytes.HasPrefix(state, []byte("Z"))
}
