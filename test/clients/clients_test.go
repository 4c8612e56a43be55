// Package clients tests the TypeScript client in schemas/http/client against the OpenAPI documents and a running system.
package clients

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/test/npm"
	"melmastoon.ghasi.io/test/system"
)

const (
	root    = "../.."
	http    = "schemas/http"
	events  = "schemas/events"
	client  = http + "/client/typescript"
	sources = client + "/src/generated"
)

// copyPackage returns a temporary tree with copies of the client, of the OpenAPI documents and of the schemas of events, and with the npm packages of the client.
func copyPackage(t *testing.T) string {
	t.Helper()
	packages := npm.Install(t, root, filepath.Join(root, client))
	tree := t.TempDir()
	folder := filepath.Join(tree, client)
	for _, entry := range read(t, filepath.Join(root, client)) {
		if entry.Name() == "node_modules" || entry.Name() == "dist" {
			continue
		}
		if !entry.IsDir() {
			copyFile(t, filepath.Join(root, client, entry.Name()), filepath.Join(folder, entry.Name()))
			continue
		}
		if err := os.CopyFS(filepath.Join(folder, entry.Name()), os.DirFS(filepath.Join(root, client, entry.Name()))); err != nil {
			t.Fatal(err)
		}
	}
	for _, entry := range read(t, filepath.Join(root, http)) {
		if strings.HasSuffix(entry.Name(), ".yaml") {
			copyFile(t, filepath.Join(root, http, entry.Name()), filepath.Join(tree, http, entry.Name()))
		}
	}
	if err := os.CopyFS(filepath.Join(tree, events), os.DirFS(filepath.Join(root, events))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return tree
}

func read(t *testing.T, folder string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// generated returns the text of the files in src/generated of a tree, by name.
func generated(t *testing.T, tree string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, entry := range read(t, filepath.Join(tree, sources)) {
		text, err := os.ReadFile(filepath.Join(tree, sources, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(text)
	}
	return files
}

// TestTypeScript_generated generates src/generated from the OpenAPI documents and compares it with the committed files. With
// WRITE_CLIENTS=1 it overwrites them.
func TestTypeScript_generated(t *testing.T) {
	t.Parallel()
	var c struct {
		Write bool `env:"WRITE_CLIENTS"`
	}
	if err := env.System().Load(&c); err != nil {
		t.Fatal(err)
	}
	tree := copyPackage(t)
	npm.Run(t, filepath.Join(tree, client), "node", "generate.mjs")
	want := generated(t, tree)
	if c.Write {
		for name, text := range want {
			if err := os.WriteFile(filepath.Join(root, sources, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(want, generated(t, root)); diff != "" {
		t.Errorf("the client differs from the documents; run WRITE_CLIENTS=1 go test ./test/clients -run generated (-want +got):\n%s", diff)
	}
}

// TestTypeScript_attributes requires .gitattributes to list the generated files below their command.
func TestTypeScript_attributes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, ".gitattributes"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "# WRITE_CLIENTS=1 go test ./test/clients -run generated\n" + sources + "/*.ts linguist-generated\n"
	if !strings.Contains(string(text), want) {
		t.Errorf("got %s, want %s in it", text, want)
	}
}

// TestTypeScript_noticesChange changes a document: the generated files must differ.
func TestTypeScript_noticesChange(t *testing.T) {
	t.Parallel()
	tree := copyPackage(t)
	document := filepath.Join(tree, http, "tenantbooking.yaml")
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "RESERVATION.HOLD_EXPIRED", "RESERVATION.HOLD_LAPSED", 1)
	if err := os.WriteFile(document, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	npm.Run(t, filepath.Join(tree, client), "node", "generate.mjs")
	if got := generated(t, tree)["tenantbooking.ts"]; !strings.Contains(got, "MELMASTOON.RESERVATION.HOLD_LAPSED") {
		t.Error("the generated problems do not have the new code")
	}
}

// TestTypeScript_bookRoom compiles the client, runs its unit tests, and books a room with it on Node: search, handoff, quote, hold, guest
// details, payment, confirmation. Then it consumes the events.
func TestTypeScript_bookRoom(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(copyPackage(t), client)
	npm.Run(t, folder, "node", "node_modules/typescript/bin/tsc", "-p", "tsconfig.json", "--noEmit") // src must compile without the types of Node
	npm.Run(t, folder, "node", "node_modules/typescript/bin/tsc", "-p", "tsconfig.test.json")
	npm.Run(t, folder, "node", "--test", "dist/test/")
	s := system.Open(t)
	output := npm.Run(t, folder, "node", "dist/example/journey.js", s.Cloud.URL())
	lines := strings.Split(strings.TrimSpace(output), "\n")
	last := lines[len(lines)-1]
	code, ok := strings.CutSuffix(strings.TrimPrefix(last, "booked: "), ", confirmed")
	if !ok {
		t.Fatalf("the last line is %q, want a confirmed booking:\n%s", last, output)
	}
	var state string
	if err := s.DB.Owner(t).QueryRow(t.Context(), `SELECT state FROM reservation.reservations WHERE code = $1`, code).Scan(&state); err != nil {
		t.Fatal(err)
	}
	if state != "confirmed" {
		t.Errorf("%s is %s, want confirmed", code, state)
	}
	s.Settle()
	s.PublishAgain("melmastoon.reservation.confirmed.v1")
	consumed := npm.Run(t, folder, "node", "dist/example/consumer.js", s.Cloud.URL(), "2")
	if strings.Count(consumed, "confirmed: rsv_") != 1 {
		t.Errorf("the consumer printed %q, want one confirmed reservation for two deliveries of its event", consumed)
	}
}

// TestTypeScript_install installs the client from its folder into another project, as its README describes, and imports it there.
func TestTypeScript_install(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(copyPackage(t), client)
	if err := os.Remove(filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	npm.Run(t, folder, "npm", "ci")
	project := t.TempDir()
	npm.Run(t, project, "npm", "init", "-y")
	npm.Run(t, project, "npm", "install", folder)
	got := npm.Run(t, project, "node", "--input-type=module", "-e", `import { directionOf } from "@melmastoon/client"; console.log(directionOf("ps-AF"))`)
	if strings.TrimSpace(got) != "rtl" {
		t.Errorf("directionOf(ps-AF) = %q, want rtl", got)
	}
}

// TestTypeScript_noDependencies checks that installing the client installs no other package, and that each document has a client.
func TestTypeScript_noDependencies(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, client, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{`"dependencies"`, `"peerDependencies"`, `"optionalDependencies"`} {
		t.Run(member, func(t *testing.T) {
			if strings.Contains(string(text), member) {
				t.Errorf("package.json has %s", member)
			}
		})
	}
	names := slices.Sorted(maps.Keys(generated(t, root)))
	if want := []string{"consumer.ts", "events.ts", "reservation.ts", "tenantbooking.ts"}; !slices.Equal(names, want) {
		t.Errorf("src/generated has %v, want %v", names, want)
	}
}
