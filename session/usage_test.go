package session

import (
	"context"
	"errors"
	"testing"

	"github.com/ramo-dev/ramo/message"
)

func TestUsageOfTheBranchAndOfTheLog(t *testing.T) {
	s := NewMemory(NewHeader(""))
	add := func(line string) Entry {
		t.Helper()
		e, err := s.Append(context.Background(), RawBody(line))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if branch, all, err := s.Usage(context.Background()); err != nil || branch != (message.Usage{}) || all != branch {
		t.Errorf("of nothing: %+v %+v %v", branch, all, err)
	}
	first := add(`{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"\"usage\":{\"input\":9}"}],"usage":{"input":1,"output":10,"cacheRead":100,"cacheWrite":1000,"totalTokens":1111,"cost":{"input":0.5,"total":0.5}}}}`)
	add(`{"type":"message","message":{"role":"assistant","content":[],"usage":{"input":2e0,"cost":{"total":1}}}}`) // abandoned
	add(`{"type":"compaction","summary":"s","firstKeptEntryId":"x","tokensBefore":1,"usage":{"input":4,"cost":{"total":2}}}`)
	if err := s.BranchTo(first.ID()); err != nil {
		t.Fatal(err)
	}
	add(`{"type":"branch_summary","fromId":"root","summary":"s","usage":{"input":8,"cost":{"total":4}}}`)
	add(`{"type":"message","message":{"role":"assistant","content":[],"usage":null}}`)
	add(`{"type":"message","message":{"role":"assistant","content":[],"usage":"much"}}`)
	add(`{"type":"message","message":{"role":"user","content":"","usage":{"input":64}}}`) // only answers cost
	branch, all, err := s.Usage(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := message.Usage{Input: 9, Output: 10, CacheRead: 100, CacheWrite: 1000, TotalTokens: 1111, Cost: message.Cost{Input: 0.5, Total: 4.5}}
	if branch != want {
		t.Errorf("branch %+v, want %+v", branch, want)
	}
	want.Input, want.Cost.Total = 15, 7.5
	if all != want {
		t.Errorf("all %+v, want %+v", all, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := s.Usage(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
