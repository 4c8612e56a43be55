package booking

import "testing"

func TestViewFor(t *testing.T) {
	t.Parallel()
	r := confirmedOne(t)
	r.Person = &Person{FirstName: "Zarghona"}
	if _, err := r.Ask(aRequest()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		by   Actor
		sees bool
	}{
		{Actor{Staff, "usr_desk"}, true},
		{Actor{System, "bff-tenant-booking"}, false},
		{Actor{Guest, "gst_someone"}, false},
	} {
		t.Run(string(test.by.Type), func(t *testing.T) {
			t.Parallel()
			v := r.ViewFor(Principal{Actor: test.by})
			if got := v.Person != nil; got != test.sees {
				t.Errorf("sees the guest: %v, want %v", got, test.sees)
			}
			if got := v.Requests != nil; got != test.sees {
				t.Errorf("sees the special requests: %v, want %v", got, test.sees)
			}
		})
	}
}
