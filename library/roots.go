package library

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Root is a folder that a tool keeps its sessions under.
type Root struct {
	Dir  string
	Tool string // "ramo", "pi", "omp", or "" when any of them may
}

// Roots are the folders to look in, whether they exist or not: those of the three tools, as the
// environment names them, then the ones given, in which ~ is the home directory. Folders that are not
// absolute, and those that stand there twice, are left out.
func Roots(dirs ...string) []Root {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	var roots []Root
	add := func(tool, dir string, elem ...string) {
		if dir = expand(dir, home); !filepath.IsAbs(dir) {
			return
		}
		dir = filepath.Join(append([]string{dir}, elem...)...)
		if !slices.ContainsFunc(roots, func(r Root) bool { return r.Dir == dir }) {
			roots = append(roots, Root{dir, tool})
		}
	}
	add("ramo", OwnDir())
	// Both tools take their folder from PI_CODING_AGENT_DIR; whose a session there is, its header and
	// its id tell.
	add("", os.Getenv("PI_CODING_AGENT_SESSION_DIR"))
	add("", os.Getenv("PI_CODING_AGENT_DIR"), "sessions")
	add("pi", home, ".pi", "agent", "sessions")
	config := os.Getenv("PI_CONFIG_DIR")
	if config == "" {
		config = ".omp"
	}
	add("omp", home, config, "agent", "sessions")
	bases := []string{filepath.Join(home, config)}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		add("omp", dir, "omp", "sessions")
		bases = append(bases, filepath.Join(dir, "omp"))
	}
	for _, base := range bases { // omp's profiles
		profiles, _ := os.ReadDir(filepath.Join(base, "profiles")) // nearly always there are none
		for _, p := range profiles {
			add("omp", base, "profiles", p.Name(), "agent", "sessions")
			add("omp", base, "profiles", p.Name(), "sessions")
		}
	}
	for _, dir := range dirs {
		add("", dir)
	}
	return roots
}

// expand puts the home directory in the place of ~.
func expand(dir, home string) string {
	if rest, ok := strings.CutPrefix(dir, "~"); ok && home != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return filepath.Join(home, rest)
	}
	return dir
}

// OwnDir is where ramo keeps its own sessions: $XDG_DATA_HOME/ramo/sessions, or
// ~/.local/share/ramo/sessions. It is "" when there is no home directory.
func OwnDir() string {
	if dir := dataDir(); dir != "" {
		return filepath.Join(dir, "ramo", "sessions")
	}
	return ""
}

// dataDir is $XDG_DATA_HOME or what stands for it, and "" when there is no home directory.
func dataDir() string {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "share")
}

// DirFor is the folder in OwnDir for sessions about a directory. Its name is for people; what a
// session is about stands in its header.
func DirFor(cwd string) string {
	return filepath.Join(OwnDir(), "--"+folderName(cwd)+"--")
}

// folderName is how the tools write a directory as a folder's name, but for the dashes around it.
func folderName(cwd string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == ':' {
			return '-'
		}
		return r
	}, strings.TrimLeft(filepath.ToSlash(cwd), "/"))
}

// likelyAbout tells from its name whether a folder holds the sessions about a directory: a guess that
// only decides what is read first. omp leaves the home directory out of the name.
func likelyAbout(folder, cwd string) bool {
	name := strings.Trim(folder, "-")
	if name == "" || cwd == "" {
		return false
	}
	if name == strings.Trim(folderName(cwd), "-") {
		return true
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	rest, ok := strings.CutPrefix(filepath.Clean(cwd), filepath.Clean(home)+string(filepath.Separator))
	return ok && name == strings.Trim(folderName(rest), "-")
}

// SameDir tells whether two paths name one directory.
func SameDir(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	ra, errA := filepath.EvalSymlinks(a)
	rb, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && ra == rb
}
