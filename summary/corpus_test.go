package summary_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// Sessions that other tools wrote: from every leaf a branch summary and a compaction can be made, and
// the compaction leaves the context valid.
func TestSessionsOfOtherTools(t *testing.T) {
	dir := os.Getenv("RAMO_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpus")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skip("no corpus: set RAMO_CORPUS")
	}
	compacted := 0
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			file := open(t, path)
			s, err := file.Fork(context.Background(), "") // in memory: the corpus is not written to
			if err != nil {
				t.Fatal(err)
			}
			k := talk{t, s}
			var leaves []session.Entry
			for e := range s.Entries() {
				if !e.HasChildren() {
					leaves = append(leaves, e)
				}
			}
			for _, leaf := range leaves {
				k.to(leaf.ID())
				left := abandon(k)
				p := prepare(k, 10_000)
				if len(p.Conversation) > 40_000 {
					t.Errorf("%d bytes for 10000 tokens", len(p.Conversation))
				}
				if b, err := summary.ExtractBranch(left); err == nil && len(b.Summary) > 20_000 {
					t.Errorf("an extract of %d bytes", len(b.Summary))
				} else if err != nil && prepare(k, 0).Conversation != "" {
					t.Error(err)
				}
				before := k.context()
				c, err := summary.PrepareCompaction(s, "", keep(summary.EstimateTokens(before.Messages...)/3))
				if err != nil {
					continue // too short, or just compacted
				}
				compacted++
				body, err := summary.ExtractCompaction(c)
				if err != nil {
					t.Fatal(err)
				}
				k.add(body)
				after := k.context()
				if len(after.Messages) != c.Kept+1 || !strings.HasPrefix(after.Messages[0].Summary, "(Extracted") {
					t.Errorf("%d messages of %d are left, want %d", len(after.Messages), len(before.Messages), c.Kept+1)
				}
				// A provider gets the end of what it got before: no call lost its result, which would
				// show as a stand-in, and no result its call, which would drop it.
				was, is := message.ForModel(before.Messages), message.ForModel(after.Messages[1:])
				was = was[len(was)-len(is):]
				for i := range is {
					if is[i].Role != was[i].Role || is[i].Text() != was[i].Text() {
						t.Errorf("message %d of %d: a %s, was a %s", i, len(is), is[i].Role, was[i].Role)
					}
				}
			}
		})
	}
	if compacted == 0 {
		t.Error("nothing was compacted")
	}
}
