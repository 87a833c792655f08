package session

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ramo-dev/ramo/internal/rawjson"
	"github.com/ramo-dev/ramo/message"
)

// Body is what an entry of some type says, beyond id, parent and time. The types of this package
// write the spellings of both dialects (section 1).
type Body interface {
	// EntryType is the entry's "type".
	EntryType() string
	// members are the entry's own members, in the order in which they are written.
	members() ([]namedValue, error)
}

type namedValue struct {
	name  string
	value any // json.RawMessage is written as it is, compacted
}

// Message is a message of the conversation.
type Message struct{ Message message.Message }

// CustomMessage is a message that an extension put into the context.
type CustomMessage struct {
	CustomType  string
	Content     json.RawMessage // a string or blocks
	Display     bool
	Details     json.RawMessage
	Attribution string
}

// BranchSummary carries what an abandoned branch taught.
type BranchSummary struct {
	FromID        string // "root" when it hangs from nothing
	Summary       string
	Details       json.RawMessage
	FromExtension bool
	Usage         *message.Usage // what making it cost, if a model did
}

// Compaction stands in for the start of its path (section 7).
type Compaction struct {
	Summary, ShortSummary string
	FirstKeptEntryID      string
	TokensBefore          int64
	Details, PreserveData json.RawMessage
	FromExtension         bool
	Usage                 *message.Usage
}

// ModelChange sets the model of a role from here on. Model is "provider/modelId"; an empty Role is
// the default one.
type ModelChange struct{ Model, Role string }

// ThinkingLevelChange sets the thinking level; an empty Level is written as null and means off.
type ThinkingLevelChange struct{ Level string }

// ModeChange enters a mode; "none" leaves it.
type ModeChange struct {
	Mode string
	Data json.RawMessage
}

// TTSRInjection names rules that were put into the context.
type TTSRInjection struct{ Rules []string }

// LabelChange puts a label on an entry; an empty Label clears it.
type LabelChange struct{ TargetID, Label string }

// Custom is an extension's own data, which no model sees.
type Custom struct {
	CustomType string
	Data       json.RawMessage
}

// SessionInfo names the session; the latest one wins.
type SessionInfo struct{ Name string }

// RawBody is an entry as JSON: one of a type this package has no Go type for, or one that another
// program hands over. Given to Append it has a "type" and neither id, parentId nor timestamp.
type RawBody json.RawMessage

func (Message) EntryType() string             { return TypeMessage }
func (CustomMessage) EntryType() string       { return TypeCustomMessage }
func (BranchSummary) EntryType() string       { return TypeBranchSummary }
func (Compaction) EntryType() string          { return TypeCompaction }
func (ModelChange) EntryType() string         { return TypeModelChange }
func (ThinkingLevelChange) EntryType() string { return TypeThinkingLevelChange }
func (ModeChange) EntryType() string          { return TypeModeChange }
func (TTSRInjection) EntryType() string       { return TypeTTSRInjection }
func (LabelChange) EntryType() string         { return TypeLabel }
func (Custom) EntryType() string              { return TypeCustom }
func (SessionInfo) EntryType() string         { return TypeSessionInfo }

// EntryType is the "type" in the JSON.
func (b RawBody) EntryType() string {
	var t struct {
		Type any `json:"type"`
	}
	_ = json.Unmarshal(b, &t)
	s, _ := t.Type.(string)
	return s
}

// members is empty: an append completes the JSON instead of writing it member by member.
func (RawBody) members() ([]namedValue, error) { return nil, nil }

func (b Message) members() ([]namedValue, error) {
	return []namedValue{{"message", json.RawMessage(b.Message.AppendJSON(nil))}}, nil
}

func (b CustomMessage) members() ([]namedValue, error) {
	content := b.Content
	if content == nil {
		content = json.RawMessage(`""`)
	}
	m := []namedValue{{"customType", b.CustomType}, {"content", content}, {"display", b.Display}}
	m = optional(m, "details", b.Details)
	if b.Attribution != "" {
		m = append(m, namedValue{"attribution", b.Attribution})
	}
	return m, nil
}

func (b BranchSummary) members() ([]namedValue, error) {
	m := []namedValue{{"fromId", b.FromID}, {"summary", b.Summary}}
	m = optional(m, "details", b.Details)
	m = append(m, namedValue{"fromExtension", b.FromExtension}, namedValue{"fromHook", b.FromExtension})
	return withUsage(m, b.Usage), nil
}

func (b Compaction) members() ([]namedValue, error) {
	m := []namedValue{{"summary", b.Summary}}
	if b.ShortSummary != "" {
		m = append(m, namedValue{"shortSummary", b.ShortSummary})
	}
	m = append(m, namedValue{"firstKeptEntryId", b.FirstKeptEntryID}, namedValue{"tokensBefore", b.TokensBefore})
	m = optional(m, "details", b.Details)
	m = optional(m, "preserveData", b.PreserveData)
	m = append(m, namedValue{"fromExtension", b.FromExtension}, namedValue{"fromHook", b.FromExtension})
	return withUsage(m, b.Usage), nil
}

