//go:build unix

package library

import (
	"errors"
	"io/fs"
	"syscall"
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
