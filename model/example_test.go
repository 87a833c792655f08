package model_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
)

// A server of one's own, which needs no key.
func ExampleModel() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Bom "}}]}`+"\n\n")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"dia"},"finish_reason":"stop"}]}`+"\n\n")
		fmt.Fprint(w, `data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}}`+"\n\n")
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	defer server.Close()

	models := model.NewRegistry(map[string]model.Settings{
		"ollama": {BaseURL: server.URL + "/v1", Models: []model.Info{{ID: "qwen3", ContextWindow: 32_768}}},
	})
	m, err := models.Model("ollama/qwen3")
	if err != nil {
		fmt.Println(err)
		return
	}
	request := model.Request{System: "Answer in Portuguese.", Messages: []message.Message{message.User("Good morning")}}
	for event, err := range m.Stream(context.Background(), request) {
		switch {
		case errors.Is(err, model.ErrContextOverflow):
			fmt.Println("compact, and ask again")
		case err != nil:
			fmt.Println(err)
		case event.Type == model.Text:
			fmt.Printf("%q\n", event.Delta)
		case event.Type == model.Done:
			answer := event.Message // for the log
			fmt.Println(answer.Text(), answer.StopReason, answer.Usage.TotalTokens)
		}
	}
	// Output:
	// "Bom "
	// "dia"
	// Bom dia stop 15
}

func ExampleRegistry_Model() {
	models := model.NewRegistry(map[string]model.Settings{
		"ollama": {BaseURL: "http://localhost:11434/v1", Models: []model.Info{{ID: "qwen3-coder"}}},
	})
	_, err := models.Model("olama/qwen3-coder")
	fmt.Println(err)
	// Output: no such model: "olama/qwen3-coder": did you mean ollama/qwen3-coder?
}
