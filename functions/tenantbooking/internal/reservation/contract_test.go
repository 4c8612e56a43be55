package reservation

import (
	"encoding"
	stdjson "encoding/json" // encodes the numbers of an example as numbers
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/openapitest"
)

// base is the path below which the reservation service has its routes.
const base = "/api/v1/reservations"

// operations lists the operations that the client calls, with the types of their requests and responses.
var operations = []struct {
	id, route string
	in, out   reflect.Type // in is nil without a body
	call      func(*testing.T, Client, reflect.Value) (any, error)
}{
	{"createQuote", createQuote, reflect.TypeFor[QuoteRequest](), reflect.TypeFor[Quote](), func(t *testing.T, c Client, in reflect.Value) (any, error) {
		return c.CreateQuote(t.Context(), tenant, "k", in.Interface().(QuoteRequest), nil)
	}},
	{"createHold", createHold, reflect.TypeFor[HoldRequest](), reflect.TypeFor[Reservation](), func(t *testing.T, c Client, in reflect.Value) (any, error) {
		return c.CreateHold(t.Context(), tenant, "k", in.Interface().(HoldRequest))
	}},
	{"getReservation", getReservation, nil, reflect.TypeFor[Reservation](), func(t *testing.T, c Client, _ reflect.Value) (any, error) {
		return c.GetReservation(t.Context(), tenant, booked)
	}},
	{"setGuestDetails", setGuestDetails, reflect.TypeFor[GuestDetails](), reflect.TypeFor[GuestOf](), func(t *testing.T, c Client, in reflect.Value) (any, error) {
		return c.SetGuestDetails(t.Context(), tenant, booked, "k", in.Interface().(GuestDetails))
	}},
	{"confirmReservation", confirmReservation, reflect.TypeFor[ConfirmRequest](), reflect.TypeFor[Reservation](), func(t *testing.T, c Client, in reflect.Value) (any, error) {
		return c.ConfirmReservation(t.Context(), tenant, booked, "k", in.Interface().(ConfirmRequest))
	}},
	{"cancelReservation", cancelReservation, reflect.TypeFor[CancelRequest](), reflect.TypeFor[Cancelled](), func(t *testing.T, c Client, in reflect.Value) (any, error) {
		return c.CancelReservation(t.Context(), tenant, booked, "k", in.Interface().(CancelRequest))
	}},
	{"changeDates", changeDates, reflect.TypeFor[DatesRequest](), reflect.TypeFor[Changed](), func(t *testing.T, c Client, in reflect.Value) (any, error) {
		return c.ChangeDates(t.Context(), tenant, booked, "k", in.Interface().(DatesRequest), nil)
	}},
	{"addSpecialRequest", addSpecialRequest, reflect.TypeFor[SpecialRequest](), reflect.TypeFor[Reservation](), func(t *testing.T, c Client, in reflect.Value) (any, error) {
		return c.AddSpecialRequest(t.Context(), tenant, booked, "k", in.Interface().(SpecialRequest), nil)
	}},
}

var (
	tenant = id.Derive[id.Tenant](id.Request{}, "tenant")
	booked = id.Derive[id.Reservation](id.Request{}, "reservation")
)

func open(t *testing.T) *openapitest.Document {
	t.Helper()
	d, err := openapitest.Open("reservation", true)
	check.Must(t, err)
	return d
}

func operation(route string) string {
	method, path, _ := strings.Cut(route, " ")
	return openapitest.Operation(method + " " + base + path)
}

// success returns the pointer to the schema of an operation's success, and its example.
func success(d *openapitest.Document, at string) (pointer string, example any) {
	for _, status := range []string{"200", "201"} {
		schema, pointer := d.At(at, "responses", status, "content", "application/json", "schema")
		if schema == nil {
			continue
		}
		content, _ := d.At(at, "responses", status, "content", "application/json")
		return pointer, exampleOf(content)
	}
	return "", nil
}

