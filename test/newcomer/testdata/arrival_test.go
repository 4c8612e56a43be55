package booking

import (
	"errors"
	"testing"
)

func TestSetArrivalTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		reservation *Reservation
		want        error
	}{
		{name: "confirmed", reservation: confirmedOne(t)},
		{name: "held", reservation: aHeld(t), want: ErrIllegalTransition},
		{name: "expired_hold", reservation: anExpired(t), want: ErrIllegalTransition},
		{name: "cancelled", reservation: cancelledOne(t), want: ErrIllegalTransition},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := test.reservation.Version
			if test.want == nil {
				want++
			}
			if err := test.reservation.SetArrivalTime(); !errors.Is(err, test.want) {
				t.Errorf("SetArrivalTime() error = %v, want %v", err, test.want)
			}
			if got := test.reservation.Version; got != want {
				t.Errorf("version = %d, want %d", got, want)
			}
		})
	}
}

func TestTimeOfDay(t *testing.T) {
	t.Parallel()
	for text, valid := range map[string]bool{"00:00": true, "21:30": true, "24:00": false, "9:30": false, "21:30:00": false, "late": false, "": false} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			var at TimeOfDay
			if err := at.UnmarshalText([]byte(text)); (err == nil) != valid {
				t.Errorf("UnmarshalText(%q) error = %v, want valid: %t", text, err, valid)
			}
		})
	}
}
