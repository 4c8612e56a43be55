package booking

import (
	"testing"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/functions/reservation/internal/guests"
)

func TestViewFor(t *testing.T) {
	t.Parallel()
	r := confirmedOne(t)
	r.Person = &guests.Person{FirstName: "Zarghona"}
	if _, err := r.Ask(aRequest()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		by   access.Actor
		sees bool
	}{
		{access.Actor{Type: access.Staff, ID: "usr_desk"}, true},
		{access.Actor{Type: access.System, ID: "bff-tenant-booking"}, false},
		{access.Actor{Type: access.Guest, ID: "gst_someone"}, false},
	} {
		t.Run(string(test.by.Type), func(t *testing.T) {
			t.Parallel()
			v := r.ViewFor(access.Principal{Actor: test.by})
			if got := v.Person != nil; got != test.sees {
				t.Errorf("sees the guest: %v, want %v", got, test.sees)
			}
			if got := v.Requests != nil; got != test.sees {
				t.Errorf("sees the special requests: %v, want %v", got, test.sees)
			}
		})
	}
}
