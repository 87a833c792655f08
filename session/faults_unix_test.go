//go:build unix

package session

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inChild runs a test again as a process of its own, for what concerns a whole process. It returns
// true in the child.
func inChild(t *testing.T, prepare func(*exec.Cmd)) bool {
	t.Helper()
	const env = "RAMO_TEST_CHILD"
	if os.Getenv(env) == t.Name() {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), env+"="+t.Name(), "RAMO_TEST_DIR="+t.TempDir())
	prepare(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Fatalf("%v\n%s", err, out)
	}
	return false
}

func say(text string) Body {
	return RawBody(`{"type":"message","message":{"role":"user","content":"` + text + `"}}`)
}

// checkUnharmed appends to a session in good health, then while broken, then again in good health,
// and checks that exactly the acknowledged entries are there, in memory and in the file.
func checkUnharmed(t *testing.T, path string, broken func(), mended func(), cause error) {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	before := s.Len()
	broken()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		leaf, _ := s.Leaf()
		_, err := s.Append(t.Context(), say(strings.Repeat("too much ", 40_000)))
		if !errors.Is(err, cause) {
			t.Fatalf("the error is %v, want %v", err, cause)
		}
		if !strings.Contains(err.Error(), path) {
			t.Errorf("the error does not name the file: %v", err)
		}
		if now, _ := s.Leaf(); s.Len() != before || now.ID() != leaf.ID() {
			t.Fatal("the failed entry is in memory")
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, file) {
			t.Fatalf("the failed append left %d bytes in the file", len(now)-len(file))
		}
	}
	mended()
	e, err := s.Append(t.Context(), say("after"))
	if err != nil {
		t.Fatalf("the session does not work again: %v", err)
	}
	again, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if leaf, _ := again.Leaf(); again.Len() != before+1 || leaf.ID() != e.ID() || len(again.Problems()) > 0 {
		t.Fatalf("%d entries, leaf %s, problems %v", again.Len(), leaf.ID(), again.Problems())
	}
}

func TestFullDiskAsAFileSizeLimit(t *testing.T) {
	if !inChild(t, func(*exec.Cmd) {}) {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	path := newFile(t)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	limit := func(n uint64) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: old.Max}); err != nil {
			t.Fatal(err)
		}
	}
	checkUnharmed(t, path, func() { limit(100_000) }, func() { limit(old.Cur) }, syscall.EFBIG)
}

func TestRemovedPermission(t *testing.T) {
	child := inChild(t, func(cmd *exec.Cmd) {
		if os.Getuid() != 0 {
			return
		}
		// Root may do everything, so somebody else must try.
		dir := strings.TrimPrefix(cmd.Env[len(cmd.Env)-1], "RAMO_TEST_DIR=")
		for d := dir; d != os.TempDir() && len(d) > 1; d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		exe := filepath.Join(dir, "test")
		b, err := os.ReadFile(os.Args[0])
		if err == nil {
			err = os.WriteFile(exe, b, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		cmd.Path = exe
		cmd.Env = append(cmd.Env, "TMPDIR="+dir, "XDG_STATE_HOME="+dir)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	})
	if !child {
		return
	}
	path := newFile(t)
	checkUnharmed(t, path, func() {
		if err := os.Chmod(path, 0o400); err != nil {
			t.Fatal(err)
		}
	}, func() {
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}, fs.ErrPermission)
}
