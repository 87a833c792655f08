package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/ramo-dev/ramo/agent"
	"github.com/ramo-dev/ramo/agent/tool"
	"github.com/ramo-dev/ramo/config"
	"github.com/ramo-dev/ramo/extension"
	"github.com/ramo-dev/ramo/internal/display"
	"github.com/ramo-dev/ramo/library"
	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/model"
	"github.com/ramo-dev/ramo/session"
	"github.com/ramo-dev/ramo/summary"
)

// loadSettings loads the settings for the directory that the command runs in, and says what of a
// project's was ignored.
func loadSettings(cmd *cobra.Command) (*config.Settings, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s, err := config.Load(cwd)
	if err != nil {
		return nil, err
	}
	for _, i := range s.Ignored() {
		fmt.Fprintf(cmd.ErrOrStderr(), "ramo: %s in %s is ignored: trust the project with 'ramo config trust %s' first\n", i.Key, i.Origin, i.Project)
	}
	return s, nil
}

// registry knows the models, with what the settings say.
func registry(s *config.Settings) *model.Registry {
	providers := map[string]model.Settings{}
	for name, p := range s.Providers {
		m := model.Settings{Type: p.Type, BaseURL: p.BaseURL, APIKey: p.APIKey.Reveal(), APIKeyEnv: p.APIKeyEnv, Headers: map[string]string{}}
		for k, v := range p.Headers {
			m.Headers[k] = v.Reveal()
		}
		for _, i := range p.Models {
			m.Models = append(m.Models, model.Info{
				ID: i.ID, Name: i.Name, ContextWindow: i.ContextWindow, MaxOutput: i.MaxOutput,
				Reasoning: i.Reasoning != nil && *i.Reasoning, Images: i.Images != nil && *i.Images,
				Price: model.Price{Input: i.Prices.Input, Output: i.Prices.Output, CacheRead: i.Prices.CacheRead, CacheWrite: i.Prices.CacheWrite},
			})
			if i.Reasoning != nil && !*i.Reasoning {
				m.NoReasoning = append(m.NoReasoning, i.ID)
			}
			if i.Images != nil && !*i.Images {
				m.NoImages = append(m.NoImages, i.ID)
			}
		}
		providers[name] = m
	}
	return model.NewRegistry(providers)
}

// liveOptions are an agent's, from the settings. Extensions run in the directory dir; tools work where the
// conversation is about, if that directory is here.
func liveOptions(s *config.Settings, dir string) agent.Options {
	keep := summary.Settings{Enabled: s.Compaction.Enabled, ReserveTokens: s.Compaction.ReserveTokens, KeepRecentTokens: s.Compaction.KeepRecentTokens}
	return agent.Options{
		Models: registry(s), DefaultModel: s.Model, DefaultThinking: s.Thinking, SummaryModel: s.SummaryModel,
		Compaction: &keep, Extensions: programs(s, dir),
		Workspace: func(dir string) (agent.Workspace, error) { return workspace(s, dir) },
		NewPath:   func(h session.Header) string { return session.NewPath(library.DirFor(h.Cwd), h) },
	}
}

// workspace is what a model is told and can do in a directory: nothing where there is none.
func workspace(s *config.Settings, dir string) (w agent.Workspace, err error) {
	if dir = here(dir); dir == "" {
		w.System, err = system(s, "", nil)
		return w, err
	}
	tools, err := tool.Open(dir, tool.Options{
		Write: tool.Permission(s.Tools.Write), Edit: tool.Permission(s.Tools.Edit), Bash: tool.Permission(s.Tools.Bash),
		AllowCommands: s.Allow, Env: withoutKeys(os.Environ()),
	})
	if err != nil {
		return w, err
	}
	w.Tools, w.Close = tools.Tools(), func() { _ = tools.Close() }
	var names []string
	for _, t := range w.Tools {
		names = append(names, t.Name)
	}
	if w.System, err = system(s, dir, names); err != nil {
		w.Close()
	}
	return w, err
}

// here is a directory, if it is on this machine.
func here(dir string) string {
	if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// programs are the extensions of the settings. Like the tools they see no keys, but for those that the
// settings give them.
func programs(s *config.Settings, dir string) (list []extension.Extension) {
	for _, e := range s.Extensions {
		p := extension.Program{Command: e.Command, Dir: dir, Timeout: e.Timeout, Env: withoutKeys(os.Environ())}
		for name, value := range e.Env {
			p.Env = append(p.Env, name+"="+value.Reveal())
		}
		list = append(list, p.Extension())
	}
	return list
}

// withoutKeys leaves out of a command's environment what looks like a key: a model that runs
// commands must not be able to print it.
func withoutKeys(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		return strings.HasSuffix(name, "_API_KEY") || strings.HasSuffix(name, "_TOKEN") || strings.HasSuffix(name, "_SECRET")
	})
}

// openLive opens a session with an agent that asks on the terminal.
func openLive(cmd *cobra.Command, arg, modelName string) (*agent.Agent, error) {
	settings, err := loadSettings(cmd)
	if err != nil {
		return nil, err
	}
	s, err := openSession(cmd.Context(), arg)
	if err != nil {
		return nil, err
	}
	return newLive(settings, s, func(o *agent.Options) {
		o.Model, o.Approve = modelName, askOnTerminal
	})
}

// newLive makes an agent of an open session, which is closed when that fails.
func newLive(settings *config.Settings, s *session.Session, adjust func(*agent.Options)) (*agent.Agent, error) {
	o := liveOptions(settings, here(s.Header().Cwd))
	adjust(&o)
	a, err := agent.New(s, o)
	if err != nil {
		_ = s.Close()
	}
	return a, err
}

// askOnTerminal asks whether a tool may run. Without a terminal the answer is no.
func askOnTerminal(ctx context.Context, call message.Block) (bool, error) {
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stderr.Fd()) {
		return false, nil
	}
	fmt.Fprintln(os.Stderr, display.Line(display.Call(call), 4000))
	return ask(ctx, "Run it?")
}

func modelFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVarP(to, "model", "m", "", "the `provider/model` to use")
	_ = cmd.RegisterFlagCompletionFunc("model", completeModel)
}

func completeModel(cmd *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	s, err := loadSettings(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var list []string
	for _, k := range registry(s).List() {
		if strings.HasPrefix(k.Ref(), toComplete) && k.Usable {
			list = append(list, k.Ref()+"\t"+k.Name)
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
