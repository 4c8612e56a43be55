package fn_test

import (
	"context"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/platform/fn"
)

func TestKey_forms(t *testing.T) {
	t.Parallel()
	front := open(t, serve(fn.Spec{Name: "test-key", Route: "POST /key"},
		func(_ context.Context, _ fn.Nothing, c fn.Call[fn.Nothing]) (map[string]string, error) {
			return map[string]string{"key": c.Key}, nil
		}))
	for _, test := range []struct {
		name    string
		headers []string
		status  int
		want    string
	}{
		{"bare", []string{"Idempotency-Key", "a-1"}, 200, "a-1"},
		{"quoted", []string{"Idempotency-Key", `"a-1"`}, 200, "a-1"},
		{"the older header", []string{"X-Idempotency-Key", "a-1"}, 200, "a-1"},
		{"both headers alike", []string{"Idempotency-Key", `"a-1"`, "X-Idempotency-Key", "a-1"}, 200, "a-1"},
		{"both headers different", []string{"Idempotency-Key", "a-1", "X-Idempotency-Key", "a-2"}, 400, ""},
		{"255 characters", []string{"Idempotency-Key", strings.Repeat("k", 255)}, 200, strings.Repeat("k", 255)},
		{"256 characters", []string{"Idempotency-Key", strings.Repeat("k", 256)}, 400, ""},
		{"empty", []string{"Idempotency-Key", ""}, 400, ""},
		{"empty in quotes", []string{"Idempotency-Key", `""`}, 400, ""},
		{"with a space", []string{"Idempotency-Key", "a 1"}, 400, ""},
		{"not ASCII", []string{"Idempotency-Key", "کلید"}, 400, ""},
		{"none where none is needed", nil, 200, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := front.Post("/key", nil, test.headers...)
			if a.Status != test.status || (test.status == 200 && string(a.Body) != `{"key":"`+test.want+`"}`) {
				t.Errorf("got %d %s, want %d %s", a.Status, a.Body, test.status, test.want)
			}
		})
	}
}
