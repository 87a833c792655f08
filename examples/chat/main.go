// Chat puts one request to a model and goes on in a session, which it makes when there is none.
//
//	ANTHROPIC_API_KEY=… go run ./examples/chat talk.jsonl anthropic/claude-haiku-4-5 "Why is the sky blue?"
//	BASE_URL=http://localhost:11434/v1 go run ./examples/chat talk.jsonl local/llama3.2 "And at night?"
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/signal"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: chat SESSION.jsonl PROVIDER/MODEL REQUEST")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := chat(ctx, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func chat(ctx context.Context, path, name, request string) error {
	s, err := session.Open(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		var cwd string
		if cwd, err = os.Getwd(); err != nil {
			return err
		}
		s, err = session.Create(path, session.NewHeader(cwd))
	}
	if err != nil {
		return err
	}
	local := model.Settings{Type: "openai-compatible", BaseURL: os.Getenv("BASE_URL")}
	a, err := agent.New(s, agent.Options{
		Models: model.NewRegistry(map[string]model.Settings{"local": local}),
		Model:  name,
	})
	if err != nil {
		_ = s.Close()
		return err
	}
	defer a.Close() // and the session
	a.Listen(func(e agent.Event) {
		switch e.Type {
		case agent.TextDelta:
			fmt.Print(e.Text)
		case agent.Retry:
			fmt.Fprintf(os.Stderr, "(again in %v: %s)\n", e.Delay, e.Text)
		case agent.AnswerEnd:
			fmt.Println()
		}
	})
	_, err = a.Prompt(ctx, request) // Ctrl+C keeps what has arrived
	return err
}
