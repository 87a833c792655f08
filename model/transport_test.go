package model

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfterIsSecondsMillisecondsOrADate(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", "0", 0},
		{"Retry-After", "1.5", 1500 * time.Millisecond},
		{"Retry-After", "Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second},
		{"Retry-After", "Sun, 01 Mar 2026 11:00:00 GMT", 0},
		{"Retry-After", "-3", -1},
		{"Retry-After", "soon", -1},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"X-Other", "7", -1},
	} {
		if got := retryAfter(http.Header{c.name: {c.value}}, now); got != c.want {
			t.Errorf("%s: %s: %v, want %v", c.name, c.value, got, c.want)
		}
	}
}

func TestTheMeterReadsEventsInAnyPieces(t *testing.T) {
	stream := "event: message_start\ndata: {\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n" +
		": ping\n\ndata: {\"delta\":{\"text\":\"usage\"}}\n\ndata: {\"usage\":{\"output_tokens\":5}}\n\n"
	for size := 1; size <= len(stream); size++ {
		m := meter{kind: "anthropic"}
		for rest := stream; rest != ""; rest = rest[min(size, len(rest)):] {
			m.write([]byte(rest[:min(size, len(rest))]))
		}
		if m.usage == nil || m.usage.InputTokens != 9 || m.usage.OutputTokens != 5 {
			t.Fatalf("in pieces of %d: %+v", size, m.usage)
		}
	}
}

func TestEffortIsTheNearestThatTheModelKnows(t *testing.T) {
	for _, c := range []struct {
		level string
		known []string
		want  string
	}{
		{"medium", []string{"low", "medium", "high"}, "medium"},
		{"minimal", []string{"low", "medium", "high"}, "low"},
		{"xhigh", []string{"low", "medium", "high"}, "high"},
		{"xhigh", []string{"low", "medium", "high", "max"}, "max"},
		{"xhigh", []string{"high", "xhigh", "max"}, "xhigh"},
		{"medium", []string{"low", "high"}, "high"},
		{"off", []string{"none", "low"}, "none"},
		{"off", []string{"minimal", "low"}, "minimal"},
		{"low", []string{"strange"}, ""},
		{"low", nil, ""},
	} {
		if got := effort(c.level, c.known); got != c.want {
			t.Errorf("%s of %v: %s, want %s", c.level, c.known, got, c.want)
		}
	}
}
