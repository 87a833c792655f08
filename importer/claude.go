package importer

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ramo-dev/ramo/message"
	"github.com/ramo-dev/ramo/session"
)

// claudeRecord is a line of Claude Code's.
type claudeRecord struct {
	Type, Subtype     string
	UUID              string
	ParentUUID        string
	LogicalParentUUID string
	SessionID         string
	Cwd               string
	Timestamp         string
	IsSidechain       bool
	AgentID           string
	IsMeta            bool
	IsCompactSummary  bool
	IsAPIErrorMessage bool `json:"isApiErrorMessage"`
	CostUSD           float64
	Message           claudeMessage
	CompactMetadata   struct{ PreTokens int64 }

	Summary, LeafUUID    string // a title, of the conversation that ends there
	CustomTitle, AITitle string

	time time.Time
}

type claudeMessage struct {
	ID, Role, Model string
	Content         json.RawMessage
	StopReason      string `json:"stop_reason"`
	Usage           *struct {
		Input      int64 `json:"input_tokens"`
		Output     int64 `json:"output_tokens"`
		CacheRead  int64 `json:"cache_read_input_tokens"`
		CacheWrite int64 `json:"cache_creation_input_tokens"`
	}
}

type claudeBlock struct {
	Type, Text          string
	Thinking, Signature string
	Data                string // of redacted thinking
	ID, Name            string
	Input               json.RawMessage
	ToolUseID           string          `json:"tool_use_id"`
	IsError             bool            `json:"is_error"`
	Content             json.RawMessage // of a result
	Source              struct {
		Type, Data string
		MediaType  string `json:"media_type"`
	}
	raw json.RawMessage
}

// claudeReader turns the records of one session, in one file or several, into nodes.
type claudeReader struct {
	*conversation
	known func(key string) bool

	records []*claudeRecord
	titles  []*claudeRecord          // of conversations that end at a record that has not come yet
	seen    map[string]*claudeRecord // by uuid
	places  map[string]*claudePlace  // by uuid
	turns   map[string]*turn         // by a record of it: its answer's, and those with its results
	calls   map[string]*turn         // by the id of a call
	chains  map[*node]*turn          // by an answer, or a result
}

// claudePlace is where the children of a record hang.
type claudePlace struct {
	first, last *node  // nil: the record is no entry
	nodes       int    // from first to last
	parent      string // a uuid
}

// turn is an answer, which is written down block by block, and the results of its calls.
type turn struct {
	answer   *node
	record   string // the message's id
	tail     *node  // the last of the answer and its results
	answered map[string]bool
	names    map[string]string // of tools, by call
}

func readClaude(ctx context.Context, t Transcript, known func(string) bool) (*conversation, error) {
	r := &claudeReader{
		conversation: &conversation{tool: t.Tool, id: t.ID, skipped: map[string]int{}}, known: known,
		seen: map[string]*claudeRecord{}, places: map[string]*claudePlace{}, turns: map[string]*turn{}, calls: map[string]*turn{}, chains: map[*node]*turn{},
	}
	for _, file := range t.Files {
		if err := r.read(ctx, file); err != nil {
			return nil, err
		}
	}
	for _, rec := range r.titles {
		if r.title == "" && r.seen[rec.LeafUUID] != nil {
			r.title = rec.Summary
		}
	}
	r.hang()
	return r.conversation, nil
}

// read reads a file's records.
func (r *claudeReader) read(ctx context.Context, file string) error {
	inAgentsFile := strings.HasPrefix(filepath.Base(file), "agent-")
	var before time.Time
	return readLines(ctx, file, func(n int, line []byte) bool {
		rec := new(claudeRecord)
		if line[0] != '{' || decode(line, rec) != nil {
			r.damaged = append(r.damaged, Damage{file, n})
			return true
		}
		if t, err := time.Parse(time.RFC3339Nano, rec.Timestamp); err == nil {
			before = t
		}
		rec.time = before
		rec.IsSidechain = rec.IsSidechain || inAgentsFile
		if rec.Cwd != "" && r.cwd == "" {
			r.cwd = rec.Cwd
		}
		if !before.IsZero() && r.started.IsZero() {
			r.started = before
		}
		switch {
		case rec.UUID == "":
			r.titled(rec)
		case r.seen[rec.UUID] != nil:
			r.skip("repeated")
		default:
			r.seen[rec.UUID] = rec
			r.records = append(r.records, rec)
			r.place(rec, line)
			rec.Message = claudeMessage{} // it is in its nodes now; there may be much of it
		}
		return true
	})
}

