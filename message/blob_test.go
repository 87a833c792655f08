package message_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/message"
)

const picture = "not really a picture"

// blobDir has the picture as omp stores it; its name is the reference.
func blobDir(t *testing.T) (dir, ref string) {
	t.Helper()
	dir = t.TempDir()
	sum := sha256.Sum256([]byte(picture))
	name := hex.EncodeToString(sum[:])
	if err := os.WriteFile(filepath.Join(dir, name), []byte(picture), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, "blob:sha256:" + name
}

func shows(ref string) message.Message {
	return message.Message{Role: "user", Content: []message.Block{message.Text("see"), {Type: "image", Data: ref, MimeType: "image/png"}}, Timestamp: 1}
}

func TestBlobIsPutBackAsBase64(t *testing.T) {
	dir, ref := blobDir(t)
	in := []message.Message{
		decode(t, string(shows(ref).AppendJSON(nil))),
		decode(t, `{"role":"user","content":[{"type":"image","data":"AA==","mimeType":"image/png"}], "odd":1}`),
		decode(t, `{"role":"fileMention","files":[{"path":"a.png","content":"","image":{"type":"image","data":"`+ref+`","mimeType":"image/png"}}]}`),
		shows("blob:sha256:" + strings.ToUpper(strings.TrimPrefix(ref, "blob:sha256:"))),
	}
	before := written(in)
	out, errs := message.ResolveBlobs(in, dir)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := message.Image("image/png", []byte(picture))
	for _, i := range []int{0, 3} {
		if got := out[i].Images(); len(got) != 1 || string(got[0].AppendJSON(nil)) != string(want.AppendJSON(nil)) {
			t.Errorf("message %d: %s", i, out[i].AppendJSON(nil))
		}
		if !strings.Contains(string(out[i].AppendJSON(nil)), want.Data) {
			t.Errorf("message %d is still written with its reference", i)
		}
	}
	if string(out[1].Raw()) != string(in[1].Raw()) {
		t.Errorf("a message without a reference was changed to %s", out[1].AppendJSON(nil))
	}
	if image := out[2].Files[0].Image; image == nil || image.Data != want.Data {
		t.Errorf("a mentioned file's image: %+v", image)
	}
	if written(in) != before {
		t.Error("the input was changed")
	}
}

func TestMissingBlobIsSaidInItsPlace(t *testing.T) {
	dir, ref := blobDir(t)
	gone := "blob:sha256:" + strings.Repeat("0", 64)
	damaged := "blob:sha256:" + strings.Repeat("1", 64)
	folder := "blob:sha256:" + strings.Repeat("2", 64)
	if err := os.WriteFile(filepath.Join(dir, strings.Repeat("1", 64)), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, strings.Repeat("2", 64)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "secret"), []byte(picture), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		rule, ref, says string
		is              error
	}{
		{"no such file", gone, "its file is not there", fs.ErrNotExist},
		{"other bytes", damaged, "its file is damaged", message.ErrBlobDamaged},
		{"a folder", folder, "its file cannot be read", nil},
		{"a path for a name", "blob:sha256:../secret", "its file cannot be read", nil},
		{"a path of the right length", "blob:sha256:" + strings.Repeat("../", 19) + "../etc/", "its file cannot be read", nil},
		{"too short", ref[:len(ref)-2], "its file cannot be read", nil},
		{"too long", ref + "00", "its file cannot be read", nil},
		{"another hash", "blob:md5:00", "its file cannot be read", nil},
	} {
		t.Run(test.rule, func(t *testing.T) {
			out, errs := message.ResolveBlobs([]message.Message{message.User("hi"), shows(test.ref)}, dir)
			if len(errs) != 1 || errs[0].Message != 1 || errs[0].Ref != test.ref || (test.is != nil && !errors.Is(errs[0], test.is)) {
				t.Errorf("errors: %v", errs)
			}
			blocks := out[1].Content
			if len(blocks) != 2 || blocks[0].Text != "see" || blocks[1].Type != "text" || !strings.Contains(blocks[1].Text, test.says) {
				t.Errorf("content: %+v", blocks)
			}
			if len(errs) == 1 && !strings.Contains(errs[0].Error(), strings.TrimPrefix(test.ref, "blob:sha256:")) {
				t.Errorf("the error does not name the blob: %v", errs[0])
			}
			if strings.Contains(blocks[1].Text, dir) {
				t.Errorf("the model is told a path: %s", blocks[1].Text)
			}
		})
	}
	out, errs := message.ResolveBlobs([]message.Message{{Role: "fileMention", Files: []message.File{{Path: "a.png", Image: &message.Block{Type: "image", Data: gone}}}}}, dir)
	if len(errs) != 1 || out[0].Files[0].Image != nil || !strings.Contains(out[0].Files[0].Content, "missing") {
		t.Errorf("a mentioned file: %+v, %v", out[0].Files, errs)
	}
}

func TestBlobDirIsOMPs(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	dir, err := message.BlobDir()
	if err != nil || dir != filepath.Join(home, ".omp", "agent", "blobs") {
		t.Errorf("%s, %v", dir, err)
	}
}
