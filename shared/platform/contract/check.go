package contract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/fault"
)

// A check is one pass over a payload. It goes on after a breach, to find them all.
type check struct {
	cursor
	closed bool
	path   []step
	found  []fault.Violation
}

// A step leads from a value to one of its parts.
type step struct {
	name  string
	index int // of an item; -1 where the step is a name
}

// check returns what of the rule the payload breaks, in the order of the pointers. The payload has to be strictly one value:
// no two members of one name, of which readers might take either, and nothing that is not UTF-8.
func (r *rule) check(m model, payload []byte) []fault.Violation {
	if !jsontext.Value(payload).IsValid() {
		return []fault.Violation{{Rule: "json", Message: "is not one well-formed JSON value"}}
	}
	c := check{cursor: cursor{json: payload}, closed: m == closed}
	c.value(r)
	return c.sorted()
}

// value holds the value at the cursor to the rule, and passes over it.
func (c *check) value(r *rule) {
	begin := c.at
	foreign, whole := c.part(r)
	if whole && r.when != nil {
		foreign = c.conditional(r, begin, foreign)
	}
	for _, name := range foreign {
		c.breaks(unknown, step{name, -1})
	}
}

// conditional holds the value to the branch that its condition chooses, and returns which members are still foreign: a
// condition that holds describes members too, and so does the branch, unless something breaks it. The condition only asks:
// it is open in both models.
func (c *check) conditional(r *rule, begin int, foreign []string) []string {
	end := c.at
	asked := check{cursor: cursor{json: c.json, at: begin}}
	asked.value(r.when)
	applied := []*rule{r.otherwise}
	if len(asked.found) == 0 {
		applied = []*rule{r.when, r.then}
	}
	if branch, before := applied[len(applied)-1], len(c.found); branch != nil {
		c.at = begin
		c.part(branch)
		if len(c.found) > before {
			applied = applied[:len(applied)-1]
		}
	}
	c.at = end
	return slices.DeleteFunc(foreign, func(name string) bool {
		return slices.ContainsFunc(applied, func(r *rule) bool { return r != nil && r.describes(name) })
	})
}

// part holds the value to the rule as far as it goes by itself. It returns the members that the rule does not describe
// and should, and whether it makes sense to look further.
func (c *check) part(r *rule) (foreign []string, whole bool) {
	v := c.look()
	if broken := r.refuses(v); broken != "" {
		if v.kind == object || v.kind == array {
			c.skip()
		}
		c.breaks(broken)
		return nil, false
	}
	switch v.kind {
	case text:
		c.characters(r, v.content)
	case integer, fraction:
		c.bounds(r, v.number)
	case array:
		c.items(r)
	case object:
		foreign = c.members(r)
	}
	return foreign, true
}

func (c *check) characters(r *rule, content []byte) {
	if r.length.stated() {
		n := utf8.RuneCount(content)
		c.counted(r.length, n, "minLength", "maxLength")
	}
	if r.pattern != nil && !r.pattern.matches(content) {
		c.breaks("pattern")
	}
}

func (c *check) counted(b between, n int, least, most string) {
	if b.short(n) {
		c.breaks(least)
	}
	if b.long(n) {
		c.breaks(most)
	}
}

func (c *check) bounds(r *rule, number decimal) {
	for _, b := range r.bounds {
		if !b.allows(number) {
			c.breaks(b.keyword)
		}
	}
}

func (c *check) items(r *rule) {
	n := 0
	for c.enter(); c.more(); n++ {
		if r.items == nil {
			c.skip()
			continue
		}
		c.below(step{index: n}, r.items)
	}
	c.counted(r.number, n, "minItems", "maxItems")
}

// members returns the names of those that the rule does not describe, where the model asks for it.
func (c *check) members(r *rule) (foreign []string) {
	var seen uint
	next := 0
	for c.enter(); c.more(); {
		name := c.text()
		i := r.find(name, next)
		if i >= 0 {
			seen |= 1 << i
			next = i + 1
		}
		switch {
		case i >= 0 && r.members[i].rule != nil:
			c.below(step{r.members[i].name, -1}, r.members[i].rule)
		case r.others != nil:
			c.below(step{string(name), -1}, r.others)
		default:
			if c.closed && r.closes {
				foreign = append(foreign, string(name))
			}
			c.skip()
		}
	}
	for i, m := range r.members {
		if m.required && seen&(1<<i) == 0 {
			c.breaks("required", step{m.name, -1})
		}
	}
	return foreign
}

// below holds a part of the value to its rule.
func (c *check) below(s step, r *rule) {
	c.path = append(c.path, s)
	c.value(r)
	c.path = c.path[:len(c.path)-1]
}

// unknown is the rule that a member breaks which no schema names.
const unknown = "unknown"

// breaks notes a breach, by its place and rule: values are never told.
func (c *check) breaks(rule string, further ...step) {
	v := fault.Violation{Rule: rule, Message: "breaks the schema's rule " + rule}
	switch rule {
	case "required":
		v.Message = "is missing"
	case unknown:
		v.Message = "is not a member that the schema names"
	}
	for _, s := range slices.Concat(c.path, further) {
		if s.index >= 0 {
			s.name = strconv.Itoa(s.index)
		}
		v.Pointer += pointer(s.name)
	}
	c.found = append(c.found, v)
}

// sorted are the breaches in the order of their pointers, each once.
func (c *check) sorted() []fault.Violation {
	slices.SortStableFunc(c.found, func(a, b fault.Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Rule, b.Rule))
	})
	return slices.Compact(c.found)
}
