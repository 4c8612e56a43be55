package garbage

import (
	"encoding"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// Examples make requests that have the right form, from the types that they are decoded into. Whatever they name does not
// exist, so even what is understood changes nothing.
type examples struct {
	texts  []string            // what a type that reads text is offered
	listed map[string][]string // what the published documents allow for a member of that name
}

func newExamples(t *testing.T) *examples {
	x := &examples{listed: map[string][]string{}}
	files := check.Got(fs.Glob(schemas.HTTP, "http/*.yaml")).Must(t)
	for _, name := range files {
		text := check.Got(schemas.HTTP.ReadFile(name)).Must(t)
		var tree any
		check.Must(t, yaml.Unmarshal(text, &tree))
		x.collect("", tree)
	}
	x.texts = slices.Concat(unknownIDs(), []string{day(7), "en", "USD", "2031-05-04T10:00:00Z", "1250000", "AF", "/hotels", "abc"}, x.all())
	return x
}

// unknownIDs are ids of every kind that do not exist.
func unknownIDs() []string {
	return []string{
		id.New[id.Tenant]().String(), id.New[id.Property]().String(), id.New[id.RoomType]().String(), id.New[id.RatePlan]().String(),
		id.New[id.Quote]().String(), id.New[id.Reservation]().String(), id.New[id.Hold]().String(),
		id.New[id.Allocation]().String(), id.New[id.Item]().String(), id.New[id.Guest]().String(), id.New[id.Intent]().String(),
		id.New[id.Refund]().String(), id.New[id.FX]().String(), id.New[id.Event]().String(), id.New[id.Request]().String(),
		id.New[id.Draft]().String(), id.New[id.TenantSession]().String(), id.New[id.GuestSession]().String(), id.New[id.Handoff]().String(),
		id.New[id.HandoffArrival]().String(), id.New[id.DraftSnapshot]().String(),
		id.New[id.SearchSession]().String(), id.New[id.KeyCredential]().String(), id.New[id.Room]().String(), id.New[id.Modification]().String(),
	}
}

// collect stores example values by the name of their member.
func (x *examples) collect(name string, node any) {
	switch n := node.(type) {
	case []any:
		for _, item := range n {
			x.collect(name, item)
		}
	case map[string]any:
		for _, key := range []string{"enum", "examples"} {
			list, _ := n[key].([]any)
			for _, item := range list {
				x.note(name, item)
			}
		}
		x.note(name, n["example"])
		x.note(name, n["const"])
		parameter, _ := n["name"].(string)
		for key, inner := range n {
			if key == "schema" && parameter != "" {
				key = parameter
			}
			x.collect(key, inner)
		}
	}
}

func (x *examples) note(name string, v any) {
	if text, ok := v.(string); ok && name != "" {
		x.listed[name] = append(x.listed[name], text)
	}
}

func (x *examples) all() (found []string) {
	for _, list := range x.listed {
		found = append(found, list...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// day is a date so many days from now.
func day(from int) string { return time.Now().AddDate(0, 0, from).Format(time.DateOnly) }

// whole are members whose parts must fit each other, which no type tells.
var whole = map[string]*value{
	"geo": {kind: '{', members: []member{{`"mode"`, quoted("bounding-box")}, {`"boundingBox"`, &value{kind: '{', members: []member{
		{`"swLat"`, scalar("34.4")}, {`"swLng"`, scalar("69.1")}, {`"neLat"`, scalar("34.6")}, {`"neLng"`, scalar("69.3")}}}}}},
	"guestRatingMin": scalar("4.5"),
	"releases":       {kind: '['}, // not the allocation that is taken
	"weekdayMicro":   {kind: '[', items: slices.Repeat([]*value{quoted("1250000")}, 7)},
}

// usual is what a member of that name is, where its type does not tell.
func (x *examples) usual(name string) string {
	switch lower := strings.ToLower(name); {
	case strings.Contains(lower, "email"):
		return "nobody@example.com"
	case strings.Contains(lower, "phone"):
		return "+93700000000"
	case lower == "checkout" || lower == "end" || lower == "until":
		return day(9)
	case strings.Contains(lower, "check") || lower == "start" || lower == "from":
		return day(7)
	case strings.Contains(lower, "color"):
		return "#112233"
	case strings.HasSuffix(lower, "url"):
		return "https://example.com/back"
	case lower == "path":
		return "/hotels"
	case lower == "action":
		return "pay"
	}
	if listed := x.listed[name]; len(listed) > 0 {
		return listed[0]
	}
	return "abc"
}

// text finds what a type that reads text takes, beginning with what is usual for the name; "" where nothing is known.
func (x *examples) text(t reflect.Type, name string) (string, bool) {
	for _, text := range slices.Concat([]string{x.usual(name)}, x.listed[name], x.texts) {
		if reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)) == nil {
			return text, true
		}
	}
	return "", false
}

// inner is the type in a Maybe or behind a pointer, and whether it was in one.
func inner(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() == reflect.Pointer {
		return t.Elem(), true
	}
	if t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Maybe[") && t.PkgPath() == reflect.TypeFor[fn.Function]().PkgPath() {
		return t.Field(0).Type, true
	}
	return t, false
}

// value is an example of a type as a JSON body has it.
func (x *examples) value(t reflect.Type, name string, depth int) *value {
	if known := whole[name]; known != nil {
		return known.clone()
	}
	if in, wrapped := inner(t); wrapped {
		return x.value(in, name, depth)
	}
	pointer := reflect.New(t).Interface()
	if _, ok := pointer.(encoding.TextUnmarshaler); ok {
		if text, found := x.text(t, name); found {
			return quoted(text)
		}
		return quoted("abc")
	}
	switch pointer.(type) {
	case *jsontext.Value:
		return &value{kind: '{'}
	case json.Unmarshaler, json.UnmarshalerFrom:
		for _, text := range slices.Concat([]string{`{}`, `1`, `true`, `[]`, `"1"`}, x.texts) {
			if json.Unmarshal([]byte(text), reflect.New(t).Interface()) == nil {
				return scalar(text)
			}
		}
	}
	if depth > 8 {
		return scalar("null")
	}
	return x.composed(t, name, depth)
}

func (x *examples) composed(t reflect.Type, name string, depth int) *value {
	switch t.Kind() {
	case reflect.Struct:
		v := &value{kind: '{'}
		x.include(v, t, depth)
		return v
	case reflect.Slice, reflect.Array:
		return &value{kind: '[', items: []*value{x.value(t.Elem(), name, depth+1)}}
	case reflect.Map:
		return &value{kind: '{', members: []member{{`"abc"`, x.value(t.Elem(), name, depth+1)}}}
	case reflect.Bool:
		return scalar("true")
	case reflect.String:
		return quoted(x.usual(name))
	case reflect.Float64, reflect.Float32:
		return scalar("34.5")
	}
	if strings.Contains(strings.ToLower(name), "seconds") {
		return scalar("600")
	}
	return scalar("1")
}

func (x *examples) include(v *value, t reflect.Type, depth int) {
	for f := range t.Fields() {
		tag, tagged := f.Tag.Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		if f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct {
			x.include(v, f.Type, depth)
			continue
		}
		if !tagged || name == "-" || !f.IsExported() {
			continue
		}
		if strings.Contains(tag, ",string") {
			v.members = append(v.members, member{`"` + name + `"`, quoted("1")})
			continue
		}
		v.members = append(v.members, member{`"` + name + `"`, x.value(f.Type, name, depth+1)})
	}
}
