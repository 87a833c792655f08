//go:build unix

package journeys

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// terminal is a tmux server of its own, with one window.
type terminal struct {
	t      *testing.T
	socket string
}

// open starts the program with arguments in a terminal of a size.
func (p *traveller) open(width, height int, args ...string) *terminal {
	p.t.Helper()
	s := &terminal{t: p.t, socket: p.home + "/tmux" + strconv.Itoa(len(openTerminals(p.home)))}
	command := append([]string{
		"-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "-c", p.project,
		"env", "-i",
	}, p.env()...)
	wrapper, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	command = append(command, "TERM=tmux-256color", notes+"="+s.socket, wrapper, binary)
	// What the program left on the screen stays to be seen after its end.
	s.tmux(append(append(command, args...), ";", "set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-s", "escape-time", "0")...)
	p.t.Cleanup(func() { _ = exec.Command("tmux", "-S", s.socket, "kill-server").Run() })
	return s
}

func openTerminals(dir string) (sockets []string) {
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if strings.HasPrefix(e.Name(), "tmux") && !strings.Contains(e.Name(), ".") {
			sockets = append(sockets, e.Name())
		}
	}
	return sockets
}

func (s *terminal) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// press sends keys by tmux's names: Enter, Escape, Up, C-t, M-t.
func (s *terminal) press(keys ...string) {
	s.t.Helper()
	s.tmux(append([]string{"send-keys"}, keys...)...)
}

// typed sends text.
func (s *terminal) typed(text string) {
	s.t.Helper()
	s.tmux("send-keys", "-l", text)
}

func (s *terminal) screen() string {
	s.t.Helper()
	return s.tmux("capture-pane", "-p")
}

const patience = 60 * time.Second // for what comes within a second on an idle machine

// until waits for a condition.
func (s *terminal) until(what string, done func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%s did not come; the screen is\n%s", what, s.screen())
		}
	}
}

// see waits until all texts are on the screen.
func (s *terminal) see(texts ...string) {
	s.t.Helper()
	s.until(fmt.Sprintf("%q", texts), func() bool {
		screen := s.screen()
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// gone waits until a text is not on the screen.
func (s *terminal) gone(text string) {
	s.t.Helper()
	s.until("the end of "+text, func() bool { return !strings.Contains(s.screen(), text) })
}

func (s *terminal) resize(width, height int) {
	s.t.Helper()
	s.tmux("resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

// pid is the program's.
func (s *terminal) pid() int {
	s.t.Helper()
	raw, err := os.ReadFile(s.socket + ".pid")
	if err != nil {
		s.t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(raw))
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
}

func (s *terminal) kill9() {
	s.t.Helper()
	if err := syscall.Kill(s.pid(), syscall.SIGKILL); err != nil {
		s.t.Fatal(err)
	}
	s.ended()
}

// ended waits until the program has.
func (s *terminal) ended() {
	s.t.Helper()
	s.until("the program's end", func() bool {
		return strings.TrimSpace(s.tmux("display-message", "-p", "#{pane_dead}")) == "1"
	})
}

// quit ends the program as a user does, and finds that it has ended well.
func (s *terminal) quit() {
	s.t.Helper()
	s.typed("/quit")
	s.press("Enter")
	s.ended()
	status, err := os.ReadFile(s.socket + ".status")
	if err != nil || string(status) != "0" {
		s.t.Errorf("it ended with %q, %v:\n%s", status, err, s.screen())
	}
}

// notes is the variable that has the test binary run a program and note its process and how it ended:
// tmux does not always know.
const notes = "RAMO_JOURNEY_NOTES"

// runNoted runs the program that the arguments name.
func runNoted(file string) int {
	c := exec.Command(os.Args[1], os.Args[2:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	err := os.WriteFile(file+".pid", []byte(strconv.Itoa(c.Process.Pid)), 0o600)
	if werr := c.Wait(); err == nil && c.ProcessState == nil {
		err = werr
	}
	if serr := os.WriteFile(file+".status", []byte(strconv.Itoa(c.ProcessState.ExitCode())), 0o600); err == nil {
		err = serr
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
