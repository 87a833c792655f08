package treeview_test

import (
	"context"
	"fmt"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/tui/treeview"
)

func Example() {
	ctx := context.Background()
	s := session.NewMemory(session.NewHeader("/srv/demo"))
	say := func(text string) session.Entry {
		e, err := s.Append(ctx, session.Message{Message: message.User(text)})
		if err != nil {
			panic(err)
		}
		return e
	}
	say("Where is the parser?")
	fork := say("Show me its tests")
	say("Rewrite them")
	tree := treeview.New(s)

	// Another branch grows from the second message; the selection stays.
	if err := s.BranchTo(fork.ID()); err != nil {
		panic(err)
	}
	later := say("Leave them alone")
	if _, err := s.SetLabel(ctx, later.ID(), "careful"); err != nil {
		panic(err)
	}
	tree.Update()
	for _, line := range tree.Window(60, 10) {
		fmt.Println(line)
	}

	// The search looks through what Prepare has read, here all of it.
	if err := tree.Prepare(ctx, nil); err != nil {
		panic(err)
	}
	tree.Update()
	tree.SetQuery("CAREFUL alone")
	for _, line := range tree.Window(60, 10) {
		fmt.Println(line)
	}
	// Output:
	//   • user: Where is the parser?
	//   • user: Show me its tests
	//   ├─ • [careful] user: Leave them alone
	// › └─ user: Rewrite them
	// › • [careful] user: Leave them alone
}
