package contract

import "github.com/go-json-experiment/json/jsontext"

// A cursor reads a text that is known to be one well-formed JSON value: it asks only what can follow there.
type cursor struct {
	json    []byte
	at      int
	decoded []byte // the last string that had escapes
}

// A value is what begins at the cursor. The content of an object or a list is not read yet.
type value struct {
	kind    kinds
	content []byte // of a string, decoded, until the next one is read
	number  decimal
}

// look reads a value that has no parts; before one that has, it stays.
func (c *cursor) look() value {
	c.gap()
	switch c.json[c.at] {
	case '{':
		return value{kind: object}
	case '[':
		return value{kind: array}
	case '"':
		return value{kind: text, content: c.text()}
	case 'n':
		c.literal()
		return value{kind: null}
	case 't', 'f':
		c.literal()
		return value{kind: boolean}
	}
	v := value{kind: fraction, number: decimalOf(c.literal())}
	if v.number.integer() {
		v.kind = integer
	}
	return v
}

// gap passes over what lies between values and names.
func (c *cursor) gap() {
	for {
		switch c.json[c.at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			c.at++
		default:
			return
		}
	}
}

// enter goes into an object or a list.
func (c *cursor) enter() { c.at++ }

// more reports whether something follows in the object or list, and leaves it where nothing does.
func (c *cursor) more() bool {
	c.gap()
	if b := c.json[c.at]; b != '}' && b != ']' {
		return true
	}
	c.at++
	return false
}

// text reads a string.
func (c *cursor) text() []byte {
	begin := c.at
	if !c.pass() {
		return c.json[begin+1 : c.at-1]
	}
	c.decoded, _ = jsontext.AppendUnquote(c.decoded[:0], c.json[begin:c.at]) // well-formed, it cannot fail
	return c.decoded
}

// pass passes over a string and reports whether it has escapes.
func (c *cursor) pass() (escaped bool) {
	for c.at++; c.json[c.at] != '"'; c.at++ {
		if c.json[c.at] == '\\' {
			escaped = true
			c.at++
		}
	}
	c.at++
	return escaped
}

// literal reads a number, or true, false or null.
func (c *cursor) literal() []byte {
	begin := c.at
	for c.at < len(c.json) {
		switch c.json[c.at] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return c.json[begin:c.at]
		}
		c.at++
	}
	return c.json[begin:]
}

// skip passes over a value, whatever it is.
func (c *cursor) skip() {
	c.gap()
	for depth := 0; ; {
		switch c.json[c.at] {
		case '{', '[':
			depth++
			c.at++
		case '}', ']':
			depth--
			c.at++
		case '"':
			c.pass()
		default:
			c.literal()
		}
		if depth == 0 {
			return
		}
		c.gap()
	}
}
