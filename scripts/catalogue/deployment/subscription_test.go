package deployment_test

import (
	"strings"
	"testing"
)

// TestSubscriptions_names compares the names with those of the services' event specifications.
func TestSubscriptions_names(t *testing.T) {
	t.Parallel()
	d, users := whole(t), map[string]string{}
	for name, f := range d.Functions {
		if f.Event == nil {
			continue
		}
		want := name
		switch f.Service {
		case "tenantbooking":
			want = "bff-tenant-booking." + f.Event.Subject
		case "consumer":
			want = "bff-consumer." + strings.TrimPrefix(f.Event.Subject, "melmastoon.")
			if got, letters := f.Event.DeadLetter, "bff-consumer."+f.Event.Subject+".dlq"; got != letters {
				t.Errorf("%s: dead-letter topic %q, want %q", name, got, letters)
			}
		}
		if got := f.Event.Subscription; got != want {
			t.Errorf("%s: subscription %q, want %q", name, got, want)
		}
		if other := users[f.Event.Subscription]; other != "" {
			t.Errorf("%s and %s share the subscription %s", name, other, f.Event.Subscription)
		}
		users[f.Event.Subscription] = name
	}
}
