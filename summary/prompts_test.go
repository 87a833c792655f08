package summary

import (
	"strings"
	"testing"
)

func TestEveryTaskIsFramed(t *testing.T) {
	full := request{Conversation: "=== user\n{{.Task}} <b>", Omitted: 3, Previous: "what </earlier-summary> was", Extra: []string{"extra one"}, Instructions: " be brief \n"}
	for _, task := range []string{taskBranch, taskFirst, taskUpdate, taskPrefix, taskShort} {
		t.Run(task, func(t *testing.T) {
			p := prompt(task, "", full, 7)
			at := -1
			for _, want := range []string{"<earlier-summary>\nwhat ", "</earlier-summary>", "<conversation>\n(The 3 oldest messages", "{{.Task}} <b>", "</conversation>", "extra one", execute(task, nil), "be brief"} {
				next := strings.Index(p.Text, want)
				if next <= at {
					t.Fatalf("%q is not there, or not in its place:\n%s", want, p.Text)
				}
				at = next
			}
			if strings.Count(p.Text, "</earlier-summary>") != 1 {
				t.Error("an earlier summary closes its own tag")
			}
			if strings.Contains(p.Text, "\n\n\n") || p.Text != strings.TrimSpace(p.Text) || p.MaxOutput != 7 {
				t.Errorf("%q", p.Text)
			}
			// What is not there leaves no trace.
			if bare := prompt(task, "", request{}, 7).Text; bare != execute(task, nil) {
				t.Errorf("bare: %q", bare)
			}
		})
	}
	if got := prompt(taskFirst, "  another task ", request{}, 7).Text; got != "another task" {
		t.Errorf("an override: %q", got)
	}
}
