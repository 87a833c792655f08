package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The tools whose transcripts can be imported.
const (
	Claude = "claude"
	Codex  = "codex"
)

// Transcript is what a tool wrote down of one session.
type Transcript struct {
	Tool  string   // Claude or Codex
	ID    string   // of the session, by which it goes in the library too
	Files []string // the session's own first, then those of its subagents
}

// ErrNotTranscript is a file that neither tool wrote.
var ErrNotTranscript = errors.New("no transcript of Claude Code or Codex")

// Places are the folders that a tool, or with "" both, keep their transcripts in.
func Places(tool string) ([]string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("finding transcripts: %w; name a file or a folder", err)
	}
	var list []string
	if tool != Codex {
		list = append(list, filepath.Join(cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(home, ".claude")), "projects"))
	}
	if tool != Claude {
		dir := cmp.Or(os.Getenv("CODEX_HOME"), filepath.Join(home, ".codex"))
		list = append(list, filepath.Join(dir, "sessions"), filepath.Join(dir, "archived_sessions"))
	}
	return list, nil
}

// Find looks for the transcripts of a tool ("": of both) at paths: a file is one, or the error is
// ErrNotTranscript; of a folder all files below it are looked at, and what is none is passed over. A
// folder that is not there is an error that is fs.ErrNotExist. Links are not followed.
func Find(ctx context.Context, tool string, paths ...string) ([]Transcript, error) {
	var list []Transcript
	at := map[[2]string]int{}
	add := func(path string) error {
		of, id, own, err := identify(ctx, path)
		if err != nil || tool != "" && of != tool {
			return cmp.Or(err, fmt.Errorf("%s: %w, but of %s", path, ErrNotTranscript, of))
		}
		key := [2]string{of, id}
		i, ok := at[key]
		if !ok {
			i = len(list)
			at[key] = i
			list = append(list, Transcript{Tool: of, ID: id})
		}
		if files := &list[i].Files; !slices.Contains(*files, path) {
			if own {
				*files = slices.Insert(*files, 0, path)
			} else {
				*files = append(*files, path)
			}
		}
		return nil
	}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		} else if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if err := add(path); err != nil {
				return nil, err
			}
			for _, agent := range agentsOf(path) {
				if of, id, _, err := identify(ctx, agent); err == nil && of == Claude && at[[2]string{of, id}] == len(list)-1 && list[len(list)-1].ID == id {
					_ = add(agent) // it was identified
				}
			}
			continue
		}
		err = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".jsonl" {
				return nil // what cannot be read is passed over
			}
			if err := add(path); err != nil && ctx.Err() != nil {
				return ctx.Err()
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// agentsOf are the files that may be of the subagents of a session of Claude Code's: beside its own,
// or in a folder of its name.
func agentsOf(path string) []string {
	dir := filepath.Dir(path)
	beside, _ := filepath.Glob(filepath.Join(globbed(dir), "agent-*.jsonl"))
	below, _ := filepath.Glob(filepath.Join(globbed(strings.TrimSuffix(path, ".jsonl")), "subagents", "agent-*.jsonl"))
	return append(beside, below...)
}

// globbed is a name as a pattern that only it matches.
func globbed(name string) string {
	return regexp.MustCompile(`[*?[]`).ReplaceAllString(name, "[$0]")
}

// identify tells whose a file is and of which session, and whether it is the session's own file, not
// a subagent's.
func identify(ctx context.Context, path string) (tool, id string, own bool, err error) {
	const enough = 50 // lines without a hint
	lines := 0
	err = readLines(ctx, path, func(_ int, line []byte) bool {
		lines++
		var l struct {
			Type, UUID, SessionID, LeafUUID, ID, Timestamp string
			Payload                                        json.RawMessage
			Instructions                                   *json.RawMessage
		}
		if line[0] != '{' || decode(line, &l) != nil {
			return lines < enough
		}
		switch {
		case l.Payload != nil && l.Type == "session_meta":
			var m codexMeta
			_ = decode(l.Payload, &m)
			tool, id = Codex, m.ID
		case l.Type == "" && l.ID != "" && l.Timestamp != "" && lines == 1:
			tool, id = Codex, l.ID
		case l.SessionID != "" && (l.UUID != "" || l.Type != ""):
			tool, id = Claude, l.SessionID
		case l.Type == "summary" && l.LeafUUID != "":
			tool = Claude // which session it is, the name tells, or a later line
		}
		return (tool == "" || id == "") && lines < enough
	})
	if err != nil {
		return "", "", false, err
	}
	if tool == "" {
		return "", "", false, fmt.Errorf("%s: %w", path, ErrNotTranscript)
	}
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	own = tool == Codex || !strings.HasPrefix(name, "agent-")
	if tool == Claude && own && sessionID.MatchString(name) {
		id = name // what was copied from another session has that one's id
	}
	if !sessionID.MatchString(id) {
		id = derivedID(tool, cmp.Or(id, path))
	}
	return tool, id, own, nil
}

// sessionID is what may be a session's id, and a part of a file's name.
var sessionID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{7,63}$`)

// derivedID is an id in the form of the others for what has none that can be used.
func derivedID(tool, name string) string {
	h := sha256.Sum256([]byte(tool + "\n" + name))
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
