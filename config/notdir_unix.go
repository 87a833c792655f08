//go:build !windows

package config

import "syscall"

const errNotDir = syscall.ENOTDIR
