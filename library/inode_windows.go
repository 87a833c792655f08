package library

import "io/fs"

// inode is of no use here: there, finding it means to open the file.
func inode(fs.FileInfo) int64 { return 0 }
