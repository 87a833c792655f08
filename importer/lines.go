package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Damage is a line that cannot be read.
type Damage struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
}

// readLines calls f with each line that is not blank, of any length, until f returns false.
func readLines(ctx context.Context, path string, f func(n int, line []byte) bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() { // opening a FIFO would wait for ever
		return fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 256<<10)
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := r.ReadBytes('\n')
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		if line = bytes.Trim(line, " \t\r\n\x00"); len(line) > 0 && !f(n, line) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
