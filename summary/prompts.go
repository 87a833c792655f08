package summary

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed prompts/*.md
var promptFiles embed.FS

var prompts = template.Must(template.New("").ParseFS(promptFiles, "prompts/*.md"))

// The tasks that a summariser can get.
const (
	taskBranch = "branch.md"
	taskFirst  = "first.md"  // a compaction of a context that had none
	taskUpdate = "update.md" // of one that begins with an earlier summary
	taskPrefix = "prefix.md" // the start of the turn that a compaction cuts through
	taskShort  = "short.md"
)

// request is what frame.md wraps around a task.
type request struct {
	Conversation string
	Omitted      int      // messages before the conversation that did not fit
	Previous     string   // an earlier summary
	Extra        []string // what extensions want to be known
	Task         string
	Instructions string // the user's
}

// prompt writes the request. The task is one of ours unless another takes its place.
func prompt(task, override string, r request, maxOutput int64) Prompt {
	r.Task = strings.TrimSpace(override)
	if r.Task == "" {
		r.Task = execute(task, nil)
	}
	r.Conversation = inside("conversation", r.Conversation)
	r.Previous = inside("earlier-summary", r.Previous)
	r.Instructions = strings.TrimSpace(r.Instructions)
	return Prompt{System: execute("system.md", nil), Text: execute("frame.md", r), MaxOutput: maxOutput}
}

// inside keeps a text from ending the element that it stands in: a conversation about prompts may
// well hold the closing tag.
func inside(tag, text string) string { return strings.ReplaceAll(text, "</"+tag+">", "<\\/"+tag+">") }

func execute(name string, data any) string {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name, data); err != nil {
		panic("summary: " + name + ": " + err.Error()) // the templates are part of the program
	}
	return strings.TrimSpace(b.String())
}
