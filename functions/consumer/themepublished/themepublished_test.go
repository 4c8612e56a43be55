package themepublished

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
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
			check.Error(t, got, err)
			check.MustEqual(t, len(f.calls), 1)
			check.Equal(t, f.calls[0], tenant)
		})
	}
}
