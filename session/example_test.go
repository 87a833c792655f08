package session_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

func say(ctx context.Context, s *session.Session, role, text string) session.Entry {
	e, err := s.Append(ctx, session.Message{Message: message.Message{Role: role, Content: []message.Block{message.Text(text)}}})
	if err != nil {
		log.Fatal(err)
	}
	return e
}

// A conversation that goes back and tries another way.
func Example() {
	ctx := context.Background()
	s := session.NewMemory(session.NewHeader("/srv/demo"))

	first := say(ctx, s, "user", "Make the parser faster")
	say(ctx, s, "assistant", "I added a cache.")
	if err := s.BranchTo(first.ID()); err != nil {
		log.Fatal(err)
	}
	if _, err := s.BranchWithSummary(ctx, first.ID(), session.BranchSummary{Summary: "A cache did not help."}); err != nil {
		log.Fatal(err)
	}
	say(ctx, s, "assistant", "I removed the copying.")

	for node := range s.Tree() {
		mark := " "
		if node.Active {
			mark = "•"
		}
		fmt.Printf("%s%s %s\n", strings.Repeat("  ", node.Depth), mark, node.Type())
	}
	// Output:
	// • message
	//     message
	//   • branch_summary
	//     • message
}

func ExampleOpen() {
	s, err := session.Open(context.Background(), "testdata/example.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for e, err := range s.Branch("") {
		if err != nil {
			log.Fatal(err)
		}
		m, err := e.Message()
		if err != nil {
			continue // not a message
		}
		fmt.Printf("%s: %s\n", m.Role, m.Text())
	}
	fmt.Println(len(s.Problems()), "problems")
	// Output:
	// user: How deep can a tree be?
	// assistant: As deep as you like.
	// 1 problems
}

// The context is what a model sees at an entry; ForModel makes it fit for a provider.
func ExampleSession_Context() {
	s, err := session.Open(context.Background(), "testdata/example.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	c, err := s.Context("")
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range message.ForModel(c.Messages) {
		fmt.Println(m.Role, m.Text())
	}
	fmt.Println(c.Models["default"], c.ThinkingLevel)
	// Output:
	// user How deep can a tree be?
	// assistant As deep as you like.
	// acme/m1 high
}

// Create makes a session whose file appears with its first message.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	h := session.NewHeader("/srv/demo")
	s, err := session.Create(session.NewPath(dir, h), h)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	say(context.Background(), s, "user", "hello")
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	fmt.Println(len(files), "file,", s.Len(), "entry")
	// Output:
	// 1 file, 1 entry
}

// CreateBranchedSession extracts a branch into a session of its own.
func ExampleSession_CreateBranchedSession() {
	ctx := context.Background()
	s := session.NewMemory(session.NewHeader("/srv/demo"))
	say(ctx, s, "user", "one")
	two := say(ctx, s, "assistant", "two")
	say(ctx, s, "user", "three")
	if _, err := s.SetLabel(ctx, two.ID(), "good start"); err != nil {
		log.Fatal(err)
	}
	b, err := s.CreateBranchedSession(ctx, two.ID(), "")
	if err != nil {
		log.Fatal(err)
	}
	for e := range b.Entries() {
		fmt.Printf("%s %q\n", e.Type(), e.Label())
	}
	// Output:
	// message ""
	// message "good start"
	// label ""
}
