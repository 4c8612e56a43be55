package garbage

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

// extremes are numbers at the edges of what types, databases and loops can take.
var extremes = []string{
	"0", "-0", "-1", "101", "2001", "2147483647", "2147483648", "-2147483649", "4294967296", "100000000000", "9007199254740993",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "0.5", "1e-400", "1e308", "-1e308", "1e999",
}

// A number is one numeric input of a route, as its document describes it.
type number struct {
	in      string   // body, form or query
	path    []string // of a member of the body; else the name alone
	written bool     // as text
	pointer string   // of the schema of the body
}

func (n number) String() string { return n.in + " /" + strings.Join(n.path, "/") }

// digits are schemas of text that only numbers match, and examples of text that is one.
var digits = regexp.MustCompile(`^(\^\(0\|-\?\[1-9\]\[0-9\]\*\)\$|-?[0-9]+)$`)

// numeric reports whether a schema describes a number, and whether it is written as text.
func numeric(schema any) (is, written bool) {
	switch openapitest.Member(schema, "type") {
	case "integer", "number":
		return true, false
	case "string":
		pattern, _ := openapitest.Member(schema, "pattern").(string)
		example, _ := openapitest.Member(schema, "example").(string)
		return digits.MatchString(pattern) || digits.MatchString(example), true
	}
	return false, false
}

// numbers lists the numeric inputs of an operation.
func numbers(d *openapitest.Document, route string) (found []number) {
	at := openapitest.Operation(route)
	path, _, _ := strings.Cut(strings.TrimPrefix(at, "/paths/"), "/")
	for _, from := range []string{at, "/paths/" + path} {
		list, _ := d.At(from, "parameters")
		all, _ := list.([]any)
		for i := range all {
			p, pointer := d.At(from, "parameters", fmt.Sprint(i))
			if openapitest.Member(p, "in") != "query" {
				continue
			}
			schema, _ := d.At(pointer, "schema")
			is, written := numeric(schema)
			if example, _ := openapitest.Member(p, "example").(string); is || written && digits.MatchString(example) {
				name, _ := openapitest.Member(p, "name").(string)
				found = append(found, number{in: "query", path: []string{name}, written: true})
			}
		}
	}
	for media, in := range map[string]string{"application/json": "body", "application/x-www-form-urlencoded": "form"} {
		if schema, pointer := d.At(at, "requestBody", "content", media, "schema"); schema != nil {
			walk(d, pointer, nil, func(path []string, written bool) {
				found = append(found, number{in: in, path: slices.Clone(path), written: written, pointer: pointer})
			})
		}
	}
	return found
}

// walk calls visit with the path of each numeric member of a schema.
func walk(d *openapitest.Document, pointer string, path []string, visit func(path []string, written bool)) {
	schema, pointer := d.At(pointer)
	if is, written := numeric(schema); is {
		visit(path, written)
		return
	}
	properties, _ := openapitest.Member(schema, "properties").(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		walk(d, pointer+"/properties/"+openapitest.Escape(name), append(path, name), visit)
	}
	if openapitest.Member(schema, "items") != nil {
		walk(d, pointer+"/items", append(path, "0"), visit)
	}
	for _, how := range []string{"allOf", "anyOf", "oneOf"} {
		parts, _ := openapitest.Member(schema, how).([]any)
		for i := range parts {
			walk(d, fmt.Sprintf("%s/%s/%d", pointer, how, i), path, visit)
		}
	}
}

// insert writes a number into a body and adds what is missing on the way as its schema describes it.
func (v *value) insert(d *openapitest.Document, pointer string, path []string, text string) {
	if len(path) == 0 {
		*v = *scalar(text)
		return
	}
	if path[0] == "0" {
		if len(v.items) == 0 {
			*v = value{kind: '[', items: []*value{fill(d, pointer+"/items")}}
		}
		v.items = v.items[:1]
		v.items[0].insert(d, pointer+"/items", path[1:], text)
		return
	}
	name := `"` + path[0] + `"`
	at := slices.IndexFunc(v.members, func(m member) bool { return m.name == name })
	_, inner := d.At(pointer, "properties", path[0])
	if at < 0 {
		at = len(v.members)
		v.kind, v.members = '{', append(v.members, member{name, fill(d, inner)})
	}
	v.members[at].insert(d, inner, path[1:], text)
	if mode := slices.IndexFunc(v.members, func(m member) bool { return m.name == `"mode"` }); mode >= 0 && len(path) > 1 {
		words := map[string]string{"point": "point", "boundingBox": "bounding-box"}
		v.members = []member{{`"mode"`, quoted(words[path[0]])}, v.members[at]} // a place is told in exactly one way
	}
}

// fill is a value with what a schema requires.
func fill(d *openapitest.Document, pointer string) *value {
	schema, pointer := d.At(pointer)
	switch is, written := numeric(schema); {
	case is && written:
		return quoted("1")
	case is:
		return scalar("1")
	case openapitest.Member(schema, "type") == "array":
		return &value{kind: '['}
	case openapitest.Member(schema, "properties") != nil:
		v := &value{kind: '{'}
		required, _ := openapitest.Member(schema, "required").([]any)
		for _, name := range required {
			name := name.(string)
			v.members = append(v.members, member{`"` + name + `"`, fill(d, pointer+"/properties/"+openapitest.Escape(name))})
		}
		return v
	}
	if list, _ := openapitest.Member(schema, "enum").([]any); len(list) > 0 {
		return quoted(fmt.Sprint(list[0]))
	}
	return quoted("abc")
}

