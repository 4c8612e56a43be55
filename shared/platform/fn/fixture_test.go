package fn_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/fn/observe"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// booking is a request with a part from everywhere.
type booking struct {
	Property id.Property      `path:"property"`
	Rooms    fn.Maybe[int]    `query:"rooms"`
	Channel  string           `header:"X-Channel,optional"`
	Guest    guest            `json:"guest"`
	Nights   []night          `json:"nights"`
	Promo    string           `json:"promo,omitzero"`
	Note     fn.Maybe[string] `json:"note"`
}

type guest struct {
	Name string `json:"name"`
	Age  int    `json:"age,omitzero"`
}

type night struct {
	Date time.Time `json:"date"`
}

// Validate refuses a name that only this rule knows to be wrong.
func (b booking) Validate() error {
	if b.Guest.Name == "nobody" {
		return fault.ErrValidation.With(fault.Violation{Pointer: "/guest/name", Rule: "somebody", Message: "Somebody must come."})
	}
	return nil
}

type booked struct {
	fn.Reply `json:"-"`
	Property id.Property `json:"propertyId"`
	Rooms    int         `json:"rooms"`
	Channel  string      `json:"channel"`
	Name     string      `json:"name"`
	Note     string      `json:"note"`
	At       time.Time   `json:"at"`
}

func book(_ context.Context, _ fn.Nothing, c fn.Call[booking]) (booked, error) {
	return booked{
		Property: c.In.Property, Rooms: c.In.Rooms.Or(1), Channel: c.In.Channel, Name: c.In.Guest.Name,
		Note: c.In.Note.Or("none"), At: time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC),
	}, nil
}

// serve makes a function from its act alone.
func serve[In, Out any](s fn.Spec, act func(context.Context, fn.Nothing, fn.Call[In]) (Out, error)) fn.Function {
	return fn.HTTP(s, fn.Open, func(env.Env) (func(context.Context, fn.Nothing, fn.Call[In]) (Out, error), error) {
		return act, nil
	})
}

// answering is a public GET function that always does the same.
func answering[Out any](act func(context.Context) (Out, error)) fn.Function {
	return serve(fn.Spec{Name: "test-answer", Route: "GET /answer"}, func(ctx context.Context, _ fn.Nothing, _ fn.Call[fn.Nothing]) (Out, error) {
		return act(ctx)
	})
}

// failing is one that always fails with err.
func failing(err error) fn.Function {
	return answering(func(context.Context) (fn.Nothing, error) { return fn.Nothing{}, err })
}

var bookFunction = serve(fn.Spec{Name: "test-book", Route: "POST /properties/{property}/bookings", Answer: fn.Created, BodyLimit: 4096}, book)

func open(t *testing.T, fs ...fn.Function) *fntest.Front {
	t.Helper()
	return fntest.Open(t, env.Of(nil), fs...)
}

// A journal keeps log lines.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

// only returns the single line that was written, decoded, and its text.
func (j *journal) only(t *testing.T) (map[string]any, string) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	var line map[string]any
	text := j.text.String()
	check.Must(t, json.Unmarshal([]byte(text), &line), "not one JSON line: %s", text)
	return line, text
}

// journalled opens the functions with a log that the test can read.
func journalled(t *testing.T, fs ...fn.Function) (*fntest.Front, *journal) {
	t.Helper()
	j := &journal{}
	e, issuer := fntest.Surround(t, env.Of(nil))
	return fntest.Behind(t, observe.LogKey.With(e, observe.To(j)), issuer, fs...), j
}

var errSecret = errors.New("password=hunter2")
