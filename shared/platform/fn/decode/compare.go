package decode

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/fault"
)

// The names of the rules that a request can violate. They are part of the API.
const (
	required  = "required"
	unknown   = "unknown"
	wrongType = "type"
	Form      = "form"
	Once      = "once"
)

// Violation returns the violation of a rule at a JSON pointer.
func Violation(pointer, rule string) fault.Violation {
	message := map[string]string{
		required:  "Required.",
		unknown:   "Unknown member.",
		wrongType: "Wrong type.",
		Form:      "Invalid format.",
		Once:      "May be given only once.",
	}[rule]
	return fault.Violation{Pointer: pointer, Rule: rule, Message: message}
}

// maxDepth is the maximum nesting depth.
const maxDepth = 32

var errTooDeep = errors.New("nested too deeply")

// compare returns an error with all missing, unknown and null members of a body that is decoded into a t, or an error if the body
// is not a single strict JSON value. The JSON package checks the types of scalars later.
func compare(body []byte, t reflect.Type) error {
	var tree any
	if err := json.Unmarshal(body, &tree); err != nil { // it rejects duplicate members and invalid UTF-8
		return malformed(err)
	}
	var c comparison
	c.value(tree, t, "", 0)
	switch {
	case c.tooDeep:
		return malformed(errTooDeep)
	case c.violations != nil:
		return fault.ErrValidation.With(c.violations...)
	}
	return nil
}

// A comparison collects where a body differs from the type that it is decoded into.
type comparison struct {
	violations []fault.Violation
	tooDeep    bool
}

func (c *comparison) add(at jsontext.Pointer, rule string) {
	c.violations = append(c.violations, Violation(string(at), rule))
}

// anything is a type that accepts every value.
var anything = reflect.TypeFor[jsontext.Value]()

func (c *comparison) value(v any, t reflect.Type, at jsontext.Pointer, depth int) {
	t, null := bare(t)
	kind := t.Kind()
	if readsItself(t) {
		kind = reflect.Invalid // its decoder checks the parts
	}
	switch v := v.(type) {
	case nil:
		if !null {
			c.add(at, wrongType)
		}
	case string:
		if strings.Contains(v, "\x00") { // text columns cannot store it
			c.add(at, Form)
		}
	case []any:
		items := anything
		if kind == reflect.Slice || kind == reflect.Array {
			items = t.Elem()
		}
		c.tooDeep = c.tooDeep || depth == maxDepth
		for i := 0; i < len(v) && !c.tooDeep; i++ {
			c.value(v[i], items, at.AppendToken(strconv.Itoa(i)), depth+1)
		}
	case map[string]any:
		c.tooDeep = c.tooDeep || depth == maxDepth
		c.object(v, t, kind, at, depth+1)
	}
}

// bare returns the type of the value in a Maybe or behind a pointer, and whether null is accepted.
func bare(t reflect.Type) (_ reflect.Type, null bool) {
	for {
		m, ok := reflect.TypeAssert[Optional](reflect.New(t))
		switch {
		case ok:
			t = reflect.TypeOf(m.Optional()).Elem()
		case t.Kind() == reflect.Pointer:
			t, null = t.Elem(), true
		default:
			return t, null || t == anything
		}
	}
}

// readsItself reports whether a type has its own decoder.
func readsItself(t reflect.Type) bool {
	switch reflect.New(t).Interface().(type) {
	case encoding.TextUnmarshaler, json.Unmarshaler, json.UnmarshalerFrom:
		return true
	}
	return false
}

// memberlike matches member names that may appear in an answer. Any other name may contain a person's input.
var memberlike = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_.:/~$-]{0,39}$`)

// object compares the members of an object. A member is reported by its name if that matches memberlike, else at its object.
func (c *comparison) object(v map[string]any, t reflect.Type, kind reflect.Kind, at jsontext.Pointer, depth int) {
	var known []member
	if kind == reflect.Struct {
		known = members(t)
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		where, inner := at.AppendToken(name), anything
		if !memberlike.MatchString(name) {
			where = at
		}
		i := slices.IndexFunc(known, func(m member) bool { return m.name == name })
		switch {
		case c.tooDeep:
			return
		case i >= 0:
			inner = known[i].of
		case kind == reflect.Map:
			inner = t.Elem()
		case kind == reflect.Struct:
			c.add(where, unknown)
		}
		c.value(v[name], inner, where, depth)
	}
	for _, m := range known {
		if _, given := v[m.name]; m.required && !given {
			c.add(at.AppendToken(m.name), required)
		}
	}
}

// A member is a member of an object that is decoded into a struct.
type member struct {
	name     string
	of       reflect.Type
	required bool
}

// members returns the members of a struct and of its embedded structs. Fields from other sources are not members, so a body
// cannot set a path field: a body with an unknown member never reaches the decoder.
func members(t reflect.Type) (all []member) {
	for f := range t.Fields() {
		tag, tagged := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		if f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct {
			all = append(all, members(f.Type)...)
			continue
		}
		source, _ := sourceOf(f)
		if name == "-" || !f.IsExported() || (!tagged && source != "") {
			continue
		}
		_, optional := reflect.TypeAssert[Optional](reflect.New(f.Type))
		all = append(all, member{name: cmp.Or(name, f.Name), of: f.Type, required: !optional && !strings.Contains(options, "omit")})
	}
	return all
}

// malformed returns an error with the byte offset of the syntax error, but without the input.
func malformed(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		err = fmt.Errorf("at byte %d", e.ByteOffset)
	}
	return fault.ErrMalformedJSON.Because(err)
}
