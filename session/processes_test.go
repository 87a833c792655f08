package session

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// These tests run the test binary again as other processes, which append to one file at once.

const workerEnv = "RAMO_TEST_APPEND_TO"

func TestMain(m *testing.M) {
	if path := os.Getenv(workerEnv); path != "" {
		worker(path, os.Getenv("RAMO_TEST_WORKER"), os.Getenv("RAMO_TEST_APPENDS"))
		return
	}
	state, err := os.MkdirTemp("", "ramo-state")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_STATE_HOME", state)
	code := m.Run()
	os.RemoveAll(state)
	os.Exit(code)
}

// worker appends n entries, moving about and labelling in between, and tells of each one that was
// acknowledged: "ID PARENT TEXT". A worker that meets an error says so and ends.
func worker(path, name, count string) {
	n, _ := strconv.Atoi(count)
	ctx := context.Background()
	s, err := Open(ctx, path)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	out := bufio.NewWriter(os.Stdout)
	for i := range n {
		switch rand.IntN(12) {
		case 0:
			if err := s.BranchTo(s.At(rand.IntN(s.Len())).ID()); err != nil {
				fmt.Println("error", err)
				return
			}
		case 1:
			s.ResetLeaf()
		}
		parent := "null"
		if e, ok := s.Leaf(); ok {
			parent = e.ID()
		}
		text := fmt.Sprintf("%s:%d:%d", name, i, rand.Uint32())
		var body Body = RawBody(fmt.Sprintf(`{"type":"message","message":{"role":"user","content":"%s %s"}}`, text, strings.Repeat("x", rand.IntN(3000))))
		if i%10 == 9 {
			target := s.At(rand.IntN(s.Len())).ID()
			body = LabelChange{TargetID: target, Label: text}
		}
		e, err := s.Append(ctx, body)
		if err != nil {
			fmt.Println("error", err)
			return
		}
		fmt.Fprintln(out, e.ID(), parent, text)
		if err := out.Flush(); err != nil { // the entry counts as acknowledged once this is out
			return
		}
	}
}

// output is what a worker has said so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func startWorker(t *testing.T, path, name string, n int) (*exec.Cmd, *output) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerEnv+"="+path, "RAMO_TEST_WORKER="+name, "RAMO_TEST_APPENDS="+strconv.Itoa(n))
	out := new(output)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// acknowledged reads what workers said: an entry each. A last line that a kill cut short does not
// count.
func acknowledged(t *testing.T, out string, into map[string][2]string) {
	t.Helper()
	lines := strings.SplitAfter(out, "\n")
	for _, line := range lines {
		if !strings.HasSuffix(line, "\n") {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 3 || f[0] == "error" {
			t.Fatalf("a worker says: %s", line)
		}
		if _, twice := into[f[0]]; twice {
			t.Fatalf("the id %s was given twice", f[0])
		}
		into[f[0]] = [2]string{f[1], f[2]}
	}
}

// checkFile reads the file with encoding/json alone and holds it against what was acknowledged.
func checkFile(t *testing.T, path string, want map[string][2]string, mayBeTorn bool) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	for i, line := range lines {
		var e struct {
			Type, ID string
			ParentID *string `json:"parentId"`
			Label    string
			Message  struct{ Content string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			if mayBeTorn {
				continue
			}
			t.Fatalf("line %d is not valid: %v: %.80q", i+1, err, line)
		}
		if e.Type == "session" {
			continue
		}
		if seen[e.ID] {
			t.Fatalf("line %d: the id %s stands there twice", i+1, e.ID)
		}
		seen[e.ID] = true
		parent := "null"
		if e.ParentID != nil {
			parent = *e.ParentID
			if !seen[parent] {
				t.Fatalf("line %d: the parent %s does not stand before it", i+1, parent)
			}
		}
		if ack, ok := want[e.ID]; ok {
			text := e.Label
			if e.Type == "message" {
				text, _, _ = strings.Cut(e.Message.Content, " ")
			}
			if ack[0] != parent || ack[1] != text {
				t.Fatalf("line %d: %s hangs from %s and says %q; acknowledged was %v", i+1, e.ID, parent, text, ack)
			}
		}
	}
	for id, ack := range want {
		if !seen[id] {
			t.Fatalf("the acknowledged entry %s (%s) is not in the file", id, ack[1])
		}
	}
}

func newFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shared.jsonl")
	s, err := Create(path, Header{Cwd: "/srv/demo"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), RawBody(`{"type":"message","message":{"role":"user","content":"begin"}}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEightProcessesAppendToOneFile(t *testing.T) {
	const processes, appends = 8, 400
	path := newFile(t)
	var cmds []*exec.Cmd
	var outs []*output
	for i := range processes {
		cmd, out := startWorker(t, path, fmt.Sprintf("w%d", i), appends)
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	want := map[string][2]string{}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("worker %d: %v: %s", i, err, outs[i])
		}
		acknowledged(t, outs[i].String(), want)
	}
	if len(want) != processes*appends {
		t.Fatalf("%d entries were acknowledged, want %d", len(want), processes*appends)
	}
	checkFile(t, path, want, false)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Problems(); len(p) > 0 || s.Len() != 1+len(want) {
		t.Fatalf("%d entries, problems: %v", s.Len(), p)
	}
}

func TestProcessesKilledAtRandomLoseNothingAcknowledged(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	path := newFile(t)
	want := map[string][2]string{}
	for round := range rounds {
		var wg sync.WaitGroup
		outs := make([]*output, 8)
		for i := range outs {
			cmd, out := startWorker(t, path, fmt.Sprintf("r%dw%d", round, i), 1000)
			outs[i] = out
			wg.Go(func() {
				// A slow machine may take long to start it; half of them are killed at work for sure.
				for wait := 0; i%2 == 0 && out.String() == "" && wait < 1000; wait++ {
					time.Sleep(10 * time.Millisecond)
				}
				time.Sleep(time.Duration(20+rand.IntN(120)) * time.Millisecond)
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			})
		}
		wg.Wait()
		for _, out := range outs {
			acknowledged(t, out.String(), want)
		}
	}
	if len(want) == 0 {
		t.Fatal("no worker lived long enough to append")
	}
	// A kill may leave a torn line behind. It stays, alone on its line, and hurts no other.
	checkFile(t, path, want, true)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Problems() {
		if p.Kind != ProblemTornTail && p.Kind != ProblemNotJSON {
			t.Errorf("after the kills: %v", p)
		}
	}
	if _, err := s.Append(t.Context(), RawBody(`{"type":"message","message":{"role":"user","content":"after"}}`)); err != nil {
		t.Errorf("a killed process blocks the next one: %v", err)
	}
	t.Logf("%d entries acknowledged over %d rounds", len(want), rounds)
}
