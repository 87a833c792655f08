// Package session keeps a coding agent's conversation as a tree in an append-only log.
package session
