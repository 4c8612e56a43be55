package contract

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/test/dice"
)

// TestTheCheckAgreesWithTheWholeOfJSONSchema holds our check to a validator of all of JSON Schema: over every published
// schema, in both models, what is made after the schema and what is spoilt breaks the same rules at the same places.
func TestTheCheckAgreesWithTheWholeOfJSONSchema(t *testing.T) {
	t.Parallel()
	seed, throws := dice.New(t), dice.Throws(t, 150, 4_000)
	names, err := fs.Glob(schemas.Events, "events/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("found %d schemas, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(path.Base(name), func(t *testing.T) {
			t.Parallel()
			schema, err := fs.ReadFile(schemas.Events, name)
			if err != nil {
				t.Fatal(err)
			}
			c := comparison{schema: schema, throws: throws}
			if difference := c.run(t, seed.Of(name), nil); difference != "" {
				t.Error(difference)
			}
			t.Logf("open: %d accepted, %d refused; closed: %d accepted, %d refused", c.accepted[open], c.refused[open], c.accepted[closed], c.refused[closed])
			for _, as := range []model{open, closed} {
				if c.accepted[as] == 0 || c.refused[as] == 0 {
					t.Errorf("model %d: %d accepted, %d refused: that shows nothing", as, c.accepted[as], c.refused[as])
				}
			}
		})
	}
}

// everything has each keyword that a published schema uses.
const everything = `{
	"type": "object",
	"required": ["code", "stay"],
	"properties": {
		"code": {"type": "string", "pattern": "^GM-[A-Z0-9]{6,8}$"},
		"nights": {"type": "integer", "minimum": 1, "maximum": 100},
		"rate": {"type": "number", "exclusiveMinimum": 0},
		"source": {"type": "string", "minLength": 1, "maxLength": 40},
		"rooms": {"type": "array", "minItems": 1, "maxItems": 64, "items": {"enum": ["single", "double"]}},
		"stay": {"type": "object", "required": ["start"], "properties": {"start": {"type": "string", "format": "date"}}},
		"reason": {"type": ["string", "null"]},
		"status": {"enum": ["held", "paid"]}
	},
	"if": {"required": ["status"], "properties": {"status": {"const": "paid"}}},
	"then": {"required": ["paidAt"], "properties": {"paidAt": {"type": "string", "format": "date-time"}}}
}`

// TestTheComparisonNoticesWhatIsNotHeld takes single rules away from ours: the comparison has to find each of them missing.
func TestTheComparisonNoticesWhatIsNotHeld(t *testing.T) {
	t.Parallel()
	seed := dice.New(t)
	of := func(r *rule, name string) *rule { return r.named(name).rule }
	for what, saboteur := range map[string]func(r *rule){
		"nothing":                   nil,
		"types":                     func(r *rule) { of(r, "stay").kinds = 0 },
		"integers":                  func(r *rule) { of(r, "nights").kinds |= fraction },
		"null":                      func(r *rule) { of(r, "reason").kinds = text },
		"bounds":                    func(r *rule) { of(r, "nights").bounds = of(r, "nights").bounds[:1] },
		"exclusive bounds":          func(r *rule) { of(r, "rate").bounds[0].keyword = "minimum" },
		"the least length":          func(r *rule) { of(r, "source").length.least = limit{} },
		"the most length":           func(r *rule) { of(r, "source").length.most = limit{} },
		"the number of items":       func(r *rule) { of(r, "rooms").number = between{} },
		"items":                     func(r *rule) { of(r, "rooms").items = &rule{} },
		"dates":                     func(r *rule) { of(of(r, "stay"), "start").format = nil },
		"times":                     func(r *rule) { of(r.then, "paidAt").format = isDate },
		"patterns":                  func(r *rule) { of(r, "code").pattern = nil },
		"options":                   func(r *rule) { of(r, "status").options = nil },
		"members that are required": func(r *rule) { r.named("code").required = false },
		"members that are foreign":  func(r *rule) { r.closes = false },
		"foreign members below":     func(r *rule) { of(r, "stay").closes = false },
		"a condition":               func(r *rule) { of(r.when, "status").constant = nil },
		"its branch":                func(r *rule) { r.then.named("paidAt").required = false },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c := comparison{schema: []byte(everything), throws: 5_000}
			difference := c.run(t, seed.Of(what), saboteur)
			if (difference == "") != (saboteur == nil) {
				t.Errorf("without %s: %d accepted, %d refused, and then %q", what, c.accepted[closed], c.refused[closed], difference)
			}
		})
	}
}

// A comparison is one schema, compiled by us, beside the reference.
type comparison struct {
	schema            []byte
	throws            int
	accepted, refused map[model]int // by the reference
}

// run compares until both differ, and says where. A saboteur changes what we have compiled.
func (c *comparison) run(t *testing.T, dice *rand.Rand, saboteur func(*rule)) (difference string) {
	t.Helper()
	ours, err := compile(c.schema)
	if err != nil {
		t.Fatal(err)
	}
	if saboteur != nil {
		saboteur(ours)
	}
	m, made := maker{dice}, document(t, c.schema)
	references := map[model]reference{open: referenceOf(t, document(t, c.schema), open), closed: referenceOf(t, document(t, c.schema), closed)}
	c.accepted, c.refused = map[model]int{}, map[model]int{}
	for throw := range c.throws {
		value := m.value(made)
		for range throw % 3 { // the first of three is left as it is
			value = m.spoil(value)
		}
		payload := m.write(t, value)
		for as, reference := range references {
			want := reference.breaches(t, payload)
			if got := list(ours.check(as, payload)); got != want {
				return fmt.Sprintf("model %d, %s\nours:      %q\nreference: %q", as, payload, got, want)
			}
			if want == "" {
				c.accepted[as]++
			} else {
				c.refused[as]++
			}
		}
	}
	return ""
}

// document is a schema as a tree.
func document(t testing.TB, schema []byte) map[string]any {
	t.Helper()
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	return tree.(map[string]any)
}

// write writes the value, sometimes with a lot of white space, and sometimes breaks what is written.
func (m maker) write(t testing.TB, value any) []byte {
	t.Helper()
	payload, err := json.Marshal(value, jsontext.AllowDuplicateNames(false), json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	switch m.IntN(12) {
	case 0:
		if err := (*jsontext.Value)(&payload).Indent(jsontext.WithIndent("\t ")); err != nil {
			return payload
		}
		payload = slices.Concat([]byte("\r\n "), payload, []byte(" \n"))
	case 1:
		if m.IntN(4) == 0 {
			at := m.IntN(len(payload))
			payload = append(payload[:at:at], payload[at+1:]...)
		}
	}
	return payload
}