// titled takes the title of a record that is no part of the tree. One that the user gave goes before
// one that was made up.
func (r *claudeReader) titled(rec *claudeRecord) {
	switch rec.Type {
	case "custom-title":
		r.title = cmp.Or(rec.CustomTitle, r.title)
	case "ai-title":
		r.title = cmp.Or(r.title, rec.AITitle)
	case "summary":
		// It may be the title of another conversation; whether it is can only be told when all is read.
		if r.title == "" && (rec.LeafUUID == "" || r.seen[rec.LeafUUID] != nil) {
			r.title = rec.Summary
		} else if r.title == "" {
			r.titles = append(r.titles, rec)
		}
	default:
		r.skip(cmp.Or(rec.Type, "record without a type"))
	}
}

// place makes the nodes of a record; their parents come when all are made.
func (r *claudeReader) place(rec *claudeRecord, line []byte) {
	p := &claudePlace{parent: cmp.Or(rec.ParentUUID, rec.LogicalParentUUID)}
	r.places[rec.UUID] = p
	switch {
	case rec.Type == "assistant":
		r.answer(rec, p)
	case rec.Type == "user" && rec.IsCompactSummary:
		var before int64
		if boundary := r.seen[rec.ParentUUID]; boundary != nil {
			before = boundary.CompactMetadata.PreTokens
		}
		typ, members := compaction(claudeText(rec.Message.Content), before)
		r.put(p, r.node(rec, typ, members))
	case rec.Type == "user":
		r.user(rec, p)
	case rec.Type == "system" && rec.Subtype == "compact_boundary":
		// What follows it is the compaction.
	case rec.Type == "system" || rec.Type == "attachment":
		typ, members := kept("claude-code/"+rec.Type, slices.Clone(line))
		r.put(p, r.node(rec, typ, members))
	default:
		r.skip(cmp.Or(rec.Type, "record without a type"))
	}
}

// node is a node of a record, the n-th if there are several.
func (r *claudeReader) node(rec *claudeRecord, typ string, members []member) *node {
	return &node{keys: []string{rec.UUID}, typ: typ, members: members, time: rec.time, side: rec.IsSidechain, agent: rec.AgentID}
}

// put adds a node to those of a record, behind the last.
func (r *claudeReader) put(p *claudePlace, n *node) {
	if p.nodes++; p.nodes > 1 {
		n.keys[0] += "#" + strconv.Itoa(p.nodes)
		n.parent = p.last
	} else {
		p.first = n
	}
	p.last = r.add(n)
}

// user makes the results in a user's record, then a message of what the user said.
func (r *claudeReader) user(rec *claudeRecord, p *claudePlace) {
	var said []message.Block
	for _, b := range claudeBlocks(rec.Message.Content) {
		if b.Type != "tool_result" {
			said = append(said, b.block())
			continue
		}
		m := &message.Message{Role: message.RoleToolResult, ToolCallID: b.ToolUseID, IsError: b.IsError, Content: []message.Block{}}
		for _, c := range claudeBlocks(b.Content) {
			m.Content = append(m.Content, c.block())
		}
		if t := r.calls[b.ToolUseID]; t != nil {
			m.ToolName = t.names[b.ToolUseID]
			r.turns[rec.UUID] = t
		}
		n := r.node(rec, session.TypeMessage, nil)
		n.message = m
		r.put(p, n)
	}
	if len(said) == 0 {
		return
	}
	m := message.Message{Role: message.RoleUser, Content: said}
	if rec.IsMeta {
		typ, members := note("claude-code/meta", m.Text())
		r.put(p, r.node(rec, typ, members))
		return
	}
	n := r.node(rec, session.TypeMessage, nil)
	n.message = &m
	r.put(p, n)
}

// answer adds a record to the answer that it is a piece of.
func (r *claudeReader) answer(rec *claudeRecord, p *claudePlace) {
	t := r.turns[rec.ParentUUID]
	if t == nil || t.record != rec.Message.ID || rec.Message.ID == "" || t.answer.side != rec.IsSidechain || r.known(t.answer.keys[0]) != r.known(rec.UUID) {
		n := r.node(rec, session.TypeMessage, nil)
		n.message = &message.Message{
			Role: message.RoleAssistant, API: "anthropic-messages", Provider: "anthropic", Model: rec.Message.Model,
			Content: []message.Block{}, StopReason: message.StopEnd,
		}
		t = &turn{answer: n, record: rec.Message.ID, tail: n, answered: map[string]bool{}, names: map[string]string{}}
		r.chains[n] = t
		r.put(p, n)
	} else {
		t.answer.keys = append(t.answer.keys, rec.UUID)
		p.last = t.answer
	}
	r.turns[rec.UUID] = t
	m := t.answer.message
	for _, b := range claudeBlocks(rec.Message.Content) {
		m.Content = append(m.Content, b.block())
		if b.Type == "tool_use" {
			r.calls[b.ID], t.names[b.ID] = t, b.Name
			m.StopReason = message.StopToolUse
		}
	}
	switch rec.Message.StopReason {
	case "max_tokens":
		m.StopReason = message.StopLength
	case "refusal":
		m.StopReason, m.ErrorMessage = message.StopError, "the model refused to answer"
	}
	if rec.IsAPIErrorMessage {
		m.StopReason, m.ErrorMessage = message.StopError, m.Text()
	}
	if u := rec.Message.Usage; u != nil { // each piece says what the answer had cost until then
		m.Usage = &message.Usage{
			Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
			TotalTokens: u.Input + u.Output + u.CacheRead + u.CacheWrite,
		}
		m.Usage.Cost.Total = rec.CostUSD
	}
}

