package session

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

// An id of 8 lower-case hex digits, as nearly all are, is kept in 32 bits; any other as text.
type idKey struct {
	text string // "" for a hex id
	hex  uint32
	ok   bool // false: no id
}

func makeID(b []byte) idKey {
	if len(b) == 8 {
		var v uint32
		for _, c := range b {
			switch {
			case c >= '0' && c <= '9':
				v = v<<4 | uint32(c-'0')
			case c >= 'a' && c <= 'f':
				v = v<<4 | uint32(c-'a'+10)
			default:
				return idKey{text: string(b), ok: true}
			}
		}
		return idKey{hex: v, ok: true}
	}
	return idKey{text: string(b), ok: len(b) > 0}
}

func (k idKey) String() string {
	if k.text != "" || !k.ok {
		return k.text
	}
	return hexID(k.hex)
}

func hexID(v uint32) string {
	b := [4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
	return hex.EncodeToString(b[:])
}

// key reads a member that should be an id.
func (m member) key(b []byte) idKey {
	if m.kind != stringValue {
		return idKey{}
	}
	if len(m.of(b)) == 8 && !m.escaped {
		return makeID(m.of(b))
	}
	return makeID([]byte(m.text(b)))
}

// newSessionID is a version 7 UUID (RFC 9562): the time in ms, then random bits.
func newSessionID(now time.Time) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	binary.BigEndian.PutUint64(b[:8], uint64(now.UnixMilli())<<16|uint64(b[6])<<8|uint64(b[7]))
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
