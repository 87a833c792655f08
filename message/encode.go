package message

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the message's JSON to dst: the bytes it was read from, or else its role's
// fields in the order in which pi and omp write them, without white space or escapes for HTML.
//
// Bytes that were read may have line breaks between members: compact them (encoding/json.Compact)
// before they go into a line of a log. What a program put into Details or Arguments that is not
// JSON, or a cost that is not finite, is appended as it is, so that the result is refused as JSON;
// MarshalJSON says what is wrong.
func (m Message) AppendJSON(dst []byte) []byte {
	if m.raw != nil {
		return append(dst, m.raw...)
	}
	o := object{append(dst, '{')}
	o.str("role", m.Role)
	switch m.Role {
	case RoleAssistant:
		o.blocks("content", m.Content)
		o.str("api", m.API)
		o.str("provider", m.Provider)
		o.str("model", m.Model)
		if m.Usage != nil {
			o.name("usage")
			o.dst = m.Usage.appendJSON(o.dst)
		}
		o.str("stopReason", m.StopReason)
		o.integer("timestamp", m.Timestamp)
		o.optional("errorMessage", m.ErrorMessage) // last: pi sets it when a message has failed
		return append(o.dst, '}')
	case RoleToolResult:
		o.str("toolCallId", m.ToolCallID)
		o.str("toolName", m.ToolName)
		o.blocks("content", m.Content)
		o.value("details", m.Details)
		o.flag("isError", m.IsError)
	case RoleBashExecution, RolePythonExecution:
		if m.Role == RoleBashExecution {
			o.str("command", m.Command)
		} else {
			o.str("code", m.Code)
		}
		o.str("output", m.Output)
		if m.ExitCode != nil {
			o.integer("exitCode", int64(*m.ExitCode))
		}
		o.flag("cancelled", m.Cancelled)
		o.flag("truncated", m.Truncated)
		o.optional("fullOutputPath", m.FullOutputPath)
		if m.ExcludeFromContext {
			o.flag("excludeFromContext", true)
		}
	case RoleCustom, RoleHookMessage:
		o.str("customType", m.CustomType)
		o.blocks("content", m.Content)
		o.flag("display", m.Display)
		o.value("details", m.Details)
		o.optional("attribution", m.Attribution)
	case RoleBranchSummary:
		o.str("summary", m.Summary)
		o.str("fromId", m.FromID)
	case RoleCompactionSummary:
		o.str("summary", m.Summary)
		o.optional("shortSummary", m.ShortSummary)
		o.integer("tokensBefore", m.TokensBefore)
	case RoleFileMention:
		o.name("files")
		o.dst = appendList(o.dst, m.Files, File.appendJSON)
	default:
		o.blocks("content", m.Content)
		o.optional("attribution", m.Attribution)
	}
	o.integer("timestamp", m.Timestamp)
	return append(o.dst, '}')
}

// MarshalJSON is AppendJSON, or an error that names what is not JSON. Note what encoding/json.Marshal
// does to it (see the package's documentation); an Encoder with SetEscapeHTML(false) only compacts.
func (m Message) MarshalJSON() ([]byte, error) {
	out := m.AppendJSON(nil)
	if m.raw == nil && !json.Valid(out) {
		return nil, fmt.Errorf("cannot write the %s message as JSON: %s", m.Role, m.fault())
	}
	return out, nil
}

func (m Message) fault() string {
	if m.Details != nil && !json.Valid(m.Details) {
		return "its Details are not JSON"
	}
	for i, b := range m.Content {
		if b.Arguments != nil && !json.Valid(b.Arguments) {
			return fmt.Sprintf("the Arguments of block %d (%s) are not JSON", i, b.Name)
		}
	}
	return "its Usage has a cost that is not a finite number"
}

// AppendJSON appends the block's JSON to dst, as Message.AppendJSON does.
func (b Block) AppendJSON(dst []byte) []byte {
	if b.raw != nil {
		return append(dst, b.raw...)
	}
	o := object{append(dst, '{')}
	o.str("type", b.Type)
	switch b.Type {
	case BlockImage:
		o.str("data", b.Data)
		o.str("mimeType", b.MimeType)
	case BlockThinking:
		o.str("thinking", b.Thinking)
		o.str("thinkingSignature", b.ThinkingSignature)
	case BlockToolCall:
		o.str("id", b.ID)
		o.str("name", b.Name)
		o.value("arguments", b.arguments())
	case BlockText:
		o.str("text", b.Text)
	default:
		o.optional("text", b.Text)
	}
	return append(o.dst, '}')
}