// hang gives each node its parent.
func (r *claudeReader) hang() {
	first := map[*node]string{} // the uuid of the parent
	for _, rec := range r.records {
		if p := r.places[rec.UUID]; p != nil && p.first != nil {
			first[p.first] = p.parent
		}
	}
	for _, n := range r.nodes {
		parent := n.parent // within the record
		if uuid, ok := first[n]; ok {
			parent = r.find(uuid)
		}
		if t := r.chains[parent]; t != nil {
			// Results of one answer are written down beside each other. Here they follow each other, for
			// a path to have them all.
			switch {
			case t.takes(n):
				parent, t.tail = t.tail, n
				r.chains[n] = t
			case parent != t.answer:
				parent = t.tail
			}
		}
		n.parent = parent
	}
	untangle(r.nodes)
}

// takes tells whether a node that hangs from a turn belongs to it: the first result of one of its
// calls, or a note while results are still to come.
func (t *turn) takes(n *node) bool {
	switch {
	case n.message == nil:
		return n.typ != session.TypeCompaction && len(t.answered) < len(t.names)
	case n.message.Role == message.RoleToolResult:
		id := n.message.ToolCallID
		if _, own := t.names[id]; !own || t.answered[id] {
			return false
		}
		t.answered[id] = true
		return true
	}
	return false
}

// find is the node that the children of a record hang from: its own, or that of the nearest record
// above that has one.
func (r *claudeReader) find(uuid string) *node {
	for range len(r.places) + 1 { // records can be each other's parents
		p := r.places[uuid]
		if p == nil {
			return nil
		}
		if p.last != nil {
			return p.last
		}
		uuid = p.parent
	}
	return nil
}

// untangle makes roots of nodes that would be their own ancestors.
func untangle(nodes []*node) {
	done := map[*node]bool{}
	for _, n := range nodes {
		way := map[*node]bool{}
		for at := n; at != nil && !done[at]; at = at.parent {
			way[at] = true
			if way[at.parent] {
				n.parent = nil
				break
			}
		}
		for at := range way {
			done[at] = true
		}
	}
}

// claudeBlocks are a content's blocks; a text is one.
func claudeBlocks(raw json.RawMessage) []claudeBlock {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text == "" {
			return nil
		}
		return []claudeBlock{{Type: "text", Text: text}}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	blocks := make([]claudeBlock, 0, len(list))
	for _, raw := range list {
		b := claudeBlock{raw: raw}
		if decode(raw, &b) == nil {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func claudeText(raw json.RawMessage) string {
	text := ""
	for _, b := range claudeBlocks(raw) {
		text = join(text, b.Text, "\n\n")
	}
	return text
}

// block is a block as a session has it; one of a type that is not known stays as it is.
func (b claudeBlock) block() message.Block {
	switch b.Type {
	case "text":
		return message.Text(b.Text)
	case "thinking":
		return message.Block{Type: message.BlockThinking, Thinking: b.Thinking, ThinkingSignature: b.Signature}
	case "redacted_thinking":
		raw, _ := object([]member{{"type", "thinking"}, {"thinking", "[Reasoning redacted]"}, {"thinkingSignature", b.Data}, {"redacted", true}})
		return rawBlock(raw)
	case "tool_use":
		c := message.Block{Type: message.BlockToolCall, ID: b.ID, Name: b.Name}
		if len(b.Input) > 0 && b.Input[0] == '{' {
			c.Arguments = b.Input
		}
		return c
	case "image":
		if b.Source.Type == "base64" && validBase64(b.Source.Data) == nil {
			return message.Block{Type: message.BlockImage, Data: b.Source.Data, MimeType: b.Source.MediaType}
		}
	}
	return rawBlock(b.raw)
}

func rawBlock(raw json.RawMessage) (b message.Block) {
	_ = b.UnmarshalJSON(raw) // never fails
	return b
}

func validBase64(s string) error {
	if s == "" {
		return errors.New("empty")
	}
	_, err := base64.StdEncoding.DecodeString(s)
	return err
}
