package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ramo-dev/ramo/agent/tool"
)

func TestCheckArguments(t *testing.T) {
	schema := `{"type":"object","properties":{
		"name":{"type":"string"},"n":{"type":"integer","minimum":1,"maximum":9},"f":{"type":"number"},
		"on":{"type":"boolean"},"list":{"type":"array"},"either":{"type":["string","null"]},
		"color":{"type":"string","enum":["red","green"]},"any":{}},
		"required":["name"],"additionalProperties":false}`
	for _, c := range []struct{ name, args, want string }{
		{"all is well", `{"name":"x","n":3,"f":1.5,"on":true,"list":[],"color":"red","any":{"x":1}}`, ""},
		{"an integer in another spelling", `{"name":"x","n":5e0}`, ""},
		{"null is absent", `{"name":"x","n":null}`, ""},
		{"required is missing", `{}`, `argument "name" is missing`},
		{"nothing at all", ``, `argument "name" is missing`},
		{"required is null", `{"name":null}`, `argument "name" is missing`},
		{"wrong type", `{"name":5}`, `argument "name" must be string, not number`},
		{"a number as a string", `{"name":"x","n":"3"}`, `argument "n" must be integer, not string`},
		{"not whole", `{"name":"x","n":1.5}`, `argument "n" must be integer`},
		{"one of two types", `{"name":"x","either":1}`, `argument "either" must be string or null, not number`},
		{"too small", `{"name":"x","n":0}`, `argument "n" must be at least 1`},
		{"too large", `{"name":"x","n":10}`, `argument "n" must be at most 9`},
		{"not in the enum", `{"name":"x","color":"blue"}`, `argument "color" must be one of "red", "green"`},
		{"unknown", `{"name":"x","nam":1}`, `there is no argument "nam"; it takes any, color (string)`},
		{"names are case-sensitive", `{"Name":"x"}`, `argument "name" is missing; there is no argument "Name"`},
		{"all problems at once", `{"n":0,"on":1}`, `"name" is missing; argument "n" must be at least 1; argument "on" must be boolean`},
		{"null", `null`, `argument "name" is missing`},
		{"text after it", `{"name":"x"} {}`, "not a JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := tool.CheckArguments(json.RawMessage(schema), json.RawMessage(c.args))
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestCheckArgumentsLetsPassWhatItDoesNotUnderstand(t *testing.T) {
	for _, schema := range []string{``, `true`, `{"properties":{"a":true}}`, `{"properties":{"a":{"type":"date"}}}`, `{"properties":{"a":{"$ref":"#/x"}}}`} {
		if err := tool.CheckArguments(json.RawMessage(schema), json.RawMessage(`{"a":"x","b":1}`)); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// Each argument that a built-in tool's schema names is one that the tool knows, and the schema is valid.
func TestBuiltInSchemas(t *testing.T) {
	b := newBench(t, allTools())
	b.put("a.txt", "x\n")
	full := map[string]args{
		"read":  {"path": "a.txt", "offset": 1, "limit": 1},
		"grep":  {"pattern": "x", "path": ".", "glob": "*.txt", "ignoreCase": true, "literal": true, "context": 1, "limit": 1},
		"ls":    {"path": ".", "limit": 1},
		"write": {"path": "b.txt", "content": ""},
		"edit":  {"path": "a.txt", "oldText": "x", "newText": "y"},
		"bash":  {"command": "true", "timeout": 1.5},
	}
	for name, tl := range b.tools {
		var schema struct {
			Type       string
			Properties map[string]struct{ Description string }
		}
		if err := json.Unmarshal(tl.Parameters, &schema); err != nil || schema.Type != "object" {
			t.Fatalf("%s: schema: %v", name, err)
		}
		for p, v := range schema.Properties {
			if _, ok := full[name][p]; !ok || v.Description == "" {
				t.Errorf("%s: argument %s is not tried here, or has no description", name, p)
			}
		}
		if tl.Description == "" {
			t.Errorf("%s has no description", name)
		}
		b.ok(name, full[name])
		b.fails(name, args{"pth": "x"}, `there is no argument "pth"`)
	}
}
