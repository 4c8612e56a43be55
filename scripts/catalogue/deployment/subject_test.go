package deployment_test

import (
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io"
	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// TestSubjects_retention compares the retention in the catalogue with the one in the published schema of each subject.
func TestSubjects_retention(t *testing.T) {
	t.Parallel()
	for name, s := range whole(t).Subjects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := check.Got(fs.ReadFile(eventschemas.Files, name+".json")).Must(t)
			var schema struct {
				Retention deployment.Retention `json:"x-retention"`
			}
			check.Must(t, json.Unmarshal(text, &schema))
			if s.Retention == nil {
				t.Fatal("no function of the catalogue publishes it")
			}
			check.Equal(t, schema.Retention, *s.Retention, "x-retention")
		})
	}
}

func TestOf_retention(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		retention event.Retention
		want      string // the period; empty if it is an error
	}{
		{"days", event.Retention{Class: event.Operational, Period: 90 * event.Day}, "P90D"},
		{"years", event.Retention{Class: event.Regulated, Period: 7 * event.Year}, "P7Y"},
		{"no_class", event.Retention{Period: event.Year}, ""},
		{"no_period", event.Retention{Class: event.Audit}, ""},
		{"hours", event.Retention{Class: event.Audit, Period: 25 * time.Hour}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const subject = "melmastoon.reservation.held.v1"
			hold := melmastoon.Functions[slices.IndexFunc(melmastoon.Functions, func(f fn.Function) bool { return f.Spec.Name == "reservation-hold" })]
			hold.Spec.Publishes = fn.Subjects{{Name: subject, Retention: test.retention}}
			d, err := deployment.Of([]fn.Function{hold}, nil)
			if (err != nil) != (test.want == "") {
				t.Fatalf("Of: %v, want an error: %t", err, test.want == "")
			}
			if err != nil {
				return
			}
			if got := *d.Subjects[subject].Retention; got != (deployment.Retention{Class: test.retention.Class, Period: test.want}) {
				t.Errorf("got %+v, want the period %s", got, test.want)
			}
		})
	}
}
