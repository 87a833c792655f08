// Branches lists a session's branches: for each, how long it is, when it ended, and its last request.
//
//	go run ./examples/branches examples/tour.jsonl
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/ramo-dev/ramo/session"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: branches SESSION.jsonl")
	}
	if err := list(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func list(path string) error {
	s, err := session.Open(context.Background(), path)
	if err != nil {
		return err
	}
	defer s.Close()
entries:
	for e := range s.Entries() {
		for range e.Children() {
			continue entries // not the end of a branch
		}
		length, request := 0, session.Entry{}
		for up, err := range s.Branch(e.ID()) { // from the root to e
			if err != nil {
				return err
			}
			length++
			if up.Role() == "user" {
				request = up
			}
		}
		text := "(no request)"
		if !request.IsZero() {
			m, err := request.Message() // read from the file only now
			if err != nil {
				return err
			}
			text = strings.Join(strings.Fields(m.Text()), " ")
		}
		fmt.Printf("%s  %3d entries, until %s  %.70s\n", e.ID(), length, e.Time().UTC().Format("2006-01-02 15:04"), text)
	}
	return nil
}
