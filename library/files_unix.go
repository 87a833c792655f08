//go:build unix

package library

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	terminal "github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// inode tells two files apart that have had one name, one after the other.
func inode(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(s.Ino)
	}
	return 0
}

// device is the disk that a file is on.
func device(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev) // an int32 on some systems
	}
	return 0
}

// renamesWhileOpen tells that an open file can be given another name.
const renamesWhileOpen = true

func crossDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }

// terminalDevice names the terminal of standard input and its session, and is "" when there is none.
func terminalDevice() string {
	if !terminal.IsTerminal(os.Stdin.Fd()) {
		return ""
	}
	info, err := os.Stdin.Stat()
	if err != nil {
		return ""
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	leader, err := unix.Getsid(0)
	if !ok || err != nil {
		return ""
	}
	return fmt.Sprint("device ", s.Rdev, " of ", leader)
}
