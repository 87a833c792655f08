package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ramo-dev/ramo/config"
	"github.com/ramo-dev/ramo/internal/modeltest"
)

// project makes files in a new directory; one whose name ends in / is a directory.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(file, 0o700)
		} else if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
			err = os.WriteFile(file, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func prompt(t *testing.T, s *config.Settings, dir string, tools ...string) string {
	t.Helper()
	text, err := system(s, dir, tools)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTheSystemPrompt(t *testing.T) {
	dir := project(t, map[string]string{".git/": "", "AGENTS.md": "Use tabs.\n"})
	got := prompt(t, config.Default(), dir, "read", "edit", "bash")
	got = strings.NewReplacer(filepath.Join(dir, "AGENTS.md"), "DIR/AGENTS.md", dir, "DIR", runtime.GOOS+"/"+runtime.GOARCH, "PLATFORM", time.Now().Format(time.DateOnly), "DATE").Replace(got)
	file := filepath.Join("testdata", "golden", "system-prompt")
	if *update {
		if err := os.WriteFile(file, []byte(got+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, file); got+"\n" != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTheSystemPromptSpeaksOfTheToolsThereAre(t *testing.T) {
	for _, c := range []struct {
		tools     []string
		has, none string
	}{
		{[]string{"read", "grep"}, "You have read, grep.", "edit a file, read it"},
		{[]string{"read", "edit"}, "Before you edit a file", "Commands run without"},
		{[]string{"bash"}, "Commands run without", "Before you edit a file"},
		{nil, "You have no tools here", "# Tools"},
	} {
		if got := prompt(t, config.Default(), "", c.tools...); !strings.Contains(got, c.has) || strings.Contains(got, c.none) {
			t.Errorf("%v: not %q, or %q, in\n%s", c.tools, c.has, c.none, got)
		}
	}
}

func TestTheProjectsInstructions(t *testing.T) {
	outside := filepath.Join(project(t, map[string]string{"secret": "SECRET"}), "secret")
	for _, c := range []struct {
		name  string
		files map[string]string
		links map[string]string
		dir   string
		want  string // the texts in order
	}{
		{"none", map[string]string{".git/": ""}, nil, ".", ""},
		{"from the root of the repository down", map[string]string{".git/": "", "AGENTS.md": "A", "sub/deep/AGENTS.md": "C", "sub/AGENTS.md": "B"}, nil, "sub/deep", "A B C"},
		{"CLAUDE.md where there is no AGENTS.md", map[string]string{".git/": "", "AGENTS.md": "A", "CLAUDE.md": "X", "sub/CLAUDE.md": "B"}, nil, "sub", "A B"},
		{"an empty AGENTS.md says nothing", map[string]string{".git/": "", "AGENTS.md": " \n", "CLAUDE.md": "X"}, nil, ".", "X"},
		{"not of what is above the repository", map[string]string{"AGENTS.md": "X", "repo/.git/": "", "repo/AGENTS.md": "A"}, nil, "repo", "A"},
		{"a worktree's .git is a file", map[string]string{".git": "gitdir: elsewhere", "AGENTS.md": "A", "sub/x": ""}, nil, "sub", "A"},
		{"outside a repository only the directory's own", map[string]string{"AGENTS.md": "X", "sub/AGENTS.md": "A"}, nil, "sub", "A"},
		{"a link within the repository", map[string]string{".git/": "", "AGENTS.md": "A"}, map[string]string{"sub/AGENTS.md": "../AGENTS.md"}, "sub", "A A"},
		{"no link out of it", map[string]string{".git/": ""}, map[string]string{"AGENTS.md": outside}, ".", ""},
		{"a directory of that name", map[string]string{".git/": "", "AGENTS.md/": "", "CLAUDE.md": "X"}, nil, ".", "X"},
		{"what is no UTF-8", map[string]string{".git/": "", "AGENTS.md": "a\xffb"}, nil, ".", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := project(t, c.files)
			for name, to := range c.links {
				file := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(filepath.FromSlash(to), file); err != nil {
					t.Skip(err) // not everyone may on Windows
				}
			}
			found, err := projectInstructions(filepath.Join(dir, c.dir))
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, f := range found {
				texts = append(texts, f.Text)
			}
			if got := strings.Join(texts, " "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestInstructionsThatAreTooLongAreCutFromTheTop(t *testing.T) {
	dir := project(t, map[string]string{".git/": "", "AGENTS.md": strings.Repeat("ä", maxInstructions), "sub/AGENTS.md": "nearest", "sub/x": ""})
	found, err := projectInstructions(filepath.Join(dir, "sub"))
	if err != nil || len(found) != 2 {
		t.Fatalf("%d files, %v", len(found), err)
	}
	if found[1].Text != "nearest" || !strings.HasPrefix(found[0].Text, "ää") || !strings.HasSuffix(found[0].Text, "ä\n(The rest is left out: the instructions are too long.)") || len(found[0].Text) > maxInstructions+100 {
		t.Errorf("%d bytes, ending in %q", len(found[0].Text), found[0].Text[len(found[0].Text)-80:])
	}
}

func TestSettingsReplaceAndAddToTheSystemPrompt(t *testing.T) {
	dir := project(t, map[string]string{".git/": "", "AGENTS.md": "Use tabs.", "own.md": "From a file.\n"})
	s := config.Default()
	s.AppendSystemPrompt = "Be kind."
	if got := prompt(t, s, dir); !strings.HasPrefix(got, "You work on") || !strings.Contains(got, "Use tabs.") || !strings.HasSuffix(got, "\n\nBe kind.") {
		t.Errorf("added: %q", got)
	}
	s.SystemPrompt = "@" + filepath.Join(dir, "own.md")
	if got := prompt(t, s, dir); got != "From a file.\n\nBe kind." {
		t.Errorf("replaced: %q", got)
	}
	for _, file := range []string{filepath.Join(dir, "nosuch"), dir} {
		s.SystemPrompt = "@" + file
		if _, err := system(s, dir, nil); err == nil || !strings.HasPrefix(err.Error(), "the setting system_prompt: ") || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestAModelIsToldTheSystemPrompt(t *testing.T) {
	m := newMachine(t)
	m.file("AGENTS.md", "Use tabs.")
	m.run("", "new", "--output", "s.jsonl")
	server := m.withModel(modeltest.Turn{Text: []string{"ok"}})
	m.ok("prompt", "s.jsonl", "hello")
	for _, want := range []string{"Use tabs.", m.dir, "You have read"} {
		if sent := server.Requests()[0].Raw; !strings.Contains(sent, want) {
			t.Errorf("no %q in %s", want, sent)
		}
	}
}