func (b Block) arguments() json.RawMessage {
	if b.Arguments == nil {
		return json.RawMessage("{}")
	}
	return b.Arguments
}

// MarshalJSON is AppendJSON, or an error when the Arguments are not JSON.
func (b Block) MarshalJSON() ([]byte, error) {
	out := b.AppendJSON(nil)
	if b.raw == nil && !json.Valid(out) {
		return nil, fmt.Errorf("cannot write the block as JSON: the Arguments of %s are not JSON", b.Name)
	}
	return out, nil
}

func (f File) appendJSON(dst []byte) []byte {
	o := object{append(dst, '{')}
	o.str("path", f.Path)
	o.str("content", f.Content)
	o.optional("skippedReason", f.SkippedReason)
	if f.Image != nil {
		o.name("image")
		o.dst = f.Image.AppendJSON(o.dst)
	}
	return append(o.dst, '}')
}

func (u Usage) appendJSON(dst []byte) []byte {
	o := object{append(dst, '{')}
	o.integer("input", u.Input)
	o.integer("output", u.Output)
	o.integer("cacheRead", u.CacheRead)
	o.integer("cacheWrite", u.CacheWrite)
	if u.TotalTokens != 0 || u.Input+u.Output+u.CacheRead+u.CacheWrite == 0 { // else nobody told it
		o.integer("totalTokens", u.TotalTokens)
	}
	o.name("cost")
	cost := object{append(o.dst, '{')}
	cost.float("input", u.Cost.Input)
	cost.float("output", u.Cost.Output)
	cost.float("cacheRead", u.Cost.CacheRead)
	cost.float("cacheWrite", u.Cost.CacheWrite)
	cost.float("total", u.Cost.Total)
	return append(cost.dst, "}}"...)
}

// object is a JSON object that is being written to dst, which ends in { or in a value.
type object struct{ dst []byte }

func (o *object) name(name string) {
	if o.dst[len(o.dst)-1] != '{' {
		o.dst = append(o.dst, ',')
	}
	o.dst = append(append(append(o.dst, '"'), name...), '"', ':')
}

func (o *object) str(name, s string) {
	o.name(name)
	o.dst = appendString(o.dst, s)
}

func (o *object) optional(name, s string) {
	if s != "" {
		o.str(name, s)
	}
}

func (o *object) integer(name string, n int64) {
	o.name(name)
	o.dst = strconv.AppendInt(o.dst, n, 10)
}

func (o *object) float(name string, x float64) {
	o.name(name)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		o.dst = strconv.AppendFloat(o.dst, x, 'g', -1, 64)
		return
	}
	number, _ := json.Marshal(x) // cannot fail on a finite number, and spells it as JavaScript does
	o.dst = append(o.dst, number...)
}

func (o *object) flag(name string, b bool) {
	o.name(name)
	o.dst = strconv.AppendBool(o.dst, b)
}

// value compacts: a line break inside would tear a log's line.
func (o *object) value(name string, raw json.RawMessage) {
	if raw == nil {
		return
	}
	o.name(name)
	buf := bytes.NewBuffer(o.dst)
	if json.Compact(buf, raw) != nil {
		o.dst = append(o.dst, raw...)
		return
	}
	o.dst = buf.Bytes()
}

func (o *object) blocks(name string, blocks []Block) {
	o.name(name)
	o.dst = appendList(o.dst, blocks, Block.AppendJSON)
}

func appendList[T any](dst []byte, list []T, element func(T, []byte) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(v, dst)
	}
	return append(dst, ']')
}

// appendString quotes as JavaScript's JSON.stringify does: encoding/json escapes U+2028 and U+2029
// even with its escapes for HTML turned off.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += size
			continue
		}
		i++
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(append(dst, s[start:i-1]...), '\\')
		start = i
		switch c {
		case '"', '\\':
			dst = append(dst, c)
		case '\b':
			dst = append(dst, 'b')
		case '\f':
			dst = append(dst, 'f')
		case '\n':
			dst = append(dst, 'n')
		case '\r':
			dst = append(dst, 'r')
		case '\t':
			dst = append(dst, 't')
		default:
			dst = append(dst, 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[start:]...), '"')
}
