package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2/maybe"

	"github.com/ramo-dev/ramo/session"
)

// lastAt is what is kept of a terminal: the session it was at.
type lastAt struct {
	Path string    `json:"path"`
	Dir  string    `json:"dir"` // the directory it was used in
	Time time.Time `json:"time"`
}

// Remember notes that this terminal is at a session now, in the directory dir, for Resume. Outside of
// a terminal it does nothing.
func Remember(path, dir string) error {
	file, err := terminalFile()
	if err != nil || file == "" {
		return err
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	b, err := json.Marshal(lastAt{path, dir, time.Now().UTC()})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	forgetTerminals(filepath.Dir(file))
	return maybe.WriteFile(file, append(b, '\n'), 0o600)
}

// Resume finds the session to go on with in the directory dir: the one that this terminal was last at
// there, if it still exists, else the one about dir that was used last. It is ErrNone when there is
// none.
func (l *Library) Resume(ctx context.Context, dir string) (Item, error) {
	if file, err := terminalFile(); err == nil && file != "" {
		var last lastAt
		if b, err := os.ReadFile(file); err == nil && json.Unmarshal(b, &last) == nil && SameDir(last.Dir, dir) {
			if item, err := Read(last.Path); err == nil {
				return item, nil
			}
		}
	}
	return l.newest(ctx, dir)
}

// terminalFile is where this terminal's session is kept, and "" outside of one.
func terminalFile() (string, error) {
	name := terminalName()
	if name == "" {
		return "", nil
	}
	state, err := session.StateDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(state, "terminals", hex.EncodeToString(sum[:16])+".json"), nil
}

// terminalName tells this terminal from others, those of other days among them: names of devices come
// again. So a window's own name is taken, as far as the program that shows it gives one, or the device
// with the process that leads its session, the shell.
func terminalName() string {
	for _, names := range [][]string{ // a multiplexer's pane before the window it is in
		{"TMUX", "TMUX_PANE"}, {"ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID"}, {"STY", "WINDOW"}, {"TERM_SESSION_ID"}, {"WT_SESSION"},
		{"WEZTERM_UNIX_SOCKET", "WEZTERM_PANE"}, {"KITTY_PID", "KITTY_WINDOW_ID"},
	} {
		values := make([]string, len(names))
		for i, n := range names {
			values[i] = os.Getenv(n)
		}
		if values[len(values)-1] != "" {
			return strings.Join(append(values, names[0]), "\n")
		}
	}
	return terminalDevice()
}

// forgetTerminals deletes the notes of terminals that were not used for long. It is housekeeping: what
// cannot be deleted stays.
func forgetTerminals(dir string) {
	const long = 90 * 24 * time.Hour
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > long {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}
