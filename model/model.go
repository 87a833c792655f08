// Package model is what a language model is to Ramo, and the real ones: Anthropic, OpenAI, Google,
// OpenRouter, and any server that speaks OpenAI's protocol (Ollama, llama.cpp, vLLM).
//
// # Finding a model
//
// A [Registry] knows the models by name, "provider/modelId"; the id may have slashes in it. It lists
// what catwalk knows of the four providers, with context windows and prices, and what the [Settings]
// add. A provider whose name is not one of the four, and whose Type is not either, is a compatible
// server: it needs a BaseURL, and a key only if the server wants one. A model that no list has is
// asked for all the same.
//
// # Asking it
//
// [Model.Stream] yields events as they come: pieces of text and thinking, tool calls, retries. The
// last event, of type [Done], carries the whole answer as a message for the log, with its tokens and
// what they cost. When the answer is cut off, by an error or by the caller, Done carries what had
// arrived, and the error follows it: append the message, then deal with the error. Without a Done
// event nothing had arrived, and there is nothing to append.
//
// Before an answer begins, what may pass is tried again, at most four times: rate limits, failures of
// the server, broken connections. How long the provider wants to be left alone is respected; if that
// is more than two minutes, the error says so at once. After it has begun nothing is tried again: the
// user has seen it. An answer stalls when no byte comes for Settings.StallTime.
//
// Tell errors apart with [errors.Is]: [ErrContextOverflow] (compact, and ask again), [ErrAuth] (which
// says what to set), [ErrRateLimit], [ErrStalled], [ErrUnknown], [ErrRefused], [ErrNotForChat], and
// context.Canceled. Each is one line, and names the provider.
//
// # What a model gets
//
// Messages must be as message.ForModel leaves them. What not every provider takes is given the form
// that it does take: images of tool results, images for a model that cannot see, ids of other tools'
// calls. Thinking goes back only to the model that thought it, with its signature.
//
// # Keys
//
// Keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or GOOGLE_API_KEY,
// OPENROUTER_API_KEY, NAME_API_KEY for a compatible server of that name) or from the settings. No key,
// and no secret header or password in an address, is part of an error, an event or a message, and none
// follows a redirect to another host.
//
// Everything here is safe for concurrent use.
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
	// with an error; an error after the answer had begun follows a Done event that holds what had
	// arrived, its StopReason "error" or, when ctx was cancelled, "aborted". Stopping the iteration
	// early ends the request. Each iteration asks anew.
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
