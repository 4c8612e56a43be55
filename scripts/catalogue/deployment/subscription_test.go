package deployment_test

import (
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
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
			check.Equal(t, f.Event.DeadLetter, "bff-consumer."+f.Event.Subject+".dlq", "%s: dead-letter topic", name)
		}
		check.Equal(t, f.Event.Subscription, want, "%s: subscription", name)
		check.Equal(t, users[f.Event.Subscription], "", "%s shares its subscription %s", name, f.Event.Subscription)
		users[f.Event.Subscription] = name
	}
}
