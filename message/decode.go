package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/ramo-dev/ramo/internal/rawjson"
)

// ErrNotObject is what Decode wraps when it is given something else than a JSON object.
var ErrNotObject = errors.New("not a JSON object")

// Decode reads a message. The message keeps raw, without the white space around it and without
// copying it: do not change those bytes afterwards.
//
// The only error is ErrNotObject. A member of the wrong type is left zero, content may be a string
// or a list of blocks, and of a member that is there twice the last counts.
func Decode(raw json.RawMessage) (Message, error) {
	raw = bytes.Trim(raw, " \t\r\n")
	f, err := readFields(raw)
	if err != nil {
		return Message{}, fmt.Errorf("reading a message: %w", err)
	}
	m := Message{
		Role:      f.str("role"),
		Content:   readContent(f.get("content")),
		Timestamp: f.integer("timestamp"),

		API:          f.str("api"),
		Provider:     f.str("provider"),
		Model:        f.str("model"),
		StopReason:   f.str("stopReason"),
		ErrorMessage: f.str("errorMessage"),

		ToolCallID: f.str("toolCallId"),
		ToolName:   f.str("toolName"),
		IsError:    f.flag("isError"),
		Details:    f.value("details"),

		Command:            f.str("command"),
		Code:               f.str("code"),
		Output:             f.str("output"),
		Cancelled:          f.flag("cancelled"),
		Truncated:          f.flag("truncated"),
		FullOutputPath:     f.str("fullOutputPath"),
		ExcludeFromContext: f.flag("excludeFromContext"),

		CustomType:  f.str("customType"),
		Display:     f.flag("display"),
		Attribution: f.str("attribution"),

		Summary:      f.str("summary"),
		ShortSummary: f.str("shortSummary"),
		FromID:       f.str("fromId"),
		TokensBefore: f.integer("tokensBefore"),

		Files: readFiles(f.get("files")),
		raw:   raw,
	}
	if u, ok := f.object("usage"); ok {
		m.Usage = readUsage(u)
	}
	if n, ok := readInteger(f.get("exitCode")); ok && n == int64(int(n)) {
		code := int(n)
		m.ExitCode = &code
	}
	return m, nil
}

// UnmarshalJSON is Decode on a copy of the bytes.
func (m *Message) UnmarshalJSON(raw []byte) error {
	read, err := Decode(bytes.Clone(raw))
	if err == nil {
		*m = read
	}
	return err
}

// UnmarshalJSON reads a block and never fails: what is no object is kept as a block without a type.
func (b *Block) UnmarshalJSON(raw []byte) error {
	*b = readBlock(bytes.Clone(raw))
	return nil
}

// UnmarshalJSON reads what it costs as tolerantly as Decode does.
func (u *Usage) UnmarshalJSON(raw []byte) error {
	f, err := readFields(raw)
	if err != nil {
		return fmt.Errorf("reading a usage: %w", err)
	}
	*u = *readUsage(f)
	return nil
}

func readContent(raw json.RawMessage) []Block {
	switch first(raw) {
	case '"':
		return []Block{Text(readString(raw))}
	case '[':
		return readBlocks(raw)
	}
	return nil
}

func readBlocks(raw json.RawMessage) []Block {
	blocks := []Block{}
	if !rawjson.Array(raw, func(r []byte) { blocks = append(blocks, readBlock(r)) }) {
		return nil
	}
	return blocks
}

func readBlock(raw json.RawMessage) Block {
	f, err := readFields(raw)
	if err != nil {
		return Block{raw: raw}
	}
	b := Block{
		Type:              f.str("type"),
		Text:              f.str("text"),
		Data:              f.str("data"),
		MimeType:          f.str("mimeType"),
		Thinking:          f.str("thinking"),
		ThinkingSignature: f.str("thinkingSignature"),
		ID:                f.str("id"),
		Name:              f.str("name"),
		raw:               raw,
	}
	if first(f.get("arguments")) == '{' {
		b.Arguments = f.get("arguments")
	}
	return b
}

func readFiles(raw json.RawMessage) (files []File) {
	if first(raw) != '[' {
		return nil
	}
	rawjson.Array(raw, func(r []byte) {
		f, err := readFields(r)
		if err != nil {
			return
		}
		file := File{Path: f.str("path"), Content: f.str("content"), SkippedReason: f.str("skippedReason")}
		if first(f.get("image")) == '{' {
			image := readBlock(f.get("image"))
			file.Image = &image
		}
		files = append(files, file)
	})
	return files
}

func readUsage(f fields) *Usage {
	u := &Usage{
		Input:       f.integer("input"),
		Output:      f.integer("output"),
		CacheRead:   f.integer("cacheRead"),
		CacheWrite:  f.integer("cacheWrite"),
		TotalTokens: f.integer("totalTokens"),
	}
	if c, ok := f.object("cost"); ok {
		u.Cost = Cost{c.float("input"), c.float("output"), c.float("cacheRead"), c.float("cacheWrite"), c.float("total")}
	}
	return u
}

// fields are an object's members, as the bytes that stand there. They are few, so that looking
// through them takes less than a map would.
type fields []field

type field struct{ name, value []byte }

func readFields(raw json.RawMessage) (fields, error) {
	f := make(fields, 0, 12)
	ok := rawjson.Object(raw, func(name []byte, start, end int) {
		f = append(f, field{name, raw[start:end:end]})
	})
	if !ok {
		return nil, ErrNotObject
	}
	return f, nil
}

// get is nil for a member that is not there, and the last of several with one name.
func (f fields) get(name string) json.RawMessage {
	for i := len(f) - 1; i >= 0; i-- {
		if string(f[i].name) == name {
			return f[i].value
		}
	}
	return nil
}

func (f fields) str(name string) string { return readString(f.get(name)) }

func (f fields) flag(name string) bool { return string(f.get(name)) == "true" }

func (f fields) integer(name string) int64 {
	n, _ := readInteger(f.get(name))
	return n
}

func (f fields) float(name string) (x float64) {
	if json.Unmarshal(f.get(name), &x) != nil {
		return 0
	}
	return x
}

// value is nil for null too: JavaScript writes null where it means nothing.
func (f fields) value(name string) json.RawMessage {
	if string(f.get(name)) == "null" {
		return nil
	}
	return f.get(name)
}

func (f fields) object(name string) (fields, bool) {
	o, err := readFields(f.get(name))
	return o, err == nil
}

func readString(raw json.RawMessage) string {
	s, _ := rawjson.String(raw)
	return s
}

// readInteger reads any spelling of a number, cutting off its fraction.
func readInteger(raw json.RawMessage) (int64, bool) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	var x float64
	if c := first(raw); (c != '-' && (c < '0' || c > '9')) || json.Unmarshal(raw, &x) != nil {
		return 0, false
	}
	if x < math.MinInt64 || x >= math.MaxInt64 { // MaxInt64 as a float is one too many
		return 0, false
	}
	return int64(x), true
}

// first is the byte that tells a value's type; 0 if there is no value.
func first(raw json.RawMessage) byte {
	for _, c := range raw {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}
