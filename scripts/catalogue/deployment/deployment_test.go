package deployment_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/jobs/prune"
	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// root is the module's folder, relative to this package.
var root = filepath.Join("..", "..", "..")

func whole(t testing.TB) deployment.Deployment {
	t.Helper()
	return check.Got(deployment.Of(melmastoon.Functions, melmastoon.Jobs)).Must(t)
}

func TestFile_upToDate(t *testing.T) {
	t.Parallel()
	want := check.Got(whole(t).Text()).Must(t)
	got := check.Got(os.ReadFile(filepath.Join(root, filepath.FromSlash(deployment.File)))).Must(t)
	check.Equal(t, got, want, "%s is out of date. Regenerate it: go run ./scripts/catalogue", deployment.File)
}

func TestText_dependsOnEverySpecField(t *testing.T) {
	t.Parallel()
	before := check.Got(whole(t).Text()).Must(t)
	for name, change := range map[string]func(*fn.Spec){
		"another route":  func(s *fn.Spec) { s.Route += "/more" },
		"another caller": func(s *fn.Spec) { s.Access = fn.Internal },
		"a use less":     func(s *fn.Spec) { s.Uses = nil },
		"another event to tell": func(s *fn.Spec) {
			s.Publishes = fn.Subjects{event.Subject{Name: "melmastoon.nobody.knows.v1", Retention: event.Retention{Class: event.Audit, Period: event.Year}}}
		},
		"more time":               func(s *fn.Spec) { s.Timeout *= 2 },
		"a limit of instances":    func(s *fn.Spec) { s.MaxInstances = 77 },
		"a schedule in its place": func(s *fn.Spec) { s.Route, s.Schedule = "", "3 4 * * *" },
	} {
		t.Run(name, func(t *testing.T) {
			changed := slices.Clone(melmastoon.Functions)
			i := slices.IndexFunc(changed, func(f fn.Function) bool {
				return f.Spec.Access == fn.Public && !f.Spec.Idempotent && !strings.Contains(f.Spec.Route, "{")
			})
			change(&changed[i].Spec)
			d := check.Got(deployment.Of(changed, melmastoon.Jobs)).Must(t)
			after := check.Got(d.Text()).Must(t)
			if bytes.Equal(after, before) {
				t.Errorf("a change of %s of %s does not change the deployment", name, changed[i].Spec.Name)
			}
		})
	}
}

func TestOf_everything(t *testing.T) {
	t.Parallel()
	d := whole(t)
	check.Equal(t, len(d.Functions), len(melmastoon.Functions))
	check.Equal(t, len(d.Jobs), len(melmastoon.Jobs))
	for _, f := range melmastoon.Functions {
		got := d.Functions[f.Spec.Name]
		switch {
		case got.Schedule != f.Spec.Schedule:
			t.Errorf("got.Schedule = %v, want %v", got.Schedule, f.Spec.Schedule)
		case (got.Event != nil) != (f.Spec.Subject != ""):
			t.Errorf("got.Event = %v, want one: %v", got.Event, f.Spec.Subject != "")
		case got.Event != nil && got.Event.Subject != f.Spec.Subject:
			t.Errorf("got.Event.Subject = %v, want %v", got.Event.Subject, f.Spec.Subject)
		}
	}
	for _, r := range prune.Rules {
		if !slices.Contains(d.Jobs["prune"].Cadences, string(r.Cadence)) {
			t.Errorf("no job prunes %s, which is %s", r.Name(), r.Cadence)
		}
	}
	files := check.Got(fs.Glob(eventschemas.Files, "*.json")).Must(t)
	var subjects []string
	for _, file := range files {
		subjects = append(subjects, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	check.Equal(t, slices.Sorted(maps.Keys(d.Subjects)), slices.Sorted(slices.Values(subjects)), "topics: schemas %v", subjects)
}

// accounts is the quota of 100 service accounts of a project, minus those of jobs and the infrastructure, with room for a few functions.
const accounts = 90

func TestAccount_limits(t *testing.T) {
	t.Parallel()
	d := whole(t)
	legal := regexp.MustCompile(`^[a-z][a-z0-9-]{4,28}[a-z0-9]$`)
	of := map[string]string{}
	for name, f := range d.Functions {
		if !legal.MatchString(f.Account) {
			t.Errorf("%s: %q is no id of a service account", name, f.Account)
		}
		if other, taken := of[f.Account]; taken && !(d.Services[f.Service].StandIn && needs(f) == needs(d.Functions[other])) {
			t.Errorf("%s and %s share the account %s", name, other, f.Account)
		}
		of[f.Account] = name
	}
	if len(of) > accounts {
		t.Errorf("%d service accounts", len(of))
	}
}

// needs returns the values that decide the rights of a stand-in to events and secrets.
func needs(f deployment.Function) string { return fmt.Sprint(len(f.Emits) > 0, f.Secrets) }
