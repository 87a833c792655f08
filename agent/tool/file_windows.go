package tool

import "os"

const openFlags = 0

// syncDir does nothing: Windows has no such thing.
func syncDir(*os.Root) error { return nil }
