package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// TimeOfDay is a local time at the property, for example "21:30".
type TimeOfDay string

// UnmarshalText rejects text that is not a time of day.
func (t *TimeOfDay) UnmarshalText(text []byte) error {
	const layout = "15:04"
	if _, err := time.Parse(layout, string(text)); err != nil || len(text) != len(layout) {
		return errors.New("is not a time of day like 21:30")
	}
	*t = TimeOfDay(text)
	return nil
}

// SetArrivalTime increments the version of a confirmed reservation. In any other state it returns ErrIllegalTransition.
func (r *Reservation) SetArrivalTime() error {
	if r.EffectiveState() != Confirmed {
		return r.illegal()
	}
	r.Version++
	return nil
}

// arrivalTimeSet is the payload of ArrivalTimeSetV1.
type arrivalTimeSet struct {
	reference
	ArrivalTime TimeOfDay `json:"arrivalTime"`
	OccurredAt  time.Time `json:"occurredAt"`
}

// ArrivalTimeSet returns the event that announces the arrival time.
func ArrivalTimeSet(r *Reservation, at TimeOfDay) event.Draft {
	return r.event(ArrivalTimeSetV1, arrivalTimeSet{reference: r.reference(), ArrivalTime: at, OccurredAt: r.AsOf})
}
