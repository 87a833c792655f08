package extension_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// The extensions of the tests are this test program itself, started again.
const asExtension = "RAMO_TEST_EXTENSION"

// misbehave is the main function of such an extension; it returns false in the test itself.
func misbehave() bool {
	kind := os.Getenv(asExtension)
	if kind == "" {
		return false
	}
	e := &peer{in: bufio.NewReader(os.Stdin)}
	switch kind {
	case "mute":
		e.forever()
	case "stillborn":
		fmt.Fprintln(os.Stderr, "cannot find my settings")
		os.Exit(3)
	case "refuses":
		m := e.next()
		e.say(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": 1, "message": "wrong version"}})
		e.forever()
	case "deaf": // never reads again, whatever is sent
		e.hello(`{"events":["session_before_tree","session_tree"]}`)
		time.Sleep(time.Hour)
	case "hangs":
		e.hello(`{"events":["session_before_tree"]}`)
		e.forever()
	case "babbles":
		e.hello(`{"events":["session_before_tree"]}`)
		e.wait("session_before_tree")
		noise := append(bytes.Repeat([]byte("blah "), 2000), '\n')
		for range 1000 { // 10 MB
			if _, err := os.Stdout.Write(noise); err != nil {
				os.Exit(0)
			}
		}
		e.forever()
	case "babbles in one line":
		e.hello(`{"events":["session_before_tree"]}`)
		e.wait("session_before_tree")
		noise := bytes.Repeat([]byte("x"), 1<<20)
		for {
			if _, err := os.Stdout.Write(noise); err != nil {
				os.Exit(0)
			}
		}
	case "babbles on stderr":
		e.hello(`{"events":["session_before_tree"]}`)
		m := e.wait("session_before_tree")
		for range 1000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("oops ", 2000))
		}
		e.answer(m, `{"cancel":true,"reason":"said enough"}`)
		e.forever()
	case "crashes":
		e.hello(`{"events":["session_before_tree","session_tree"],"commands":[{"name":"c"}],"tools":[{"name":"t"}]}`)
		e.wait("session_before_tree")
		fmt.Fprintln(os.Stderr, "segmentation fault, sort of")
		os.Exit(7)
	case "lies":
		e.hello(`{"events":["session_before_tree","no_such_event"],"commands":[{"name":"lie"},{"name":"a b"}],"tools":[{"name":"t","parameters":7}]}`)
		for {
			m := e.next()
			switch m.Method {
			case "session_before_tree":
				fmt.Println("{not json")
				fmt.Println(`{"jsonrpc":"2.0","id":987654,"result":{"cancel":true}}`)
				fmt.Println(`{"jsonrpc":"2.0","id":"ramo","result":{"cancel":true}}`)
				e.answer(m, `{"cancel":"perhaps"}`)
				e.answer(m, `{"cancel":true}`)
			case "command":
				for _, r := range []string{
					`"method":"navigate","params":{"target":"ffffffff"}`, `"method":"branch","params":{"entry":"ffffffff"}`,
					`"method":"append_message","params":{"customType":"x","content":{"no":"content"}}`,
					`"method":"append_entry","params":[1,2]`, `"method":"explode"`,
				} {
					fmt.Printf(`{"jsonrpc":"2.0","id":1,%s}`+"\n", r)
					if a := e.next(); a.Error == nil {
						fmt.Fprintln(os.Stderr, "it was believed:", r)
						os.Exit(4)
					}
				}
				e.answer(m, `{}`)
			}
		}
	case "moves outside of a command":
		e.hello(`{}`)
		fmt.Printf(`{"jsonrpc":"2.0","id":1,"method":"navigate","params":{"target":%q}}`+"\n", os.Getenv("RAMO_TEST_TARGET"))
		a := e.next()
		fmt.Printf(`{"jsonrpc":"2.0","method":"notify","params":{"text":"error: %v"}}`+"\n", a.Error != nil)
		e.forever()
	case "leaves a child":
		e.hello(`{"commands":[{"name":"pid"}]}`)
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), asExtension+"=child")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			os.Exit(5)
		}
		m := e.wait("command")
		fmt.Printf(`{"jsonrpc":"2.0","method":"notify","params":{"text":"pids %d %d"}}`+"\n", os.Getpid(), child.Process.Pid)
		e.answer(m, `{}`)
		time.Sleep(time.Hour) // and does not end with its input
	case "child":
		time.Sleep(time.Hour)
	case "cancelled":
		e.hello(`{"events":["session_before_tree"]}`)
		m := e.wait("session_before_tree")
		e.note("entered")
		c := e.wait("$/cancel")
		e.note("cancelled " + fmt.Sprint(string(c.Params) == fmt.Sprintf(`{"id":%s}`, m.ID)))
		e.answer(m, `{"cancel":true}`)
		m = e.wait("session_before_tree")
		e.answer(m, `{"cancel":true,"reason":"back again"}`)
		e.forever()
	case "everything":
		e.everything()
	case "acts":
		e.acts()
	}
	return true
}

// peer is the extension's end.
type peer struct{ in *bufio.Reader }

type received struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// next reads a message; the end of input ends the extension.
func (p *peer) next() (m received) {
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0)
	}
	if err := json.Unmarshal(line, &m); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(6)
	}
	return m
}

func (p *peer) forever() {
	for {
		p.next()
	}
}

func (p *peer) wait(method string) received {
	for {
		if m := p.next(); m.Method == method {
			return m
		}
	}
}

func (p *peer) say(m any) {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(append(b, '\n'))
}

