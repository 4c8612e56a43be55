package archive_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io"
	"melmastoon.ghasi.io/scripts/bundle/archive"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func read(t *testing.T) *archive.Tree {
	t.Helper()
	return check.Got(archive.Read(t.Context(), filepath.Join("..", "..", ".."))).Must(t)
}

func bytesOf(t *testing.T, a archive.Archive) []byte {
	t.Helper()
	var b bytes.Buffer
	check.Got(a.WriteTo(&b)).Must(t)
	return b.Bytes()
}

func function(t *testing.T, name string) fn.Spec {
	t.Helper()
	i := slices.IndexFunc(melmastoon.Functions, func(f fn.Function) bool { return f.Spec.Name == name })
	if i < 0 {
		t.Fatalf("no function %s in the catalogue", name)
	}
	return melmastoon.Functions[i].Spec
}

func TestArchive_reproducible(t *testing.T) {
	t.Parallel()
	var made [2]archive.Archive
	for i := range made {
		a := check.Got(read(t).Function(t.Context(), function(t, "reservation-hold"), archive.Firestore)).Must(t)
		made[i] = a
	}
	if made[0].Object() != made[1].Object() || !bytes.Equal(bytesOf(t, made[0]), bytesOf(t, made[1])) {
		t.Errorf("two archives of one tree differ: %s and %s", made[0].Object(), made[1].Object())
	}
	made[1].Files["go.mod"] = append(made[1].Files["go.mod"], '\n')
	if made[0].Object() == made[1].Object() {
		t.Error("archives with different content have the same name")
	}
}

func TestArchive_neededPackagesOnly(t *testing.T) {
	t.Parallel()
	tree := read(t)
	for name, test := range map[string]struct {
		documents archive.Hot
		has, not  []string
	}{
		"sandbox-readtenant": {archive.Firestore, []string{"shared/platform/postgres/cloudsql/"},
			[]string{"shared/platform/document/firestore/", "shared/platform/topic/pubsub/", "shared/platform/identity/google/", "functions/reservation/", "catalogue.go"}},
		"tenantbooking-bootstrap": {archive.Firestore, []string{"shared/platform/document/firestore/", "shared/platform/topic/pubsub/", "shared/platform/identity/google/"},
			[]string{"shared/platform/document/redis/", "shared/platform/document/pg/", "functions/tenantbooking/hold/"}},
		"tenantbooking-hold":          {archive.Redis, []string{"shared/platform/document/redis/"}, []string{"shared/platform/document/firestore/"}},
		"reservation-paymentcaptured": {archive.Firestore, []string{"shared/platform/topic/pubsub/"}, []string{"shared/platform/document/firestore/"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := check.Got(tree.Function(t.Context(), function(t, name), test.documents)).Must(t)
			for path := range maps.Keys(a.Files) {
				if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "test/") {
					t.Errorf("%s contains the test %s", name, path)
				}
			}
			for _, prefix := range test.has {
				if !carries(a, prefix) {
					t.Errorf("%s lacks %s", name, prefix)
				}
			}
			for _, prefix := range test.not {
				if carries(a, prefix) {
					t.Errorf("%s contains %s, which it does not need", name, prefix)
				}
			}
		})
	}
}

func carries(a archive.Archive, prefix string) bool {
	for path := range a.Files {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

func TestSave_once(t *testing.T) {
	t.Parallel()
	a := check.Got(read(t).Job(t.Context(), melmastoon.Jobs[0])).Must(t)
	dir := t.TempDir()
	for range 2 {
		path := check.Got(a.Save(dir)).Must(t)
		check.Got(os.ReadFile(path)).Want(t, bytesOf(t, a), "%s does not hold the archive", path)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("got %d files, %v; want the archive alone", len(entries), err)
	}
}

func TestFunction_unknown(t *testing.T) {
	t.Parallel()
	if _, err := read(t).Function(t.Context(), fn.Spec{Name: "reservation-nothing"}, archive.Firestore); err == nil {
		t.Error("got an archive of a function that does not exist")
	}
}

// TestArchive_version checks that a deployed function or job can name its archive, and that the name does not depend on itself.
func TestArchive_version(t *testing.T) {
	t.Parallel()
	tree := read(t)
	job := check.Got(tree.Job(t.Context(), melmastoon.Jobs[0])).Must(t)
	hold := check.Got(tree.Function(t.Context(), function(t, "reservation-hold"), archive.Firestore)).Must(t)
	for _, a := range []archive.Archive{job, hold} {
		t.Run(a.Name, func(t *testing.T) {
			hash := strings.TrimSpace(string(a.Files["jobs/command/version/archive.txt"]))
			if want := a.Name + "-" + hash + ".zip"; hash == "" || a.Object() != want {
				t.Errorf("the archive is called %s, want %s", a.Object(), want)
			}
			a.Files["go.mod"] = append(a.Files["go.mod"], '\n')
			check.Lacks(t, a.Object(), hash)
		})
	}
}

// TestArchive_editedContract edits one file below schemas at a time, and wants only the archives that it concerns to change.
func TestArchive_editedContract(t *testing.T) {
	t.Parallel()
	tree := read(t)
	made := map[string]archive.Archive{}
	for _, f := range melmastoon.Functions {
		a := check.Got(tree.Function(t.Context(), f.Spec, archive.Firestore)).Must(t)
		made[f.Spec.Name] = a
	}
	for _, j := range melmastoon.Jobs {
		a := check.Got(tree.Job(t.Context(), j)).Must(t)
		made[a.Name] = a
	}
	const shown = "sandbox-showdocs" // it shows all contracts but the tables
	for edited, concerns := range map[string]func(name string) bool{
		"schemas/http/sandbox.yaml":                          func(name string) bool { return name == shown },
		"schemas/errors.json":                                func(name string) bool { return name == shown },
		"schemas/asyncapi.json":                              func(name string) bool { return name == shown },
		"schemas/postgres/reservation/0001_init.up.sql":      func(name string) bool { return name == "jobs-migrate" },
		"schemas/postgres/platform/0001_clock.up.sql":        func(name string) bool { return name == "jobs-migrate" },
		"schemas/events/melmastoon.tenant.suspended.v1.json": consumesOrPublishes("sandbox-", "melmastoon.tenant.suspended.v1"),
		"schemas/events/melmastoon.reservation.held.v1.json": consumesOrPublishes("reservation-", "melmastoon.reservation.held.v1"),
	} {
		t.Run(edited, func(t *testing.T) {
			found := false
			for name, a := range made {
				_, has := a.Files[edited]
				check.Equal(t, has, concerns(name), "%s contains it", name)
				found = found || has
			}
			if !found {
				t.Error("no archive contains it")
			}
		})
	}
}

// consumesOrPublishes returns whether an archive has the schema of an event: those of the functions of the service that publishes it and
// of its consumers, of the jobs that may append to an outbox, and of the pages about contracts.
func consumesOrPublishes(publisher, subject string) func(string) bool {
	return func(name string) bool {
		consumer := slices.ContainsFunc(melmastoon.Functions, func(f fn.Function) bool { return f.Spec.Name == name && f.Spec.Subject == subject })
		return strings.HasPrefix(name, publisher) || consumer || name == "sandbox-showdocs" ||
			strings.HasPrefix(name, "jobs-") && name != "jobs-keys" && name != "jobs-migrate"
	}
}