func (b ModelChange) members() ([]namedValue, error) {
	provider, id, _ := strings.Cut(b.Model, "/")
	m := []namedValue{{"model", b.Model}, {"provider", provider}, {"modelId", id}}
	if b.Role != "" {
		m = append(m, namedValue{"role", b.Role})
	}
	return m, nil
}

func (b ThinkingLevelChange) members() ([]namedValue, error) {
	if b.Level == "" {
		return []namedValue{{"thinkingLevel", nil}}, nil
	}
	return []namedValue{{"thinkingLevel", b.Level}}, nil
}

func (b ModeChange) members() ([]namedValue, error) {
	return optional([]namedValue{{"mode", b.Mode}}, "data", b.Data), nil
}

func (b TTSRInjection) members() ([]namedValue, error) {
	return []namedValue{{"injectedRules", b.Rules}}, nil
}

func (b LabelChange) members() ([]namedValue, error) {
	m := []namedValue{{"targetId", b.TargetID}}
	if b.Label != "" {
		m = append(m, namedValue{"label", b.Label})
	}
	return m, nil
}

func (b Custom) members() ([]namedValue, error) {
	return optional([]namedValue{{"customType", b.CustomType}}, "data", b.Data), nil
}

func (b SessionInfo) members() ([]namedValue, error) {
	return []namedValue{{"name", b.Name}}, nil
}

func optional(m []namedValue, name string, v json.RawMessage) []namedValue {
	if v == nil {
		return m
	}
	return append(m, namedValue{name, v})
}

func withUsage(m []namedValue, u *message.Usage) []namedValue {
	if u == nil {
		return m
	}
	return append(m, namedValue{"usage", u})
}

// decodeBody reads an entry. The members are looked at one by one, so that one of the wrong type
// spoils no other.
func decodeBody(typ string, raw json.RawMessage) Body {
	if typ == TypeMessage {
		v, _ := locate(raw, "message")
		msg, err := message.Decode(raw[v.start:v.end:v.end])
		if err != nil {
			return RawBody(raw) // "message" is no object: nothing to read
		}
		return Message{msg}
	}
	m := membersOf(raw)
	switch typ {
	case TypeCustomMessage:
		return CustomMessage{m.str("customType"), m.raw("content"), m.flag("display"), m.raw("details"), m.str("attribution")}
	case TypeBranchSummary:
		return BranchSummary{m.str("fromId"), m.str("summary"), m.raw("details"), m.flag("fromExtension") || m.flag("fromHook"), m.usage()}
	case TypeCompaction:
		return Compaction{m.str("summary"), m.str("shortSummary"), m.str("firstKeptEntryId"), m.number("tokensBefore"),
			m.raw("details"), m.raw("preserveData"), m.flag("fromExtension") || m.flag("fromHook"), m.usage()}
	case TypeModelChange:
		model := m.str("model")
		if model == "" && m.str("modelId") != "" {
			model = m.str("provider") + "/" + m.str("modelId")
		}
		return ModelChange{model, m.str("role")}
	case TypeThinkingLevelChange:
		return ThinkingLevelChange{m.str("thinkingLevel")}
	case TypeModeChange:
		return ModeChange{m.str("mode"), m.raw("data")}
	case TypeTTSRInjection:
		return TTSRInjection{m.strings("injectedRules")}
	case TypeLabel:
		return LabelChange{m.str("targetId"), m.str("label")}
	case TypeCustom:
		return Custom{m.str("customType"), m.raw("data")}
	case TypeSessionInfo:
		return SessionInfo{m.str("name")}
	}
	return RawBody(raw)
}

// members are an object's members by name, as the bytes that stand there.
type members map[string]json.RawMessage

func membersOf(raw []byte) members {
	m := make(members, 8)
	rawjson.Object(raw, func(key []byte, start, end int) { m[string(key)] = raw[start:end:end] })
	return m
}

func (m members) str(name string) string {
	s, _ := rawjson.String(m[name])
	return s
}

func (m members) flag(name string) bool { return string(m[name]) == "true" }

// number cuts off a fraction; what is no number, or does not fit, is 0.
func (m members) number(name string) int64 {
	if n, err := strconv.ParseInt(string(m[name]), 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(m[name]), 64)
	if err != nil || f < -1<<63 || f >= 1<<63 {
		return 0
	}
	return int64(f)
}

// raw is nil for null too.
func (m members) raw(name string) json.RawMessage {
	if string(m[name]) == "null" {
		return nil
	}
	return m[name]
}

func (m members) usage() (u *message.Usage) {
	if json.Unmarshal(m["usage"], &u) != nil {
		return nil
	}
	return u
}

// strings leaves out what is no string.
func (m members) strings(name string) (list []string) {
	rawjson.Array(m[name], func(v []byte) {
		if s, ok := rawjson.String(v); ok {
			list = append(list, s)
		}
	})
	return list
}

// Text is the message's text blocks, joined.
func (b CustomMessage) Text() string { return b.decoded().Text() }

// Images are the message's image blocks.
func (b CustomMessage) Images() []message.Block { return b.decoded().Images() }

func (b CustomMessage) decoded() message.Message {
	if b.Content == nil {
		return message.Message{}
	}
	o := newObject("content", b.Content)
	m, _ := message.Decode(o.bytes()) // it is an object
	return m
}
