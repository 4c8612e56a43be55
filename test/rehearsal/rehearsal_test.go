// Package rehearsal runs the whole system as it is deployed: every bundle a process of its own behind a small router, on
// Google's emulators, with its database migrated by the job; and kills its processes during bookings.
package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/jobs/command"
	migrations "melmastoon.ghasi.io/schemas/postgres"
	"melmastoon.ghasi.io/scripts/bundle/archive"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/scripts/serve/google"
	"melmastoon.ghasi.io/shared/local/setup"
	"melmastoon.ghasi.io/shared/platform/postgres/migrate"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/emulatortest"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/processes"
	"melmastoon.ghasi.io/test/seedrand"
	"melmastoon.ghasi.io/test/system"
)

const (
	journeys      = 200
	minKills      = 40
	guests        = 6
	settleTimeout = 2 * time.Minute // until the invariants must hold after the last journey
)

func TestRehearsal_failures(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs every bundle")
	}
	tree := check.Got(archive.Read(t.Context(), filepath.Join("..", ".."))).Must(t)
	db := migrated(t, tree)
	at := google.Emulators{Project: emulatortest.Name(), Firestore: emulatortest.Firestore(t), PubSub: emulatortest.PubSub(t)}
	cluster := processes.New(t)
	config := google.On(cloud.Config{Env: db.Env(), Schedules: true, Mount: cluster.Open}, at)
	s := system.As(t, db, config)
	makeTopics(t, at)
	cluster.Configure(variables(s, db, at), s.Issuer)
	launch(t, tree, cluster)

	random := seedrand.New(t).Of("killed processes")
	c := &system.ConcurrentGuests{System: s}
	c.Journeys.Store(journeys)
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	var travellers sync.WaitGroup
	failures := make(chan error, guests)
	for range guests {
		travellers.Go(func() { failures <- c.Run(ctx) })
	}
	over := make(chan struct{})
	go func() { travellers.Wait(); close(over) }()
	killed := killProcesses(t, random, cluster, over)
	<-over
	for range guests {
		check.NoError(t, <-failures)
	}
	t.Logf("%d processes killed, %d requests sent again, %d journeys in %v", killed, c.Retries.Load(), len(c.Done()), time.Since(began).Round(time.Second))
	if killed < minKills || c.Retries.Load() == 0 {
		t.Errorf("only %d processes were killed, and %d requests sent again: want at least 40 and 1", killed, c.Retries.Load())
	}
	check.Equal(t, len(c.Done()), journeys, "journeys ended")
	checkResults(t, db, c)
}

// migrated returns a database that the bundled job has migrated.
func migrated(t *testing.T, tree *archive.Tree) *pgtest.Database {
	t.Helper()
	db := pgtest.Empty(t)
	i := slices.IndexFunc(melmastoon.Jobs, func(j command.Job) bool { return j.Name == "migrate" })
	a := check.Got(tree.Job(t.Context(), melmastoon.Jobs[i])).Must(t)
	program := check.Got(processes.BuildJob(t.Context(), t.TempDir(), a, "migrate")).Must(t)
	services := check.Got(migrate.Services(migrations.Files)).Must(t)
	var logins []string
	for _, service := range services {
		logins = append(logins, service+":melmastoon")
	}
	job := exec.CommandContext(t.Context(), program)
	job.Env = []string{"DATABASE_URL=" + db.OwnerURL(), "DATABASE_LOGINS=" + strings.Join(logins, ",")}
	if out, err := job.CombinedOutput(); err != nil {
		t.Fatalf("migrate: %v\n%s", err, out)
	}
	check.Must(t, setup.MovableClock(t.Context(), db.Owner(t), migrations.Files)) // the invariants ask for it
	return db
}

// variables returns the environment of the processes.
func variables(s *system.System, db *pgtest.Database, at google.Emulators) map[string]string {
	v := cloud.Variables(system.Secret, s.Issuer, s.Cloud.URL())
	maps.Copy(v, map[string]string{
		"DATABASE_URL": db.URL(), "DATABASE_POOL": "2", "DOCUMENT_TIMEOUT": "5s",
		"GOOGLE_CLOUD_PROJECT": at.Project, "FIRESTORE_EMULATOR_HOST": at.Firestore, "PUBSUB_EMULATOR_HOST": at.PubSub,
		"RATE_LIMIT_SESSION": "off", "RATE_LIMIT_ADDRESS": "off", "RATE_LIMIT_TENANT": "off",
	})
	return v
}

