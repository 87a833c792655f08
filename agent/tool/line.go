package tool

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxText bounds the text of a result, in bytes.
const maxText = 50 << 10

// nextLine returns the next line with its end, at most limit bytes of it, and whether there was more;
// the rest is skipped. The last line comes with a nil error, io.EOF after it. The bytes are appended to buf.
func nextLine(r *bufio.Reader, buf []byte, limit int) (line []byte, cut bool, err error) {
	line = buf
	for {
		part, err := r.ReadSlice('\n')
		if room := limit - (len(line) - len(buf)); len(part) > room {
			part, cut = part[:room], true
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, cut, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > len(buf):
			return line, cut, nil
		default:
			return line, cut, err
		}
	}
}

// isBinary looks at a file's first bytes the way git and grep do.
func isBinary(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}
