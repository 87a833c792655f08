package summary_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// Leaving a branch: what a model writes about it hangs where the user goes on.
func Example() {
	ctx := context.Background()
	s, err := session.Open(ctx, "testdata/branch-with-work.jsonl", session.WithoutPosition())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	s, err = s.Fork(ctx, "") // an example writes to no file
	if err != nil {
		log.Fatal(err)
	}
	leaf, _ := s.Leaf()
	first := s.At(0)

	common, left, err := summary.Collect(s, leaf.ID(), first.ID())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(left), "entries are left, from", common, "on")

	prep, err := summary.PrepareBranch(left, summary.Budget(200_000, 16_384))
	if err != nil {
		log.Fatal(err)
	}
	ask := func(ctx context.Context, p summary.Prompt) (summary.Answer, error) { // ask a real model here
		return summary.Answer{Text: "The buffer was flushed too early.", Usage: &message.Usage{Output: 9}}, nil
	}
	body, err := summary.Branch(ctx, ask, prep, "only what we learned")
	if err != nil {
		log.Fatal(err)
	}
	e, err := s.BranchWithSummary(ctx, first.ID(), body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.ParentID() == first.ID(), string(body.Details))
	fmt.Println(body.Summary)
	// Output:
	// 18 entries are left, from e0000001 on
	// true {"readFiles":["parse_test.go"],"modifiedFiles":["flush.go","parse.go"]}
	// The buffer was flushed too early.
	//
	// ## Files
	//
	// - Changed: `flush.go`, `parse.go`
	// - Read: `parse_test.go`
}

// Without a model the summary is extracted from the entries.
func ExampleExtractBranch() {
	s, err := session.Open(context.Background(), "testdata/branch-stopped.jsonl", session.WithoutPosition())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	leaf, _ := s.Leaf()
	_, left, err := summary.Collect(s, leaf.ID(), s.At(0).ID())
	if err != nil {
		log.Fatal(err)
	}
	body, err := summary.ExtractBranch(left)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(body.Summary)
	// Output:
	// (Extracted from the log without a model: quotations, not conclusions.)
	//
	// ## Goal
	//
	// > No, look at the network
	//
	// ## Where it ended
	//
	// > The network layer retries
	//
	// The last answer is not whole: it was stopped before it was done.
}

// Compacting: the older messages make room, the newer ones stay.
func ExamplePrepareCompaction() {
	ctx := context.Background()
	s := session.NewMemory(session.NewHeader("/srv/demo"))
	say := func(role, text string) {
		m := message.Message{Role: role, Content: []message.Block{message.Text(text)}}
		if _, err := s.Append(ctx, session.Message{Message: m}); err != nil {
			log.Fatal(err)
		}
	}
	say("user", "Port the parser to the new API.")
	say("assistant", "It is ported, and its tests pass.")
	say("user", "Now the printer.")
	say("assistant", "I begin with the numbers.")

	set := summary.DefaultSettings().For(200_000)
	set.KeepRecentTokens = 15 // so that there is something to do here
	prep, err := summary.PrepareCompaction(s, "", set)
	if err != nil {
		log.Fatal(err)
	}
	body, err := summary.ExtractCompaction(prep)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Append(ctx, body); err != nil {
		log.Fatal(err)
	}
	c, err := s.Context("")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Messages[0].Summary)
	for _, m := range c.Messages[1:] {
		fmt.Printf("\n%s: %s\n", m.Role, m.Text())
	}
	// Output:
	// (Extracted from the log without a model: quotations, not conclusions.)
	//
	// ## Goal
	//
	// > Port the parser to the new API.
	//
	// ## Where it ended
	//
	// > It is ported, and its tests pass.
	//
	// user: Now the printer.
	//
	// assistant: I begin with the numbers.
}

func ExampleShouldCompact() {
	set := summary.DefaultSettings()
	fmt.Println(summary.ShouldCompact(150_000, 200_000, set))
	fmt.Println(summary.ShouldCompact(190_000, 200_000, set))
	// Output:
	// false
	// true
}
