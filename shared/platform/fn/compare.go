package fn

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/fault"
)

// The names of the rules that a request can violate. They are part of the API.
const (
	ruleRequired = "required"
	ruleUnknown  = "unknown"
	ruleType     = "type"
	ruleForm     = "form"
	ruleOnce     = "once"
)

func violation(pointer, rule string) fault.Violation {
	message := map[string]string{
		ruleRequired: "Required.",
		ruleUnknown:  "Unknown member.",
		ruleType:     "Wrong type.",
		ruleForm:     "Invalid format.",
		ruleOnce:     "May be given only once.",
	}[rule]
	return fault.Violation{Pointer: pointer, Rule: rule, Message: message}
}

// maxDepth is the maximum nesting depth.
const maxDepth = 32

var errTooDeep = errors.New("nested too deeply")

// A comparison collects where a decoded body differs from its shape.
type comparison struct {
	violations []fault.Violation
	tooDeep    bool
}

func (c *comparison) add(at jsontext.Pointer, rule string) {
	c.violations = append(c.violations, violation(string(at), rule))
}

// anything accepts every value.
var anything = &shape{open: true, null: true}

func (c *comparison) value(v any, s *shape, at jsontext.Pointer, depth int) {
	items := s.items
	if items == nil {
		items = anything
	}
	switch v := v.(type) {
	case nil:
		if !s.null {
			c.add(at, ruleType)
		}
		return
	case string:
		if strings.Contains(v, "\x00") { // text columns cannot store it
			c.add(at, ruleForm)
		}
		return
	case map[string]any, []any:
		if depth == maxDepth {
			c.tooDeep = true
			return
		}
	}
	switch v := v.(type) {
	case []any:
		for i, element := range v {
			c.value(element, items, at.AppendToken(strconv.Itoa(i)), depth+1)
		}
	case map[string]any:
		if s.items == nil && !s.open {
			c.object(v, s, at, depth+1)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			c.value(v[name], items, at.AppendToken(name), depth+1)
		}
	}
}

// memberlike matches member names that may appear in an answer. Any other name may contain a person's input.
var memberlike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_.:/~$-]{0,39}$`)
})

// object compares an object with known members. An unknown member is reported by name if its name matches memberlike, else at its
// object.
func (c *comparison) object(v map[string]any, s *shape, at jsontext.Pointer, depth int) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		inner, known := s.members[name]
		where := at.AppendToken(name)
		if !known {
			inner = anything
			if !memberlike().MatchString(name) {
				where = at
			}
			c.add(where, ruleUnknown)
		}
		c.value(v[name], inner, where, depth)
	}
	for _, name := range s.must {
		if _, given := v[name]; !given {
			c.add(at.AppendToken(name), ruleRequired)
		}
	}
}

// malformed returns an error with the byte offset of the syntax error, but without the input.
func malformed(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		err = fmt.Errorf("at byte %d", e.ByteOffset)
	}
	return fault.ErrMalformedJSON.Because(err)
}
