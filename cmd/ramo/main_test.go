package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var (
	update = flag.Bool("update", false, "renew the golden files")
	binary string // the program that is tested
)

// TestMain builds the program once: the tests run it as a shell would.
func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "ramo-test")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "ramo")
		if runtime.GOOS == "windows" {
			binary += ".exe"
		}
		if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// machine is a place to run the program in: a home, and a directory to be in.
type machine struct {
	t    *testing.T
	home string
	dir  string
	env  []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, home: filepath.Join(base, "home"), dir: filepath.Join(base, "work")}
	for _, dir := range []string{m.home, m.dir} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m.env = []string{
		"HOME=" + m.home, "USERPROFILE=" + m.home, "XDG_DATA_HOME=" + filepath.Join(m.home, "data"),
		"XDG_STATE_HOME=" + filepath.Join(m.home, "state"), "TZ=UTC", "PATH=" + os.Getenv("PATH"),
		"SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "TMPDIR=" + os.Getenv("TMPDIR"),
	}
	return m
}

type outcome struct {
	out, err string
	code     int
}

// run runs the program with standard input.
func (m *machine) run(stdin string, args ...string) outcome {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = m.dir, m.env, strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("ramo %q: %v", args, err)
	}
	if ctx.Err() != nil {
		m.t.Fatalf("ramo %q: hangs", args)
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// ok runs the program, which must end well and say nothing on standard error.
func (m *machine) ok(args ...string) string {
	m.t.Helper()
	return m.fed("", args...)
}

func (m *machine) fed(stdin string, args ...string) string {
	m.t.Helper()
	o := m.run(stdin, args...)
	if o.code != 0 || o.err != "" {
		m.t.Fatalf("ramo %q: exit %d, %q on standard error", args, o.code, o.err)
	}
	return o.out
}

// file writes a file into the machine's directory, or with an absolute name anywhere.
func (m *machine) file(name, content string) string {
	m.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(m.dir, name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		m.t.Fatal(err)
	}
	return name
}

// tour puts the session of examples/ into the machine's directory.
func (m *machine) tour() string {
	m.t.Helper()
	return m.file("tour.jsonl", read(m.t, "../../examples/tour.jsonl"))
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