// exampleOf returns the example of a content, or the first of its examples by name.
func exampleOf(content any) any {
	if example := openapitest.Member(content, "example"); example != nil {
		return example
	}
	examples, _ := openapitest.Member(content, "examples").(map[string]any)
	names := make([]string, 0, len(examples))
	for name := range examples {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return nil
	}
	return openapitest.Member(examples[names[0]], "value")
}

// TestClient_members compares every member that the client sends and reads with the document.
func TestClient_members(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, o := range operations {
		t.Run(o.id, func(t *testing.T) {
			at := operation(o.route)
			if got, _ := d.At(at, "operationId"); got != o.id {
				t.Errorf("operationId of %s = %v, want %s", o.route, got, o.id)
			}
			pointer, _ := success(d, at)
			for _, wrong := range differences(d, pointer, o.out, false) {
				t.Error("response", wrong)
			}
			if o.in == nil {
				return
			}
			_, pointer = d.At(at, "requestBody", "content", "application/json", "schema")
			for _, wrong := range differences(d, pointer, o.in, true) {
				t.Error("request", wrong)
			}
		})
	}
}

// TestDifferences checks that the comparison finds each kind of difference.
func TestDifferences(t *testing.T) {
	t.Parallel()
	d := open(t)
	pointer, _ := success(d, operation(getReservation))
	_, cancel := d.At(operation(cancelReservation), "requestBody", "content", "application/json", "schema")
	for _, test := range []struct {
		name, pointer string
		of            reflect.Type
		sent          bool
		want          int
	}{
		{"same", pointer, reflect.TypeFor[Reservation](), false, 0},
		{"reads_unknown_member", pointer, reflect.TypeFor[struct {
			A string `json:"nothing"`
		}](), false, 1},
		{"reads_optional_member_as_required", pointer, reflect.TypeFor[struct {
			A string `json:"confirmedAt"`
		}](), false, 1},
		{"reads_another_kind", pointer, reflect.TypeFor[struct {
			A string `json:"version"`
		}](), false, 1},
		{"unknown_member_inside", pointer, reflect.TypeFor[struct {
			A []struct {
				B string `json:"nothing"`
			} `json:"items"`
		}](), false, 1},
		{"omits_required_member", cancel, reflect.TypeFor[struct {
			A string `json:"reasonCode,omitzero"`
		}](), true, 1},
		{"lacks_required_member", cancel, reflect.TypeFor[struct{}](), true, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, len(differences(d, test.pointer, test.of, test.sent)), test.want)
		})
	}
}

// differences returns the differences between a Go type and a schema. A sent type must have all required members. In a read type,
// a member that may be absent must be a pointer or have omitzero.
func differences(d *openapitest.Document, pointer string, of reflect.Type, sent bool) (wrong []string) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	schema, pointer := d.At(pointer)
	switch {
	case !fits(schema, of):
		return []string{fmt.Sprintf("%s: Go has %s, the schema %v", pointer, of, openapitest.Member(schema, "type"))}
	case isText(of):
		return nil
	case of.Kind() == reflect.Slice:
		return differences(d, pointer+"/items", of.Elem(), sent)
	case of.Kind() != reflect.Struct:
		return nil
	}
	required, _ := openapitest.Member(schema, "required").([]any)
	var always []any
	for name, f := range members(of) {
		tag := f.Tag.Get("json")
		optional := f.Type.Kind() == reflect.Pointer || strings.Contains(tag, ",omit")
		if openapitest.Member(openapitest.Member(schema, "properties"), name) == nil {
			wrong = append(wrong, fmt.Sprintf("%s does not describe %s", pointer, name))
			continue
		}
		if !optional {
			always = append(always, name)
		}
		if !sent && !optional && !slices.Contains(required, any(name)) {
			wrong = append(wrong, fmt.Sprintf("%s: %s may be absent", pointer, name))
		}
		wrong = append(wrong, differences(d, pointer+"/properties/"+openapitest.Escape(name), f.Type, sent)...)
	}
	for _, name := range required {
		if sent && !slices.Contains(always, name) {
			wrong = append(wrong, fmt.Sprintf("%s requires %v", pointer, name))
		}
	}
	return wrong
}

