//go:build unix

package library

import (
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
