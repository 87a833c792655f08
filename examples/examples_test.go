// Package examples has programs to start from. Each is run by a test, as anyone would run it.
package examples

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/internal/modeltest"
	"github.com/ramo-dev/ramo/session"
)

// build makes an example's program.
func build(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".exe")
	if out, err := exec.Command("go", "build", "-o", path, "./"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func TestBranchesOfTheTour(t *testing.T) {
	out, err := exec.Command(build(t, "branches"), "tour.jsonl").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s, err := session.Open(context.Background(), "tour.jsonl", session.WithoutPosition())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := strings.Count(string(out), "\n"); n != s.Counts().Branches || !strings.Contains(string(out), "Good. Changelog, then commit.") {
		t.Errorf("%d lines for %d branches:\n%s", n, s.Counts().Branches, out)
	}
}

func TestWatchSeesAnAppend(t *testing.T) {
	tour, err := os.ReadFile("tour.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, tour, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, build(t, "watch"), path)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.Contains(lines.Text(), "waiting for more") {
		t.Fatalf("it says %q, %v", lines.Text(), lines.Err())
	}
	s, err := session.Open(ctx, path, session.WithoutPosition())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e, err := s.Append(ctx, session.CustomMessage{CustomType: "note", Content: []byte(`"hello"`)})
	if err != nil {
		t.Fatal(err)
	}
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), e.ID()) {
		t.Errorf("of %s it says %q, %v", e.ID(), lines.Text(), lines.Err())
	}
}

func TestChatGoesOnInASession(t *testing.T) {
	server := modeltest.NewServer(t, modeltest.OpenAI,
		modeltest.Turn{Text: []string{"Air scatters ", "blue light most."}},
		modeltest.Turn{Text: []string{"Then there is none to scatter."}},
	)
	program, path := build(t, "chat"), filepath.Join(t.TempDir(), "talk.jsonl")
	ask := func(request string) string {
		t.Helper()
		cmd := exec.Command(program, path, "local/small", request)
		cmd.Env = append(os.Environ(), "BASE_URL="+server.BaseURL(modeltest.OpenAI), "XDG_STATE_HOME="+t.TempDir())
		cmd.Stderr = io.Discard
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if got := ask("Why is the sky blue?"); got != "Air scatters blue light most.\n" {
		t.Errorf("the first answer is %q", got)
	}
	if got := ask("And at night?"); got != "Then there is none to scatter.\n" {
		t.Errorf("the second answer is %q", got)
	}
	if second := server.Requests()[1].Raw; !strings.Contains(second, "Why is the sky blue?") || !strings.Contains(second, "And at night?") {
		t.Errorf("the second request is %s", second)
	}
}
