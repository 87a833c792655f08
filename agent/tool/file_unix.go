//go:build !windows

package tool

import (
	"os"
	"syscall"
)

// Opening a FIFO that no one writes to would wait for ever.
const openFlags = syscall.O_NONBLOCK

// syncDir makes a rename in the directory durable.
func syncDir(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
