package reservation_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"melmastoon.ghasi.io/functions/reservation/confirm"
	"melmastoon.ghasi.io/functions/reservation/find"
	"melmastoon.ghasi.io/functions/reservation/hold"
	"melmastoon.ghasi.io/functions/reservation/internal/booking"
	"melmastoon.ghasi.io/functions/reservation/quote"
	"melmastoon.ghasi.io/functions/reservation/read"
	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/fn"
)

type content struct {
	Ref     string `yaml:"$ref"`
	Content map[string]struct {
		Examples map[string]struct {
			Value any `yaml:"value"`
		} `yaml:"examples"`
	} `yaml:"content"`
}

type document struct {
	Paths map[string]map[string]struct {
		Body      content            `yaml:"requestBody"`
		Responses map[string]content `yaml:"responses"`
	} `yaml:"paths"`
	Components struct {
		Responses map[string]content `yaml:"responses"`
	} `yaml:"components"`
}

func openAPI(t *testing.T) (doc document) {
	t.Helper()
	text, err := schemas.HTTP.ReadFile("http/reservation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// same returns an error if a type loses or does not know a member of an example.
func same(example any, into any) error {
	text, err := json.Marshal(example)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	written, err := json.Marshal(into)
	if err != nil {
		return err
	}
	want, got := jsontext.Value(plain(text)), jsontext.Value(plain(written))
	if err := want.Canonicalize(); err != nil {
		return err
	}
	if err := got.Canonicalize(); err != nil {
		return err
	}
	if string(want) != string(got) {
		return fmt.Errorf("encodes as\n%s\nwant\n%s", got, want)
	}
	return nil
}

// plain removes the milliseconds that only the encoder of answers writes.
func plain(text []byte) string {
	return strings.NewReplacer(".000Z", "Z", ".120Z", ".12Z", ".040Z", ".04Z").Replace(string(text))
}

func TestOpenAPI_examples(t *testing.T) {
	t.Parallel()
	doc := openAPI(t)
	for _, f := range []fn.Function{quote.Function, hold.Function, read.Function, find.Function, confirm.Function} {
		t.Run(f.Spec.Name, func(t *testing.T) {
			method, path, _ := strings.Cut(f.Spec.Route, " ")
			op, ok := doc.Paths[path][strings.ToLower(method)]
			if !ok {
				t.Fatalf("%s is not described", f.Spec.Route)
			}
			answered := 0
			check := func(what string, c content, of reflect.Type) {
				for name, example := range c.Content["application/json"].Examples {
					if err := same(example.Value, reflect.New(of).Interface()); err != nil {
						t.Errorf("%s %s: %v", what, name, err)
					}
					answered++
				}
			}
			check("request", op.Body, f.In)
			for _, status := range []string{"200", "201"} {
				check(status, op.Responses[status], f.Out)
			}
			if answered == 0 {
				t.Error("got no example, want at least one")
			}
			for status, c := range op.Responses {
				if ref, ok := strings.CutPrefix(c.Ref, "#/components/responses/"); ok {
					c = doc.Components.Responses[ref]
				}
				problems(t, f.Spec.Name, status, c)
			}
		})
	}
}

// problems checks that each problem is one that this service declares.
func problems(t *testing.T, name, status string, c content) {
	t.Helper()
	declared := map[string]*fault.Fault{}
	for _, f := range []*fault.Fault{
		booking.ErrIllegalTransition, booking.ErrOverbooked, booking.ErrHoldExpired, booking.ErrQuoteExpired,
		booking.ErrNotCaptured, fault.ErrValidation, fault.ErrUnauthenticated, fault.ErrForbidden, fault.ErrNotFound,
		fault.ErrIdempotencyInProgress, fault.ErrIdempotencyKeyReused, fault.ErrUpstreamUnavailable, fault.ErrStale, booking.ErrTooMuchHeld,
	} {
		declared["MELMASTOON."+f.Code] = f
	}
	examples := c.Content["application/problem+json"].Examples
	if status >= "400" && len(examples) == 0 {
		t.Errorf("%s: %s has no example", name, status)
	}
	for example, e := range examples {
		var p fn.Problem
		if err := same(e.Value, &p); err != nil {
			t.Errorf("%s: %s %s: %v", name, status, example, err)
			continue
		}
		f := declared[p.Code]
		if f == nil {
			t.Errorf("%s: %s %s: the code %q is not declared", name, status, example, p.Code)
			continue
		}
		type shown struct {
			Title, Detail string
			Status        int
			Retriable     bool
		}
		got, want := shown{p.Title, p.Detail, p.Status, p.Retriable}, shown{f.Kind.Title("en"), f.Detail, f.Kind.Status(), f.Retriable()}
		if got != want {
			t.Errorf("%s: %s %s is %+v, want %+v", name, status, example, got, want)
		}
		if !strings.HasSuffix(p.Type, f.Code[strings.LastIndex(f.Code, "."):][1:]) || strconv.Itoa(p.Status) != status {
			t.Errorf("%s: %s %s: type %s", name, status, example, p.Type)
		}
	}
}
