package themepublished

import (
	"context"
	"errors"
	"testing"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
)

type fake struct {
	heard []id.Tenant
	err   error
}

func (f *fake) InvalidateBrand(_ context.Context, t id.Tenant) error {
	f.heard = append(f.heard, t)
	return f.err
}

func TestTheCompanyWhoseThemeItIsLooksOtherwise(t *testing.T) {
	t.Parallel()
	tenant, away := id.New[id.Tenant](), errors.New("away")
	for _, err := range []error{nil, away} { // what cannot be noted is delivered again
		f := &fake{err: err}
		got := (&handler{f}).handle(t.Context(), event.Event[Published]{Payload: Published{tenant}})
		if !errors.Is(got, err) || len(f.heard) != 1 || f.heard[0] != tenant {
			t.Errorf("got %v, heard of %v; want %v, %v", got, f.heard, err, tenant)
		}
	}
}
