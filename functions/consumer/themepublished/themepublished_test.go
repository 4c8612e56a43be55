package themepublished

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
)

type fake struct {
	calls []id.Tenant
	err   error
}

func (f *fake) InvalidateBrand(_ context.Context, t id.Tenant) error {
	f.calls = append(f.calls, t)
	return f.err
}

func TestThemePublished_invalidates(t *testing.T) {
	t.Parallel()
	tenant, errUnavailable := id.New[id.Tenant](), errors.New("away")
	for _, err := range []error{nil, errUnavailable} {
		t.Run(fmt.Sprint(err), func(t *testing.T) { // a failed event is delivered again
			f := &fake{err: err}
			got := (&handler{f}).handle(t.Context(), event.Event[Published]{Payload: Published{tenant}})
			if !errors.Is(got, err) {
				t.Errorf("got = %v, want %v", got, err)
			}
			if len(f.calls) != 1 {
				t.Fatalf("len(f.calls) = %d, want 1", len(f.calls))
			}
			if f.calls[0] != tenant {
				t.Errorf("f.calls[0] = %v, want %v", f.calls[0], tenant)
			}
		})
	}
}
