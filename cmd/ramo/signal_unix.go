//go:build !windows

package main

import (
	"os/signal"
	"syscall"
)

// ignoreSizeSignal makes a write beyond a file-size limit an error like that of a full disk, instead
// of the end of the program.
func ignoreSizeSignal() { signal.Ignore(syscall.SIGXFSZ) }
