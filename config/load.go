package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

const (
	fileName = "config.toml"
	maxFile  = 1 << 20 // bytes; larger is a mistake
)

// Dir is where the user's settings are: $XDG_CONFIG_HOME/ramo, or the system's own place for such things.
func Dir() (string, error) {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ramo"), nil
	}
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("AppData"); dir != "" {
			return filepath.Join(dir, "ramo"), nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the settings: %w; set XDG_CONFIG_HOME", err)
	}
	return filepath.Join(home, ".config", "ramo"), nil
}

// Load reads the settings for work in a directory.
func Load(cwd string) (*Settings, error) {
	s := Default()
	var errs []error
	if dir, err := Dir(); err == nil { // without a home there is no user's file
		errs = append(errs, s.read(source{from: FromUser, file: filepath.Join(dir, fileName)}))
	}
	project, err := Project(cwd)
	if err != nil {
		return nil, err
	}
	if project != "" {
		trusted, err := IsTrusted(project)
		if err != nil {
			return nil, err
		}
		errs = append(errs, s.read(source{from: FromProject, file: projectFile(project), project: project, trusted: trusted}))
	}
	errs = append(errs, s.environment())
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	return s, nil
}

func projectFile(dir string) string { return filepath.Join(dir, ".ramo", fileName) }

// Project is the directory whose .ramo/config.toml counts for work in cwd, or "" if there is none.
func Project(cwd string) (string, error) {
	cwd, err := filepath.Abs(cwd)
	if err != nil {
		return "", fmt.Errorf("finding the project's settings: %w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then only a git root ends the search
	}
	found := ""
	for dir := cwd; ; dir = filepath.Dir(dir) {
		switch _, err := os.Lstat(projectFile(dir)); {
		case err == nil && found == "":
			found = dir
		case err != nil && !isMissing(err):
			return "", fmt.Errorf("finding the project's settings: %w", err)
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == home {
			return found, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	// Neither in a repository nor in the user's home: a directory above, such as /tmp, may be anyone's.
	if found == cwd {
		return found, nil
	}
	return "", nil
}

// isMissing tells whether there is no such file, or cannot be: a parent is a file.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir)
}

// read reads a file, if it is there.
func (s *Settings) read(src source) error {
	text, err := readFile(src.file)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return &Error{Origin: Origin{Source: src.from, File: src.file}, Reason: err.Error()}
	}
	return s.decode(text, src)
}

func readFile(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", withoutPath(err)
	}
	if !info.Mode().IsRegular() { // opening a FIFO would wait for ever
		return "", errors.New("is not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return "", withoutPath(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", withoutPath(err)
	}
	if len(b) > maxFile {
		return "", errors.New("is larger than 1 MB")
	}
	return strings.TrimPrefix(string(b), "\ufeff"), nil
}

// withoutPath drops the path from an error that is shown after it.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// environment takes what variables say. An empty one says nothing.
func (s *Settings) environment() error {
	var errs []error
	for _, st := range settings {
		value := os.Getenv(st.env)
		if st.env == "" || value == "" {
			continue
		}
		o := Origin{Source: FromEnvironment, Variable: st.env}
		if reason := st.wrong(value, place{}); reason != "" {
			errs = append(errs, &Error{o, st.key, reason})
			continue
		}
		fieldsOf(reflect.ValueOf(s).Elem())[st.key].SetString(value)
		s.origins[st.key] = o
	}
	return errors.Join(errs...)
}

// finish fills in what follows from other settings, and checks what only all files together tell.
func (s *Settings) finish() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(s.Providers)) {
		p := s.Providers[name]
		if p.Type == "" {
			p.Type = "openai-compatible"
			if slices.Contains(providerTypes, name) {
				p.Type = name
			}
			s.Providers[name] = p
		}
		key := join("providers", name)
		if p.Type == "openai-compatible" && p.BaseURL == "" {
			errs = append(errs, &Error{s.origins[key], join(key, "base_url"), "is missing; an openai-compatible provider needs it"})
		}
	}
	return errors.Join(errs...)
}

// CheckKeys tells which names in Keys are no action, for who knows the actions.
func (s *Settings) CheckKeys(actions []string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(s.Keys)) {
		if slices.Contains(actions, name) {
			continue
		}
		reason := "there is no such action; there are " + strings.Join(actions, ", ")
		if near := nearest(name, actions); near != "" {
			reason = "there is no such action; did you mean " + near + "?"
		}
		key := join("keys", name)
		errs = append(errs, &Error{s.origins[key], key, reason})
	}
	return errors.Join(errs...)
}
