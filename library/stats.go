package library

import "context"

type StatsOptions struct{}

func (x *Index) Stats(ctx context.Context, o StatsOptions) (int, error) { return 0, nil }
