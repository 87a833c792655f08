// Ramo-generate writes a session of any size, to measure ramo on.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/ramo-dev/ramo/internal/generate"
)

func main() {
	var s generate.Shape
	flag.IntVar(&s.Entries, "entries", 100_000, "number of `entries`")
	mb := flag.Int64("mb", 150, "size of the file in `MB`, about; 0: as small as it can be")
	flag.Uint64Var(&s.Seed, "seed", 1, "another seed, another session")
	flag.IntVar(&s.BranchEvery, "branch-every", 50, "hang every `n`th entry from an earlier one; 0: one chain")
	flag.BoolVar(&s.Wide, "wide", false, "hang every entry from the first")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: ramo-generate [flags] FILE")
		flag.PrintDefaults()
	}
	flag.Parse()
	s.Bytes = *mb * 1e6
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), s); err != nil {
		fmt.Fprintln(os.Stderr, "ramo-generate:", err)
		os.Exit(3)
	}
}

func run(path string, s generate.Shape) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := generate.Session(f, s); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