// load makes the request of a attempt carry an extreme number, in the form in which the input is written.
func (s *attempt) load(d *openapitest.Document, n number, text string) {
	swap := func(all []parameter) string {
		all = slices.DeleteFunc(slices.Clone(all), func(p parameter) bool { return p.name == n.path[0] })
		return encoded(append(all, parameter{name: n.path[0], text: text}))
	}
	switch n.in {
	case "query":
		s.request.query = swap(s.target.query)
	case "form":
		s.body = []byte(swap(s.form))
	default:
		if n.written {
			text = `"` + text + `"`
		}
		if s.tree == nil {
			s.tree = &value{kind: '{'}
		}
		s.tree.insert(d, n.pointer, n.path, text)
		s.body = []byte(s.tree.String())
	}
}

// TestNumbers_extreme sends extreme numbers into every numeric input that the published documents name, internal routes too.
// No answer is a 5xx, and each comes in time.
func TestNumbers_extreme(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	s := system.Within(t, db, db.Env().With("RATE_LIMIT_SESSION", "off"))
	f := newFuzzer(strings.TrimPrefix(s.Cloud.URL(), "http://"), melmastoon.Functions)
	f.tenant = demo.KabulGrand.Tenant.String()
	var err error
	if f.token, err = s.Cloud.Token(); err != nil {
		t.Fatal(err)
	}
	f.cookie = sessions(s)
	x, room := newExamples(t), demo.KabulGrand.Rooms[0]
	for name, known := range map[string]string{"tenantId": f.tenant, "propertyId": demo.KabulGrand.Property.String(), "propertyIds": demo.KabulGrand.Property.String(),
		"roomTypeId": room.ID.String(), "ratePlanId": room.Flexible.ID.String(), "currency": "AFN"} {
		x.listed[name] = []string{known} // what exists, so that the numbers get as far as they can
	}
	targets := newTargets(x, f, melmastoon.Functions)
	panics := watch(t, s)
	results := make([]*result, len(targets))
	inputs := make([]int, len(targets))
	var group errgroup.Group
	group.SetLimit(workers)
	for i, target := range targets {
		results[i] = &result{target: target, tally: tally{codes: map[int]int{}}}
		service, _, _ := strings.Cut(target.function.Spec.Name, "-")
		d := check.Got(openapitest.Open(service, false)).Must(t)
		all := numbers(d, target.function.Spec.Route)
		inputs[i] = len(all)
		group.Go(func() error { return f.inflate(t.Context(), d, all, results[i]) })
	}
	check.Must(t, group.Wait())
	check.Must(t, f.settle(t.Context(), results))
	thrown, limited, codes := 0, 0, map[int]int{}
	for i, r := range results {
		thrown, limited = thrown+r.thrown, limited+r.codes[http.StatusTooManyRequests]
		for code, n := range r.codes {
			codes[code] += n
		}
		if want := numbersAtLeast[r.target.function.Spec.Name]; inputs[i] < want {
			t.Errorf("%s: %d numeric inputs found in its document, want at least %d", r.target.function.Spec.Name, inputs[i], want)
		}
		for _, w := range r.wrong[:min(len(r.wrong), maxWrong)] {
			t.Error(w)
		}
	}
	t.Logf("%d requests, statuses %v", thrown, codes)
	if limited*20 > thrown {
		t.Errorf("%d of %d requests met a rate limit: they have tried nothing", limited, thrown)
	}
	panics()
}

// numbersAtLeast is how many numeric inputs some routes have: a walk that overlooks them would try nothing.
var numbersAtLeast = map[string]int{
	"consumer-search": 17, "consumer-recordclick": 2, "consumer-readhotel": 3, "sandbox-search": 17, "sandbox-previewprices": 4,
	"sandbox-comparerates": 3, "sandbox-configuretenant": 3, "sandbox-holdrooms": 2, "reservation-quote": 3, "reservation-find": 1,
	"tenantbooking-quote": 3, "storefront-home": 2,
}

// inflate sends each extreme into each numeric input of one route.
func (f *fuzzer) inflate(ctx context.Context, d *openapitest.Document, all []number, r *result) error {
	for _, n := range all {
		cookie, err := f.cookie(r.target)
		if err != nil {
			return err
		}
		for round, text := range extremes {
			s := f.newAttempt(r.target, seedrand.Seed(1).Of(n, round), cookie)
			s.load(d, n, text)
			a, wrong := f.sendAndCheck(ctx, s, false)
			r.thrown++
			r.codes[a.status]++
			if a.took > f.slowest || late(a) {
				r.slow = append(r.slow, s)
			}
			for _, w := range wrong {
				r.wrong = append(r.wrong, fmt.Sprintf("%s, %s = %s: %s\n%s", r.target.function.Spec.Name, n, text, w, s.request))
			}
		}
	}
	return nil
}
