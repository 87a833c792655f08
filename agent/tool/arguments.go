package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// schema is the part of a JSON Schema that CheckArguments looks at.
type schema struct {
	Properties           map[string]json.RawMessage `json:"properties"`
	Required             []string                   `json:"required"`
	AdditionalProperties json.RawMessage            `json:"additionalProperties"`
}

type property struct {
	Type    json.RawMessage   `json:"type"` // a name or a list of names
	Enum    []json.RawMessage `json:"enum"`
	Minimum *float64          `json:"minimum"`
	Maximum *float64          `json:"maximum"`
}

// CheckArguments tells what is wrong with a call's arguments, in words that help a model to repair them.
// It looks at what models get wrong, and no deeper: that they are an object, that what is required is
// there, that nothing is there which additionalProperties forbids, and each member's type, enum, minimum and
// maximum. A member that is null is taken for absent. What it does not understand in the schema it lets pass.
func CheckArguments(parameters, args json.RawMessage) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(orEmptyObject(args), &given); err != nil || given == nil {
		return errors.New("the arguments are not a JSON object")
	}
	var s schema
	if len(parameters) == 0 || json.Unmarshal(parameters, &s) != nil {
		return nil
	}
	var problems []string
	for _, name := range s.Required {
		if v, ok := given[name]; !ok || isNull(v) {
			problems = append(problems, fmt.Sprintf("argument %q is missing", name))
		}
	}
	closed := string(bytes.TrimSpace(s.AdditionalProperties)) == "false"
	for _, name := range slices.Sorted(maps.Keys(given)) {
		raw, known := s.Properties[name]
		switch {
		case known && !isNull(given[name]):
			var p property
			if json.Unmarshal(raw, &p) != nil {
				continue
			}
			if what := p.wrong(given[name]); what != "" {
				problems = append(problems, fmt.Sprintf("argument %q must be %s", name, what))
			}
		case !known && closed:
			problems = append(problems, fmt.Sprintf("there is no argument %q", name))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%s; %s", strings.Join(problems, "; "), s.takes())
}

// wrong is what the value should have been, or "".
func (p property) wrong(v json.RawMessage) string {
	types := p.types()
	if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(t, v) }) {
		return strings.Join(types, " or ") + ", not " + typeOf(v)
	}
	if len(p.Enum) > 0 && !slices.ContainsFunc(p.Enum, func(e json.RawMessage) bool { return sameValue(e, v) }) {
		var all []string
		for _, e := range p.Enum {
			all = append(all, string(e))
		}
		return "one of " + strings.Join(all, ", ")
	}
	var n float64
	if json.Unmarshal(v, &n) != nil {
		return ""
	}
	if p.Minimum != nil && n < *p.Minimum {
		return fmt.Sprintf("at least %v", *p.Minimum)
	}
	if p.Maximum != nil && n > *p.Maximum {
		return fmt.Sprintf("at most %v", *p.Maximum)
	}
	return ""
}

func (p property) types() []string {
	var one string
	if json.Unmarshal(p.Type, &one) == nil && one != "" {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(p.Type, &many) == nil {
		return many
	}
	return nil
}

// takes lists the arguments that there are.
func (s schema) takes() string {
	if len(s.Properties) == 0 {
		return "it takes no arguments"
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		var p property
		_ = json.Unmarshal(s.Properties[name], &p) // a schema that is not understood has no types to show
		notes := slices.Clone(p.types())
		if slices.Contains(s.Required, name) {
			notes = append(notes, "required")
		}
		if len(notes) > 0 {
			name += " (" + strings.Join(notes, ", ") + ")"
		}
		all = append(all, name)
	}
	return "it takes " + strings.Join(all, ", ")
}

func isType(t string, v json.RawMessage) bool {
	switch is := typeOf(v); t {
	case "integer":
		var n float64
		return is == "number" && json.Unmarshal(v, &n) == nil && n == math.Trunc(n)
	case "string", "number", "boolean", "array", "object", "null":
		return is == t
	}
	return true // a type of a later JSON Schema
}

func typeOf(v json.RawMessage) string {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return "nothing"
	}
	switch v[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func isNull(v json.RawMessage) bool { return string(bytes.TrimSpace(v)) == "null" }

func sameValue(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// orEmptyObject is for models that send nothing, or null, when a call has no arguments.
func orEmptyObject(args json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(args)) == 0 || isNull(args) {
		return json.RawMessage("{}")
	}
	return args
}

// count is a number of things; models also write 10 as 10.0 or 1e1.
type count int

func (c *count) UnmarshalJSON(b []byte) error {
	var f *float64
	if err := json.Unmarshal(b, &f); err != nil || f == nil {
		return err
	}
	*c = count(min(max(*f, math.MinInt32), math.MaxInt32))
	return nil
}

// bind makes the function of a built-in tool, which checks its arguments however it is called.
func bind[A any](parameters json.RawMessage, run func(context.Context, A) (Result, error)) func(context.Context, json.RawMessage) (Result, error) {
	return func(ctx context.Context, args json.RawMessage) (Result, error) {
		args = orEmptyObject(args)
		if err := CheckArguments(parameters, args); err != nil {
			return Result{}, err
		}
		var a A
		if err := json.Unmarshal(args, &a); err != nil {
			return Result{}, fmt.Errorf("cannot read the arguments: %w", err)
		}
		return run(ctx, a)
	}
}
