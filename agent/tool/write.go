package tool

import (
	"context"
	"encoding/json"
	"fmt"
)

var writeParameters = json.RawMessage(`{"type":"object","properties":{
"path":{"type":"string","description":"The file, relative to the working directory."},
"content":{"type":"string","description":"All that the file shall hold."}},
"required":["path","content"],"additionalProperties":false}`)

type writeArguments struct{ Path, Content string }

// FileDetails are the Details of write and edit: what changed, for display.
type FileDetails struct {
	Path    string `json:"path"`
	Diff    string `json:"diff,omitempty"`    // unified; empty for no change or one too large to show
	Created bool   `json:"created,omitempty"` // there was no file before
}

func (w *Workspace) writeTool() Tool {
	return Tool{
		Name:        "write",
		Description: "Make a file, and the directories it needs, or replace all that a file holds. To change a part of a file use edit.",
		Parameters:  writeParameters,
		Run:         bind(writeParameters, w.write),
	}
}

func (w *Workspace) write(ctx context.Context, a writeArguments) (Result, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	t, err := w.target(a.Path, true)
	if err != nil {
		return Result{}, err
	}
	defer t.close()
	f, info, err := t.open()
	if err != nil {
		return Result{}, err
	}
	var old []byte
	if f != nil {
		if err := f.Close(); err != nil {
			return Result{}, explain(t.path, err)
		}
		if info.Size() <= maxDiff { // a larger one is only replaced, not shown
			if old, _, err = t.read(ctx); err != nil {
				return Result{}, err
			}
		}
	}
	content := []byte(a.Content)
	if err := t.replace(ctx, content, info, func() error { return nil }); err != nil {
		return Result{}, err
	}
	d := FileDetails{Path: t.path, Created: info == nil}
	if info == nil || info.Size() <= maxDiff {
		d.Diff = unifiedDiff(t.path, old, content)
	}
	verb := "Replaced"
	if d.Created {
		verb = "Created"
	}
	return fileResult(fmt.Sprintf("%s %s: %s.", verb, t.path, size(int64(len(content)))), d)
}

func fileResult(text string, d FileDetails) (Result, error) {
	details, err := json.Marshal(d)
	if err != nil {
		return Result{}, err
	}
	r := Text(text)
	r.Details = details
	return r, nil
}
