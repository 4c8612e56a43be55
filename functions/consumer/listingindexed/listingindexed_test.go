package listingindexed

import (
	"context"
	"errors"
	"testing"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
)

type fake struct {
	heard []id.Property
	err   error
}

func (f *fake) InvalidateListing(_ context.Context, p id.Property) error {
	f.heard = append(f.heard, p)
	return f.err
}

func TestTheHotelThatWasIndexedIsAskedForAnew(t *testing.T) {
	t.Parallel()
	property, away := id.New[id.Property](), errors.New("away")
	for _, err := range []error{nil, away} { // what cannot be noted is delivered again
		f := &fake{err: err}
		got := (&handler{f}).handle(t.Context(), event.Event[Indexed]{Payload: Indexed{property}})
		if !errors.Is(got, err) || len(f.heard) != 1 || f.heard[0] != property {
			t.Errorf("got %v, heard of %v; want %v, %v", got, f.heard, err, property)
		}
	}
}
