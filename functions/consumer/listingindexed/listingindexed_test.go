package listingindexed

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
	calls []Indexed
	err   error
}

func (f *fake) InvalidateListing(_ context.Context, p id.Property, geoCell string) error {
	f.calls = append(f.calls, Indexed{p, geoCell})
	return f.err
}

func TestListingIndexed_invalidates(t *testing.T) {
	t.Parallel()
	want, errUnavailable := Indexed{id.New[id.Property](), "h3:8a283082aa67fff"}, errors.New("away")
	for _, err := range []error{nil, errUnavailable} {
		t.Run(fmt.Sprint(err), func(t *testing.T) { // a failed event is delivered again
			f := &fake{err: err}
			got := (&handler{f}).handle(t.Context(), event.Event[Indexed]{Payload: want})
			check.Error(t, got, err)
			check.MustEqual(t, len(f.calls), 1)
			check.Equal(t, f.calls[0], want)
		})
	}
}
