// Package rpc serves a live session over JSON-RPC 2.0, one message a line, to editors and to
// programs in other languages: what `ramo rpc` speaks on its standard input and output. docs/rpc.md
// lists every message.
package rpc
