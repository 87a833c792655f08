package message

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const blobPrefix = "blob:sha256:"

// ErrBlobDamaged is what a BlobError wraps when a blob's bytes are not those that the log means.
var ErrBlobDamaged = errors.New("its bytes do not have the SHA-256 that names it")

// BlobError says that an image's bytes, which omp keeps outside the log, are not to be had. It
// wraps fs.ErrNotExist when the blob's file is missing.
type BlobError struct {
	Message int    // which message, from 0
	Ref     string // "blob:sha256:HEX", as in the log
	Path    string // the file; empty when Ref is not a valid reference
	Err     error
}

func (e *BlobError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("image %q of message %d: %v", e.Ref, e.Message, e.Err)
	}
	return fmt.Sprintf("image of message %d: cannot read blob %s: %v; put the file back to show the image", e.Message, e.Path, e.Err)
}

func (e *BlobError) Unwrap() error { return e.Err }

// BlobDir is where omp keeps its blobs, ~/.omp/agent/blobs.
func BlobDir() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding omp's blobs: %w", err)
	}
	return filepath.Join(home, ".omp", "agent", "blobs"), nil
}

// ResolveBlobs returns the messages with the images that the log only refers to, as base64, from
// the files in dir (section 8). In place of one that cannot be read, or whose bytes have another
// SHA-256, stands a text that says so, and there is an error for it. Messages without references are
// passed on as they are; the input is not changed.
func ResolveBlobs(msgs []Message, dir string) ([]Message, []*BlobError) {
	r := blobReader{dir: dir, read: map[string]blob{}}
	out := slices.Clone(msgs)
	for i, m := range msgs {
		content, changed := r.blocks(i, m.Content)
		files, changedFiles := r.files(i, m.Files)
		if changed || changedFiles {
			out[i] = m.Editable()
			out[i].Content, out[i].Files = content, files
		}
	}
	return out, r.errors
}

// blobReader reads each blob once, however many messages show it.
type blobReader struct {
	dir    string
	read   map[string]blob
	errors []*BlobError
}

type blob struct {
	base64, path string
	err          error
}

func (r *blobReader) blocks(message int, blocks []Block) ([]Block, bool) {
	changed := false
	for i, b := range blocks {
		if !b.isReference() {
			continue
		}
		if !changed {
			blocks = slices.Clone(blocks)
			changed = true
		}
		blocks[i] = r.resolve(message, b)
	}
	return blocks, changed
}

func (r *blobReader) files(message int, files []File) ([]File, bool) {
	changed := false
	for i, f := range files {
		if f.Image == nil || !f.Image.isReference() {
			continue
		}
		if !changed {
			files = slices.Clone(files)
			changed = true
		}
		b := r.resolve(message, *f.Image)
		if b.Type == BlockImage {
			files[i].Image = &b
			continue
		}
		files[i].Image = nil
		files[i].Content = strings.TrimPrefix(f.Content+"\n"+b.Text, "\n")
	}
	return files, changed
}

func (b Block) isReference() bool {
	return b.Type == BlockImage && strings.HasPrefix(b.Data, "blob:") // no base64 has a colon
}

func (r *blobReader) resolve(message int, b Block) Block {
	found, ok := r.read[b.Data]
	if !ok {
		found = readBlob(r.dir, b.Data)
		r.read[b.Data] = found
	}
	if found.err != nil {
		r.errors = append(r.errors, &BlobError{message, b.Data, found.path, found.err})
		return Text("[An image was here, but it is missing: " + missing(found.err) + ".]")
	}
	b = b.Editable()
	b.Data = found.base64
	return b
}

// missing says why without a path: a model reads it.
func missing(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "its file is not there"
	case errors.Is(err, ErrBlobDamaged):
		return "its file is damaged"
	}
	return "its file cannot be read"
}

func readBlob(dir, ref string) blob {
	name, ok := strings.CutPrefix(ref, blobPrefix)
	name = strings.ToLower(name)
	want, err := hex.DecodeString(name)
	if !ok || err != nil || len(want) != sha256.Size { // also keeps a path out of the name
		return blob{err: errors.New("not a reference to a blob: it must be " + blobPrefix + " and 64 hex digits")}
	}
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file") // opening a FIFO would wait for ever
	}
	if err != nil {
		return blob{path: path, err: withoutPath(err)}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return blob{path: path, err: withoutPath(err)}
	}
	if sum := sha256.Sum256(data); string(sum[:]) != string(want) {
		return blob{path: path, err: ErrBlobDamaged}
	}
	return blob{base64: base64.StdEncoding.EncodeToString(data), path: path}
}

// withoutPath drops the path from an error, for BlobError says it.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
