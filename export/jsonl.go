package export

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ramo-dev/ramo/session"
)

// JSONL writes the branch as a session of its own, as CreateBranchedSession makes one (section 10 of
// the specification): a new header that names this session as its parent, the branch's entries byte
// for byte, their labels behind them.
func JSONL(ctx context.Context, w io.Writer, s *session.Session, leaf string) (err error) {
	dir, err := os.MkdirTemp("", "ramo-export-")
	if err != nil {
		return fmt.Errorf("cannot export: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "session.jsonl")
	if leaf == Root {
		err = header(ctx, path, s)
	} else {
		err = branch(ctx, path, s, leaf)
	}
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot export: %w", err)
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

func branch(ctx context.Context, path string, s *session.Session, leaf string) error {
	b, err := s.CreateBranchedSession(ctx, leaf, path, session.WithoutSync())
	if err != nil {
		return err
	}
	return b.Close()
}

// header makes the session that has no entries yet.
func header(ctx context.Context, path string, s *session.Session) error {
	h := session.NewHeader(s.Header().Cwd)
	h.Title, h.ParentSession = s.Name(), s.Path()
	if h.ParentSession == "" {
		h.ParentSession = s.Header().ID
	}
	b, err := session.Create(path, h, session.WithoutSync())
	if err != nil {
		return err
	}
	if err := b.WriteHeader(ctx); err != nil {
		return err
	}
	return b.Close()
}
