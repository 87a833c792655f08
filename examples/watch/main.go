// Watch prints what others append to a session, as they do, until it is interrupted.
//
//	go run ./examples/watch session.jsonl
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/ramo-dev/ramo/session"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: watch SESSION.jsonl")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := session.Open(ctx, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	fmt.Printf("%d entries; waiting for more\n", s.Len())
	for e, err := range s.Follow(ctx) {
		if err != nil {
			log.Print(err) // the file may be back in a moment
			continue
		}
		fmt.Printf("%s after %q: %s %s\n", e.ID(), e.ParentID(), e.Type(), e.Role())
	}
}