// members returns the JSON members of a struct, including those of embedded structs.
func members(of reflect.Type) map[string]reflect.StructField {
	all := map[string]reflect.StructField{}
	for f := range of.Fields() {
		if f.Anonymous {
			maps.Copy(all, members(f.Type))
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all[name] = f
	}
	return all
}

// isText reports whether a type is encoded by a method of its own, as ids, times and amounts are.
func isText(of reflect.Type) bool {
	switch reflect.New(of).Interface().(type) {
	case encoding.TextUnmarshaler, json.UnmarshalerFrom:
		return true
	}
	return false
}

// fits reports whether the JSON type of a schema is the one of a Go type. A schema of an enum has no type: its values are strings.
func fits(schema any, of reflect.Type) bool {
	stated, _ := openapitest.Member(schema, "type").(string)
	kinds := map[string][]reflect.Kind{
		"string": {reflect.String}, "": {reflect.String}, "integer": {reflect.Int, reflect.Int64}, "number": {reflect.Float64},
		"boolean": {reflect.Bool}, "array": {reflect.Slice}, "object": {reflect.Struct},
	}
	return isText(of) || slices.Contains(kinds[stated], of.Kind())
}

// TestClient_wire calls each operation with the document's example and answers with the document's example: the request must be
// the described one, with all members, and the answer must be read whole.
func TestClient_wire(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, o := range operations {
		t.Run(o.id, func(t *testing.T) {
			t.Parallel()
			at := operation(o.route)
			_, answer := success(d, at)
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				checkRequest(t, d, o.route, r)
				w.Header().Set("Content-Type", "application/json")
				check.NoError(t, stdjson.NewEncoder(w).Encode(answer))
			}))
			t.Cleanup(service.Close)
			in := reflect.Value{}
			if o.in != nil {
				in = reflect.New(o.in)
				content, _ := d.At(at, "requestBody", "content", "application/json")
				decode(t, exampleOf(content), in.Interface())
				in = in.Elem()
			}
			got, err := o.call(t, Open(env.Of(map[string]string{"UPSTREAM_RESERVATION_URL": service.URL + base})), in)
			check.Must(t, err)
			want := reflect.New(o.out)
			decode(t, answer, want.Interface())
			check.Equal(t, got, want.Elem().Interface())
			check.Equal(t, reflect.ValueOf(got).IsZero(), false, "the answer is empty")
		})
	}
}

func checkRequest(t *testing.T, d *openapitest.Document, route string, r *http.Request) {
	method, path, _ := strings.Cut(route, " ")
	if want := base + strings.Replace(path, "{id}", booked.String(), 1); r.Method != method || r.URL.Path != want {
		t.Errorf("called %s %s, want %s %s", r.Method, r.URL.Path, method, want)
	}
	at := operation(route)
	parameters, _ := d.At(at, "parameters")
	for n := range parameters.([]any) {
		p, _ := d.At(at, "parameters", strconv.Itoa(n))
		name, _ := openapitest.Member(p, "name").(string)
		if openapitest.Member(p, "in") == "header" && openapitest.Member(p, "required") == true && r.Header.Get(name) == "" {
			t.Errorf("the request has no %s", name)
		}
	}
	body, err := io.ReadAll(r.Body)
	check.NoError(t, err)
	schema, pointer := d.At(at, "requestBody", "content", "application/json", "schema")
	if schema == nil {
		return
	}
	check.NoError(t, d.ValidateText(pointer, body), "%v", body)
}

func decode(t *testing.T, example, into any) {
	t.Helper()
	text, err := stdjson.Marshal(example)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	check.Must(t, err, "%s", string(text))
}