func (p *peer) answer(m received, result string) {
	p.say(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": json.RawMessage(result)})
}

func (p *peer) note(text string) {
	p.say(map[string]any{"jsonrpc": "2.0", "method": "notify", "params": map[string]string{"text": text}})
}

func (p *peer) hello(result string) { p.answer(p.wait("initialize"), result) }

// ask makes a request and returns its answer; what comes before that is not for it.
func (p *peer) ask(method string, params any) received {
	p.say(map[string]any{"jsonrpc": "2.0", "id": "q", "method": method, "params": params})
	for {
		m := p.next()
		if m.Method == "" && string(m.ID) == `"q"` {
			return m
		}
		if m.Method == "session_before_tree" || m.Method == "session_before_branch" {
			p.answer(m, `{}`)
		}
	}
}

// everything notes each event with its fields, as the Go extension of that name does.
func (p *peer) everything() {
	m := p.wait("initialize")
	var hello struct{ Events []string }
	_ = json.Unmarshal(m.Params, &hello)
	wants, _ := json.Marshal(hello.Events)
	p.answer(m, `{"name":"all","events":`+string(wants)+`}`)
	file, err := os.OpenFile(os.Getenv("RAMO_TEST_DIARY"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	base := func(path any) string {
		s, _ := path.(string)
		return s[strings.LastIndexAny(s, `/\`)+1:]
	}
	or := func(v any, other string) any {
		if v == nil || v == "" {
			return other
		}
		return v
	}
	count := func(v any) int { l, _ := v.([]any); return len(l) }
	typ := func(v any) any {
		e, _ := v.(map[string]any)
		return or(e["type"], "")
	}
	for {
		m := p.next()
		var a map[string]any
		_ = json.Unmarshal(m.Params, &a)
		answer := `{}`
		line := m.Method + " "
		switch m.Method {
		case "session_start":
			line += fmt.Sprintf("%v entries", a["session"].(map[string]any)["entries"])
		case "session_before_switch":
			line += fmt.Sprintf("reason=%v target=%s", a["reason"], or(base(a["targetSessionFile"]), "."))
		case "session_switch":
			line += fmt.Sprintf("reason=%v previous=%v", a["reason"], a["previousSessionFile"] != nil)
		case "session_before_tree":
			var ids []any
			for _, e := range a["entriesToSummarize"].([]any) {
				ids = append(ids, e.(map[string]any)["entry"].(map[string]any)["id"])
			}
			line += fmt.Sprintf("target=%v old=%v common=%v entries=%v wants=%v", a["targetId"], a["oldLeafId"], a["commonAncestorId"], ids, a["userWantsSummary"])
		case "session_tree":
			line += fmt.Sprintf("new=%v old=%v summary=%v extension=%v", a["newLeafId"], a["oldLeafId"], typ(a["summaryEntry"]), a["fromExtension"])
		case "session_before_branch":
			line += fmt.Sprintf("entry=%v", a["entryId"])
			answer = `{"skipConversationRestore":true}`
		case "session_branch":
			line += fmt.Sprintf("previous=%s", base(a["previousSessionFile"]))
		case "session_before_compact":
			line += fmt.Sprintf("messages=%d prefix=%d previous=%q kept=%v instructions=%q", count(a["messages"]), count(a["turnPrefix"]), a["previousSummary"], a["firstKeptEntryId"], a["instructions"])
		case "session.compacting":
			line += fmt.Sprintf("messages=%d", count(a["messages"]))
			answer = `{"preserveData":{"seen":true}}`
		case "session_compact":
			line += fmt.Sprintf("entry=%v extension=%v", typ(a["compactionEntry"]), a["fromExtension"])
		}
		fmt.Fprintln(file, strings.TrimSpace(line))
		if m.ID != nil {
			p.answer(m, answer)
		}
	}
}

// acts has a command that does all that commands can, and a tool.
func (p *peer) acts() {
	p.hello(`{"name":"actor","commands":[{"name":"act","description":"Do it all"}],"tools":[{"name":"echo","description":"Say it again","parameters":{"type":"object","properties":{"text":{"type":"string"}}}}]}`)
	for {
		m := p.next()
		switch m.Method {
		case "tool":
			var a struct {
				Arguments struct{ Text string }
			}
			_ = json.Unmarshal(m.Params, &a)
			p.answer(m, fmt.Sprintf(`{"content":%q,"details":{"n":1}}`, a.Arguments.Text))
		case "command":
			var a struct{ Name, Args string }
			_ = json.Unmarshal(m.Params, &a)
			var ids []string
			var tree struct{ Nodes []struct{ ID string } }
			_ = json.Unmarshal(p.ask("tree", map[string]any{}).Result, &tree)
			for _, n := range tree.Nodes {
				ids = append(ids, n.ID)
			}
			did := []string{a.Name, a.Args, fmt.Sprint(len(ids))}
			do := func(method string, params map[string]any) {
				r := p.ask(method, params)
				if r.Error != nil {
					did = append(did, method+": "+r.Error.Message)
					return
				}
				did = append(did, method)
				switch method {
				case "select", "confirm", "input":
					did = append(did, string(r.Result))
				}
			}
			do("info", nil)
			do("branch_of", nil)
			do("entry", map[string]any{"id": ids[0]})
			do("context", map[string]any{"format": "model"})
			do("labels", nil)
			do("append_entry", map[string]any{"customType": "acts", "data": map[string]int{"n": 1}})
			do("append_message", map[string]any{"customType": "acts", "content": "hello"})
			do("select", map[string]any{"title": "Which?", "options": []string{"this", "that"}})
			do("confirm", map[string]any{"title": "Sure?", "text": "really"})
			do("input", map[string]any{"title": "What?"})
			do("navigate", map[string]any{"target": ids[1]})
			do("branch", map[string]any{"entry": ids[2]})
			p.note(strings.Join(did, " "))
			p.answer(m, `null`)
		}
	}
}
