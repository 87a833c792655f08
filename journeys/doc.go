// Package journeys walks through the app as people do, from the shell to the file on the disk: a real
// program in a real terminal, which tmux is, and a model server that speaks over HTTP.
//
//	go test ./journeys            # all of them; without tmux they are skipped
//	go test ./journeys -run Label # one
//
// A journey says what is pressed and what must be seen. Nothing waits for a time: each step waits for
// what it expects, and says what the screen showed when that does not come.
package journeys
