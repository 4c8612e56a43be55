package contract

import (
	"math/bits"
	"slices"
	"strings"
)

// A rule is a compiled schema: what is asked of one value. Its zero value lets everything pass.
type rule struct {
	never bool // the schema is false

	kinds    kinds // none: all
	constant *string
	options  []string
	format   func(text []byte) bool
	pattern  *pattern
	length   between // in characters
	bounds   []bound

	items  *rule
	number between // of items

	closes  bool // it declares members: where the model is closed, there are no others
	members []member
	others  *rule // what further members have to be: nil where it says nothing of them

	when, then, otherwise *rule
}

// A member is what a schema says of one name. Its rule is nil where the name is only required.
type member struct {
	name     string
	required bool
	rule     *rule
}

// mostMembers is how many members a schema may name: which of them a value has is noted in one word.
const mostMembers = bits.UintSize

// find returns where the member of that name is, or -1. It begins at from: members mostly come in the order in which the
// schema names them.
func (r *rule) find(name []byte, from int) int {
	for i := range r.members {
		if i += from; i >= len(r.members) {
			i -= len(r.members)
		}
		if r.members[i].name == string(name) {
			return i
		}
	}
	return -1
}

// named is the member of that name, which is added where there is none.
func (r *rule) named(name string) *member {
	i := r.find([]byte(name), 0)
	if i < 0 {
		i, r.members = len(r.members), append(r.members, member{name: name})
	}
	return &r.members[i]
}

// describes reports whether the rule says what a member of that name has to be.
func (r *rule) describes(name string) bool {
	return r.others != nil || slices.ContainsFunc(r.members, func(m member) bool { return m.name == name && m.rule != nil })
}

// refuses names the rule that a value breaks and after which no other is looked at; it is empty where there is none.
func (r *rule) refuses(v value) string {
	switch {
	case r.never:
		return unknown
	case r.kinds != 0 && r.kinds&v.kind == 0:
		return "type"
	case r.constant != nil && (v.kind != text || string(v.content) != *r.constant):
		return "const"
	case r.options != nil && (v.kind != text || !slices.Contains(r.options, string(v.content))):
		return "enum"
	case r.format != nil && v.kind == text && !r.format(v.content):
		return "format"
	}
	return ""
}

// kinds are types of JSON Schema, as a set.
type kinds uint8

const (
	null kinds = 1 << iota
	boolean
	integer
	fraction // a number that is no integer
	text
	array
	object
)

// kindNamed is the set that the keyword type means by a name; it is empty where there is no such type.
func kindNamed(name string) kinds {
	switch name {
	case "null":
		return null
	case "boolean":
		return boolean
	case "integer":
		return integer
	case "number":
		return integer | fraction
	case "string":
		return text
	case "array":
		return array
	case "object":
		return object
	}
	return 0
}

// A between is the least and the most of what is counted. Its zero value allows any number.
type between struct{ least, most limit }

// A limit is a count that a schema states, or none.
type limit struct {
	stated bool
	count  int
}

func (b between) stated() bool     { return b.least.stated || b.most.stated }
func (b between) short(n int) bool { return b.least.stated && n < b.least.count }
func (b between) long(n int) bool  { return b.most.stated && n > b.most.count }

// A bound is a number that others are compared with.
type bound struct {
	keyword string
	number  decimal
}

func (b bound) allows(d decimal) bool {
	order := d.compare(b.number)
	switch b.keyword {
	case "minimum":
		return order >= 0
	case "maximum":
		return order <= 0
	case "exclusiveMinimum":
		return order > 0
	}
	return order < 0
}

// pointer escapes a name as a token of a JSON pointer.
func pointer(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
