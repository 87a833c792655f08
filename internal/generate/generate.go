// Package generate writes sessions of any size and shape, for tests and benchmarks. The same Shape
// always gives the same bytes.
package generate

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// Shape is what a generated session looks like.
type Shape struct {
	Entries int    // in all
	Bytes   int64  // of the file, about; 0: as small as the entries can be
	Seed    uint64 // another seed, another session

	// BranchEvery makes every n-th entry hang from an earlier one instead of the last. 0: a chain.
	BranchEvery int
	// Wide hangs every entry from the first one.
	Wide bool
}

// Session writes a version 3 session. Its entries go round a working day's mix: a request, an
// answer that calls a tool, the tool's result, an answer; now and then a label or a model change.
func Session(w io.Writer, s Shape) error {
	out := bufio.NewWriterSize(w, 1<<20)
	rnd := rand.New(rand.NewPCG(s.Seed, 7))
	at := time.Date(2026, 2, 1, 10, 0, 0, 0, time.UTC)
	fmt.Fprintf(out, `{"type":"session","version":3,"id":"0198c0de-0000-7000-8000-%012x","timestamp":%q,"cwd":"/srv/demo"}`+"\n", s.Seed, at.Format(layout))

	// A tool result carries what the others leave of the bytes.
	const bare = 330
	filler := 0
	if s.Entries > 0 {
		filler = int((s.Bytes - int64(s.Entries)*bare) * 4 / int64(s.Entries))
	}
	results := text(rnd, max(filler*2, 0)+1)

	parent, target := "", ""
	for i := range s.Entries {
		at = at.Add(time.Duration(1+rnd.IntN(5000)) * time.Millisecond)
		id := ID(s, i)
		switch {
		case i > 0 && s.Wide:
			parent = ID(s, 0)
		case s.BranchEvery > 0 && i > 0 && i%s.BranchEvery == 0:
			parent = ID(s, rnd.IntN(i))
		}
		head := fmt.Sprintf(`"id":%q,"parentId":null,"timestamp":%q`, id, at.Format(layout))
		if parent != "" {
			head = fmt.Sprintf(`"id":%q,"parentId":%q,"timestamp":%q`, id, parent, at.Format(layout))
		}
		ms := at.UnixMilli()
		switch {
		case i%97 == 96:
			fmt.Fprintf(out, `{"type":"label",%s,"targetId":%q,"label":"place %d"}`, head, target, i)
		case i%211 == 210:
			fmt.Fprintf(out, `{"type":"model_change",%s,"model":"acme/m%d","provider":"acme","modelId":"m%d"}`, head, i%3, i%3)
		case i%4 == 0:
			target = id
			fmt.Fprintf(out, `{"type":"message",%s,"message":{"role":"user","content":[{"type":"text","text":"Request %d: make %s work, please"}],"timestamp":%d}}`, head, i, word(rnd), ms)
		case i%4 == 1:
			fmt.Fprintf(out, `{"type":"message",%s,"message":{"role":"assistant","content":[{"type":"thinking","thinking":"%s"},{"type":"toolCall","id":"call_%d","name":"read","arguments":{"path":"src/%s.go"}}],"api":"x","provider":"acme","model":"m1","usage":{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":120,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","timestamp":%d}}`, head, word(rnd), i, word(rnd), ms)
		case i%4 == 2:
			n := 0
			if filler > 0 {
				n = filler/2 + rnd.IntN(filler)
			}
			from := rnd.IntN(len(results) - min(n, len(results)-1))
			for from > 0 && results[from-1] == '\\' {
				from--
			}
			body := results[from:min(from+n, len(results))]
			for len(body) > 0 && body[len(body)-1] == '\\' {
				body = body[:len(body)-1]
			}
			fmt.Fprintf(out, `{"type":"message",%s,"message":{"role":"toolResult","toolCallId":"call_%d","toolName":"read","content":[{"type":"text","text":"%s"}],"isError":false,"timestamp":%d}}`, head, i-1, body, ms)
		default:
			fmt.Fprintf(out, `{"type":"message",%s,"message":{"role":"assistant","content":[{"type":"text","text":"The %s is in place; %s next."}],"api":"x","provider":"acme","model":"m1","usage":{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":120,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":%d}}`, head, word(rnd), word(rnd), ms)
		}
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
		parent = id
	}
	return out.Flush()
}

const layout = "2006-01-02T15:04:05.000Z"

// ID is the id of a session's i-th entry, from 0.
func ID(s Shape, i int) string {
	// An odd factor makes a permutation of the 32-bit numbers: no id comes twice.
	return fmt.Sprintf("%08x", (uint32(i)+uint32(s.Seed)+1)*0x9e3779b1)
}

var words = []string{"parser", "index", "cache", "log", "branch", "scanner", "handler", "retry", "lock", "buffer", "stream", "test", "config", "token", "render", "tree"}

func word(r *rand.Rand) string { return words[r.IntN(len(words))] }

// text is source code as it stands in a JSON string: a line break every 20 to 60 bytes.
func text(r *rand.Rand, n int) string {
	b := make([]byte, 0, n+80)
	for len(b) < n {
		b = append(b, `\tif err := `...)
		b = append(b, word(r)...)
		b = append(b, '.')
		b = append(b, word(r)...)
		if r.IntN(3) == 0 {
			b = append(b, `(\"name\")`...)
		}
		b = append(b, `; err != nil {\n\t\treturn err\n\t}\n`...)
	}
	return string(b)
}
