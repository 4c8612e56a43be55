package garbage

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// A value is a JSON value that need not be a good one: objects may have members twice, and texts may be anything.
type value struct {
	text    string // of a scalar, as it is written
	members []member
	items   []*value
	kind    byte // '{', '[' or 0 for a scalar
}

type member struct {
	name string // as it is written, quotes included
	*value
}

func scalar(text string) *value { return &value{text: text} }

func quoted(text string) *value { return scalar(strconv.Quote(text)) }

// String is the value as it is written.
func (v *value) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v *value) write(b *strings.Builder) {
	switch v.kind {
	case '{':
		b.WriteByte('{')
		for i, m := range v.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(m.name + ":")
			m.write(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	default:
		b.WriteString(v.text)
	}
}

// clone is the same value again.
func (v *value) clone() *value {
	c := &value{text: v.text, kind: v.kind}
	for _, m := range v.members {
		c.members = append(c.members, member{m.name, m.clone()})
	}
	for _, item := range v.items {
		c.items = append(c.items, item.clone())
	}
	return c
}

// scalars are all values that are no objects and no arrays.
func (v *value) scalars() (found []*value) {
	for _, m := range v.members {
		found = append(found, m.scalars()...)
	}
	for _, item := range v.items {
		found = append(found, item.scalars()...)
	}
	if v.kind == 0 {
		found = append(found, v)
	}
	return found
}

// objects are all values that have members.
func (v *value) objects() (found []*value) {
	if v.kind == '{' && len(v.members) > 0 {
		found = append(found, v)
	}
	for _, m := range v.members {
		found = append(found, m.objects()...)
	}
	for _, item := range v.items {
		found = append(found, item.objects()...)
	}
	return found
}

// one picks one of many.
func one[T any](d *rand.Rand, all []T) T { return all[d.IntN(len(all))] }

// letters are some that stand nowhere else.
func letters(d *rand.Rand, edge string) string {
	const alphabet = "bcdfhjklmnrstvwy" // no word can come of it
	b := make([]byte, 8)
	for i := range b {
		b[i] = alphabet[d.IntN(len(alphabet))]
	}
	return edge + string(b) + edge
}

// What begins and ends the words that stand in values, and those that stand in names.
const (
	inValues = "qzq"
	inNames  = "qkq"
)
