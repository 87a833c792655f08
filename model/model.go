// Package model is what a language model is to Ramo, and the real ones: Anthropic, OpenAI, Google,
// OpenRouter, and any server that speaks OpenAI's protocol.
//
// A [Registry] knows the models by name, "provider/modelId". [Model.Stream] asks one and yields
// events as they come: pieces of text and thinking, tool calls, retries. The last event carries the
// whole answer as a message for the log, also when the answer was cut off: then the error comes with
// it.
//
// Keys come from the environment or from the settings, and are never part of an error, an event or
// a message. Everything here is safe for concurrent use.
package model

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/ramo-dev/ramo/message"
)

// Model is a language model that can be asked.
type Model interface {
	// Info tells what is known about the model.
	Info() Info

	// Stream asks the model and yields what comes back. It ends with one event of type Done, or
	// with an error; an error after the answer had begun comes with a Done event that holds what
	// had arrived, its StopReason "error" or, when ctx was cancelled, "aborted". Stopping the
	// iteration early ends the request.
	Stream(ctx context.Context, r Request) iter.Seq2[Event, error]
}

// Info is what is known about a model. Zero numbers are not known.
type Info struct {
	Provider, ID  string
	Name          string   // for people
	ContextWindow int64    // tokens
	MaxOutput     int64    // tokens
	Reasoning     bool     // it can think before it answers
	Images        bool     // it can see images; presumed of a model that no list knows
	Efforts       []string // the provider's words for how much it can think, if it has words
	Price         Price
}

// Ref is the model's name: "provider/modelId".
func (i Info) Ref() string { return i.Provider + "/" + i.ID }

// Price is in US dollars for a million tokens.
type Price struct{ Input, Output, CacheRead, CacheWrite float64 }

// Cost is what a usage costs at a price.
func (p Price) Cost(u message.Usage) message.Cost {
	c := message.Cost{
		Input:      float64(u.Input) * p.Input / 1e6,
		Output:     float64(u.Output) * p.Output / 1e6,
		CacheRead:  float64(u.CacheRead) * p.CacheRead / 1e6,
		CacheWrite: float64(u.CacheWrite) * p.CacheWrite / 1e6,
	}
	c.Total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	return c
}

// Request is what a model is asked. Messages are as message.ForModel leaves them, images resolved.
type Request struct {
	System    string
	Messages  []message.Message
	Tools     []Tool
	Thinking  string // off, minimal, low, medium, high, xhigh; "" is off
	MaxOutput int64  // tokens; 0: the model's own limit
}

// Tool is a tool that the model may call.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage // JSON Schema of the arguments, an object
}

// EventType tells what an Event is.
type EventType string

// The types of events.
const (
	Text          EventType = "text"            // Delta: more text
	Thinking      EventType = "thinking"        // Delta: more of what the model thinks
	ToolCallStart EventType = "tool_call_start" // Call: its ID and Name; the arguments are still to come
	ToolCall      EventType = "tool_call"       // Call: complete
	Retry         EventType = "retry"           // Attempt, Delay, Reason: it is asked again after a wait
	Done          EventType = "done"            // Message: the whole answer
)

// Event is a piece of what comes back.
type Event struct {
	Type    EventType
	Delta   string
	Call    message.Block
	Attempt int // of the retry, from 1
	Delay   time.Duration
	Reason  string
	Message message.Message
}
