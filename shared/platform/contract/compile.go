package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// dialect is the version of JSON Schema whose keywords these are.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// compile turns a schema into a rule. It knows what the published schemas use, and refuses every other keyword with its
// place: one that was passed over would be a rule that nobody holds.
func compile(schema []byte) (*rule, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(schema))
	r, err := compiler{d}.schema()
	if err != nil {
		return nil, fmt.Errorf("at %q: %w", d.StackPointer(), err)
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errors.New("something follows the schema")
	}
	return r, nil
}

// A compiler reads a schema once, from its beginning to its end.
type compiler struct{ *jsontext.Decoder }

func (c compiler) schema() (*rule, error) {
	r := &rule{}
	switch c.PeekKind() {
	case 't', 'f':
		token, err := c.ReadToken()
		r.never = token.Kind() == 'f'
		return r, err
	}
	err := c.each(func(keyword string) error { return c.keyword(r, keyword) })
	if err == nil && r.when == nil && (r.then != nil || r.otherwise != nil) {
		err = errors.New("then and else need an if")
	}
	if err == nil && len(r.members) > mostMembers {
		err = fmt.Errorf("names more than %d members", mostMembers)
	}
	return r, err
}

// each reads an object: its names, with read called at each value.
func (c compiler) each(read func(name string) error) error {
	if c.PeekKind() != '{' {
		return errors.New("is no object")
	}
	if _, err := c.ReadToken(); err != nil {
		return err
	}
	for c.PeekKind() != '}' {
		name, err := c.ReadToken()
		if err != nil {
			return err
		}
		if err := read(name.String()); err != nil {
			return err
		}
	}
	_, err := c.ReadToken()
	return err
}

func (c compiler) keyword(r *rule, keyword string) (err error) {
	switch keyword {
	case "$id", "$comment", "title", "description", "examples", "deprecated":
		return c.SkipValue()
	case "$schema":
		return c.dialect()
	case "type":
		r.kinds, err = c.kinds()
	case "const":
		var only string
		only, err = c.text()
		r.constant = &only
	case "enum":
		r.options, err = c.some()
	case "format":
		r.format, err = c.format()
	case "pattern":
		r.pattern, err = c.pattern()
	case "minLength":
		r.length.least, err = c.limit()
	case "maxLength":
		r.length.most, err = c.limit()
	case "minItems":
		r.number.least, err = c.limit()
	case "maxItems":
		r.number.most, err = c.limit()
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		err = c.bound(r, keyword)
	case "items":
		r.items, err = c.schema()
	case "required":
		err = c.required(r)
	case "properties":
		err = c.properties(r)
	case "additionalProperties":
		r.others, err = c.schema()
	case "if":
		r.when, err = c.branch(r)
	case "then":
		r.then, err = c.branch(r)
	case "else":
		r.otherwise, err = c.branch(r)
	default:
		return errors.New("a keyword that is not known here")
	}
	return err
}

// text reads a string; null, which a reader of Go values would take for an empty one, is none.
func (c compiler) text() (string, error) {
	if c.PeekKind() != '"' {
		return "", errors.New("is no string")
	}
	token, err := c.ReadToken()
	return token.String(), err
}

// some reads a list of at least one string: a rule with none would be no rule.
func (c compiler) some() ([]string, error) {
	all, err := c.texts()
	if err == nil && len(all) == 0 {
		err = errors.New("is empty")
	}
	return all, err
}

// texts reads a list of strings.
func (c compiler) texts() (all []string, err error) {
	if c.PeekKind() != '[' {
		return nil, errors.New("is no list")
	}
	if _, err := c.ReadToken(); err != nil {
		return nil, err
	}
	for c.PeekKind() != ']' {
		one, err := c.text()
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	_, err = c.ReadToken()
	return all, err
}

func (c compiler) dialect() error {
	name, err := c.text()
	if err == nil && name != dialect {
		err = errors.New("is not " + dialect)
	}
	return err
}

func (c compiler) kinds() (all kinds, err error) {
	names := make([]string, 1)
	if c.PeekKind() == '[' {
		names, err = c.some()
	} else {
		names[0], err = c.text()
	}
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		kind := kindNamed(name)
		if kind == 0 {
			return 0, fmt.Errorf("there is no type %q", name)
		}
		all |= kind
	}
	return all, nil
}

func (c compiler) format() (func([]byte) bool, error) {
	name, err := c.text()
	if err != nil {
		return nil, err
	}
	f := formatNamed(name)
	if f == nil {
		return nil, fmt.Errorf("the format %q is not known here", name)
	}
	return f, nil
}

func (c compiler) pattern() (*pattern, error) {
	expression, err := c.text()
	if err != nil {
		return nil, err
	}
	return patternOf(expression)
}

func (c compiler) limit() (limit, error) {
	literal, err := c.ReadValue()
	n, bad := strconv.ParseUint(string(literal), 10, 31)
	if err == nil && bad != nil {
		err = errors.New("is no count")
	}
	return limit{true, int(n)}, err
}

func (c compiler) bound(r *rule, keyword string) error {
	literal, err := c.ReadValue()
	if err == nil && literal.Kind() != '0' {
		err = errors.New("is no number")
	}
	if err == nil {
		r.bounds = append(r.bounds, bound{keyword, decimalOf(literal.Clone())})
	}
	return err
}

func (c compiler) required(r *rule) error {
	names, err := c.texts()
	for _, name := range names {
		r.named(name).required = true
	}
	return err
}

func (c compiler) properties(r *rule) error {
	r.closes = true
	return c.each(func(name string) error {
		sub, err := c.schema()
		r.named(name).rule = sub
		return err
	})
}

// branch reads a part of the description of the same value: what it declares counts as declared.
func (c compiler) branch(r *rule) (*rule, error) {
	sub, err := c.schema()
	if err == nil && sub.when != nil {
		err = errors.New("a condition inside a condition is not known here")
	}
	r.closes = r.closes || sub.closes
	return sub, err
}
