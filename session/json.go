package session

import (
	"bytes"
	"encoding/json"
)

// marshal is json.Marshal without the escapes for HTML: what a log holds is read by people too.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
