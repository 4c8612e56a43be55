package fn

import (
	"errors"
	"fmt"
	"io"
	"regexp"
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

// A walk is one pass over a body's tokens. Its decoder rejects duplicate members and invalid UTF-8.
type walk struct {
	dec        *jsontext.Decoder
	zeros      bool // the body contains an escaped U+0000, which text columns cannot store
	violations []fault.Violation
}

func (w *walk) complain(pointer jsontext.Pointer, rule string) {
	w.violations = append(w.violations, violation(string(pointer), rule))
}

// value reads one value and checks it against a shape. The JSON package checks the types of scalars later.
func (w *walk) value(s *shape) error {
	kind := w.dec.PeekKind()
	if kind == 'n' && !s.null {
		if _, err := w.dec.ReadToken(); err != nil {
			return err
		}
		w.complain(w.dec.StackPointer(), ruleType)
		return nil
	}
	switch {
	case kind == '{' && s.items == nil && !s.open:
		return w.object(s)
	case kind == '{' || kind == '[':
		return w.each(s.items)
	}
	return w.scalar()
}

func (w *walk) scalar() error {
	t, err := w.dec.ReadToken()
	if err != nil {
		return err
	}
	if w.zeros && t.Kind() == '"' && strings.Contains(t.String(), "\x00") {
		w.complain(w.dec.StackPointer(), ruleForm)
	}
	return nil
}

// open reads the start of an object or array.
func (w *walk) open() error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	if w.dec.StackDepth() > maxDepth {
		return errTooDeep
	}
	return nil
}

// object reads an object with known members.
func (w *walk) object(s *shape) error {
	if err := w.open(); err != nil {
		return err
	}
	var seen uint64
	for w.dec.PeekKind() == '"' {
		name, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		m, known := s.members[name.String()]
		if !known {
			w.complain(w.unknown(), ruleUnknown)
			m.shape = anything
		}
		if known {
			seen |= 1 << m.index
		}
		if err := w.value(m.shape); err != nil {
			return err
		}
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	w.missing(s, seen)
	return nil
}

// memberlike matches member names that may appear in an answer. Any other name may contain a person's input.
var memberlike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_.:/~$-]{0,39}$`)
})

// unknown returns the pointer of the member that was read last, or of its object if the name does not match memberlike.
func (w *walk) unknown() jsontext.Pointer {
	at := w.dec.StackPointer()
	if !memberlike().MatchString(at.LastToken()) {
		return at.Parent()
	}
	return at
}

var anything = &shape{open: true, null: true}

func (w *walk) missing(s *shape, seen uint64) {
	for i, name := range s.names {
		if seen&(1<<i) == 0 && s.members[name].required {
			w.complain(w.dec.StackPointer().AppendToken(name), ruleRequired)
		}
	}
}

// each reads an object or array whose values all have the same shape.
func (w *walk) each(items *shape) error {
	if items == nil {
		items = anything
	}
	if err := w.open(); err != nil {
		return err
	}
	for {
		switch inObject, _ := w.dec.StackIndex(w.dec.StackDepth()); {
		case w.dec.PeekKind() == '}', w.dec.PeekKind() == ']':
			_, err := w.dec.ReadToken()
			return err
		case inObject == '{':
			if _, err := w.dec.ReadToken(); err != nil { // the name
				return err
			}
		}
		if err := w.value(items); err != nil {
			return err
		}
	}
}

// end checks that the body ends after the value, and returns the violations.
func (w *walk) end() error {
	if _, err := w.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return malformed(errors.New("more than one value"))
	}
	if w.violations != nil {
		return fault.ErrValidation.With(w.violations...)
	}
	return nil
}

// malformed returns an error with the byte offset of the syntax error, but without the input.
func malformed(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		err = fmt.Errorf("at byte %d", e.ByteOffset)
	}
	return fault.ErrMalformedJSON.Because(err)
}
