package tool

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/ramo-dev/ramo/message"
)

const (
	maxLines = 2000
	maxImage = 3840 << 10 // its base64 must stay within the 5 MB that providers take
	headSize = 8 << 10    // what tells a file's kind
)

var readParameters = json.RawMessage(`{"type":"object","properties":{
"path":{"type":"string","description":"The file, relative to the working directory."},
"offset":{"type":"integer","minimum":1,"description":"The line to start with; the first is 1."},
"limit":{"type":"integer","minimum":1,"description":"How many lines at most."}},
"required":["path"],"additionalProperties":false}`)

type readArguments struct {
	Path          string
	Offset, Limit count
}

func (w *Workspace) readTool() Tool {
	return Tool{
		Name: "read",
		Description: fmt.Sprintf("Read a text file, or see an image (PNG, JPEG, GIF, WebP). At most %d lines and %s are shown at once; "+
			"use offset and limit for the rest.", maxLines, size(maxText)),
		Parameters: readParameters,
		Run:        bind(readParameters, w.read),
	}
}

func (w *Workspace) read(ctx context.Context, a readArguments) (Result, error) {
	path, err := w.relative(a.Path)
	if err != nil {
		return Result{}, err
	}
	f, info, err := openFile(w.root, path)
	if err != nil {
		return Result{}, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(reader{ctx, f}, 64<<10)
	head, err := r.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return Result{}, explain(path, err)
	}
	if mime := http.DetectContentType(head); slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime) {
		return readImage(r, path, mime, info.Size())
	}
	if isBinary(head) {
		return Result{}, fmt.Errorf("%s is a binary file (%s), not text", path, size(info.Size()))
	}
	return readPage(r, path, info, a)
}

func readImage(r io.Reader, path, mime string, length int64) (Result, error) {
	tooLarge := fmt.Errorf("the image %s is too large to be shown: %s, and at most %s can be", path, size(length), size(maxImage))
	if length > maxImage {
		return Result{}, tooLarge
	}
	picture, err := io.ReadAll(io.LimitReader(r, maxImage+1))
	if err != nil {
		return Result{}, explain(path, err)
	}
	if len(picture) > maxImage { // it has grown
		return Result{}, tooLarge
	}
	return Result{Content: []message.Block{
		message.Text(fmt.Sprintf("[%s: %s, %s]", path, mime, size(int64(len(picture))))),
		message.Image(mime, picture),
	}}, nil
}

// readPage returns the lines as they are, so that edit finds what the model saw, and a note if there are more.
func readPage(r *bufio.Reader, path string, info os.FileInfo, a readArguments) (Result, error) {
	first := max(int(a.Offset), 1)
	limit := maxLines
	if a.Limit > 0 {
		limit = min(limit, int(a.Limit))
	}
	for n := 1; n < first; n++ {
		if _, _, err := nextLine(r, nil, 0); errors.Is(err, io.EOF) {
			return Result{}, fmt.Errorf("offset %d is past the end of %s, which has %d lines", first, path, n-1)
		} else if err != nil {
			return Result{}, explain(path, err)
		}
	}
	var page []byte
	var notes []string
	n, more := 0, false
	for {
		line, cut, err := nextLine(r, nil, maxText)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Result{}, explain(path, err)
		}
		if n == limit || n > 0 && len(page)+len(line) > maxText {
			more = true
			break
		}
		page = append(page, line...)
		n++
		if cut {
			notes = append(notes, fmt.Sprintf("Line %d is longer than %s; the rest of it is not shown.", first+n-1, size(maxText)))
		}
	}
	if n == 0 && first > 1 {
		return Result{}, fmt.Errorf("offset %d is past the end of %s, which has %d lines", first, path, first-1)
	}
	if n == 0 {
		return Text("[The file is empty.]"), nil
	}
	if more {
		notes = append(notes, fmt.Sprintf("Lines %d-%d of a file of %s; go on with offset=%d.", first, first+n-1, size(info.Size()), first+n))
	}
	text := strings.ToValidUTF8(string(page), "\uFFFD")
	if len(notes) > 0 {
		text = strings.TrimRight(text, "\r\n") + "\n\n[" + strings.Join(notes, " ") + "]"
	}
	return Text(text), nil
}