// makeTopics creates the topics that Terraform creates in the cloud: one for every published event.
func makeTopics(t *testing.T, at google.Emulators) {
	t.Helper()
	for _, f := range melmastoon.Functions {
		for _, subject := range f.Spec.Publishes {
			url := fmt.Sprintf("http://%s/v1/projects/%s/topics/%s", at.PubSub, at.Project, subject.Name)
			r := check.Got(http.NewRequestWithContext(t.Context(), http.MethodPut, url, strings.NewReader("{}"))).Must(t)
			r.Header.Set("Content-Type", "application/json")
			res := check.Got(http.DefaultClient.Do(r)).Must(t)
			check.Must(t, res.Body.Close())
			if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusConflict {
				t.Fatalf("topic %s: %s", subject.Name, res.Status)
			}
		}
	}
}

// launch builds every bundle and starts it.
func launch(t *testing.T, tree *archive.Tree, cluster *processes.Processes) {
	t.Helper()
	var work sync.WaitGroup
	errs := make([]error, len(melmastoon.Functions))
	atOnce := make(chan struct{}, 2)
	for i, f := range melmastoon.Functions {
		a := check.Got(tree.Function(t.Context(), f.Spec, archive.Firestore)).Must(t)
		dir := t.TempDir()
		work.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			program, err := processes.BuildFunction(t.Context(), dir, a)
			if err == nil {
				err = cluster.Launch(f.Spec, program)
			}
			errs[i] = err
		})
	}
	work.Wait()
	check.Must(t, errors.Join(errs...))
}

// killProcesses kills processes, one after the other, until the journeys are over. Most processes are idle at any moment, so every
// second one is chosen among those with a call in progress.
func killProcesses(t *testing.T, random *rand.Rand, cluster *processes.Processes, over <-chan struct{}) (killed int) {
	t.Helper()
	var targets []*processes.Member
	for _, f := range melmastoon.Functions {
		switch service := f.Spec.Service(); {
		case service == "storefront", service == "frontdesk": // not deployed here
		case service == "consumer" && f.Spec.Name != "consumer-minthandoff" && f.Spec.Subject == "" && f.Spec.Schedule == "":
		default:
			targets = append(targets, cluster.Member(f.Spec.Name))
		}
	}
	for {
		select {
		case <-over:
			return killed
		case <-time.After(time.Duration(50+random.IntN(350)) * time.Millisecond): // the moment of the fault, not a wait for anything
		}
		candidates := targets
		if busy := slices.DeleteFunc(slices.Clone(targets), (*processes.Member).Idle); killed%2 == 0 && len(busy) > 0 {
			candidates = busy
		}
		check.NoError(t, candidates[random.IntN(len(candidates))].Kill())
		killed++
	}
}

// checkResults waits until all events are processed, and compares the answers to the guests with the database.
func checkResults(t *testing.T, db *pgtest.Database, c *system.ConcurrentGuests) {
	t.Helper()
	conn := db.Owner(t)
	look := time.NewTicker(500 * time.Millisecond)
	defer look.Stop()
	end := time.After(settleTimeout)
	for {
		always := check.Got(pgtest.Violations(t.Context(), conn)).Must(t)
		now := check.Got(pgtest.Unsettled(t.Context(), conn)).Must(t)
		breaches := slices.Concat(always, now)
		if len(breaches) == 0 {
			break
		}
		select {
		case <-end:
			t.Fatalf("invariants violated: %q", breaches)
		case <-look.C:
		}
	}
	var confirmed, twice int
	check.Must(t, conn.QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM reservation.reservations WHERE state = 'confirmed'),
			(SELECT count(*) FROM (SELECT 1 FROM reservation.outbox WHERE subject = 'melmastoon.reservation.confirmed.v1'
				GROUP BY ordering_key HAVING count(*) > 1) AS again)`).Scan(&confirmed, &twice))
	check.Equal(t, confirmed, len(c.Done()))
	check.Equal(t, twice, 0)
	for _, g := range c.Done() {
		if end := g.End(); end.State != "confirmed" || end.Reservation != "confirmed" {
			t.Errorf("%s was confirmed to the guest and is %+v", g.DraftID, end)
		}
	}
}
