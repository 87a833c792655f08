package tool

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestARefusedReplacementLeavesEverythingAsItWas(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	at, err := w.target("file", false)
	if err != nil {
		t.Fatal(err)
	}
	defer at.close()
	_, info, err := at.read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	refused := errors.New("changed meanwhile")
	if err := at.replace(t.Context(), []byte("mine"), info, func() error { return refused }); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(got) != "theirs" {
		t.Errorf("got %q, %v", got, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
