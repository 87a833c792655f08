package library

import "context"

type SearchOptions struct{}
type StatsOptions struct{}

func (x *Index) Search(ctx context.Context, q string, o SearchOptions) (int, error) { return 0, nil }
func (x *Index) Stats(ctx context.Context, o StatsOptions) (int, error)             { return 0, nil }
