package session

import (
	"strconv"
	"time"
)

// timeLayout is how Ramo writes an entry's timestamp: ISO 8601, milliseconds, UTC.
const timeLayout = "2006-01-02T15:04:05.000Z"

func formatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// millis reads an entry's timestamp as ms since the Unix epoch. Nearly all have the layout above,
// which is read without allocating; others may be any RFC 3339 time, or a number of ms.
func (m member) millis(b []byte) (int64, bool) {
	raw := m.of(b)
	switch m.kind {
	case stringValue:
		if ms, ok := parseFixed(raw); ok {
			return ms, true
		}
		return parseTime(m.text(b))
	case otherValue:
		f, err := strconv.ParseFloat(string(raw), 64)
		return int64(f), err == nil && f > -1e15 && f < 1e15
	}
	return 0, false
}

func parseTime(s string) (int64, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UnixMilli(), true
		}
	}
	return 0, false
}

func parseFixed(b []byte) (int64, bool) {
	if len(b) != len(timeLayout) || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' || b[19] != '.' || b[23] != 'Z' {
		return 0, false
	}
	year, ok1 := digits(b[0:4])
	month, ok2 := digits(b[5:7])
	day, ok3 := digits(b[8:10])
	hour, ok4 := digits(b[11:13])
	minute, ok5 := digits(b[14:16])
	second, ok6 := digits(b[17:19])
	ms, ok7 := digits(b[20:23])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && ok7) || month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59 {
		// Days after the 28th depend on the month: let the library judge them.
		if t, err := time.Parse(timeLayout, string(b)); err == nil {
			return t.UnixMilli(), true
		}
		return 0, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, ms*1e6, time.UTC).UnixMilli(), true
}

func digits(b []byte) (int, bool) {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
