package pricing

import (
	"context"
	"errors"
	"testing"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/stay"
)

func TestCompare_canceled(t *testing.T) {
	t.Parallel()
	tariff := tariff(t)
	for range 1000 {
		tariff.Plans[id.New[id.RatePlan]()] = tariff.Plans[good]
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	year := stay.Window{Start: date(t, "2027-03-04"), End: date(t, "2028-03-04")}
	if _, err := tariff.Compare(ctx, standin.Party{Adults: 20, Rooms: 20}, year); !errors.Is(err, context.Canceled) {
		t.Errorf("Compare() = %v, want %v", err, context.Canceled)
	}
}
