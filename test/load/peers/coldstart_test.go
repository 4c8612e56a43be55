package peers

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"melmastoon.ghasi.io/scripts/bundle/archive"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/local/signing"
	"melmastoon.ghasi.io/shared/local/subprocess"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// hello is the smallest function there is.
const hello = `package function

import (
	"net/http"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
)

func init() {
	functions.HTTP("hello", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) })
}
`

// program is what the builder writes beside a function.
const program = `package main

import (
	"log"
	"net/http"
	"os"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
	_ "melmastoon.ghasi.io"
)

func main() {
	http.HandleFunc("/robots.txt", http.NotFound)
	http.HandleFunc("/favicon.ico", http.NotFound)
	if err := funcframework.Start(os.Getenv("PORT")); err != nil {
		log.Fatal(err)
	}
}
`

// build builds an archive as the builder does, with another root and without the drivers that are named: only so can what
// a driver costs be told from the rest.
func build(b *testing.B, a archive.Archive, root string, without ...string) string {
	b.Helper()
	dir := b.TempDir()
	for name, content := range a.Files {
		if name == "function.go" {
			if root == "" {
				root = string(content)
			}
			continue
		}
		save(b, filepath.Join(dir, name), content)
	}
	var kept []string
	for text := range strings.Lines(root) {
		drop := false
		for _, word := range without {
			drop = drop || strings.Contains(text, word)
		}
		if !drop {
			kept = append(kept, text)
		}
	}
	save(b, filepath.Join(dir, "function.go"), []byte(strings.Join(kept, "")))
	save(b, filepath.Join(dir, "functions.local/app/main.go"), []byte(program))
	command(b, dir, "mod", "tidy")
	command(b, dir, "build", "-trimpath", "-ldflags=-s -w", "-o", "program", "./functions.local/app")
	return filepath.Join(dir, "program")
}

func save(b *testing.B, path string, content []byte) {
	b.Helper()
	must(b, os.MkdirAll(filepath.Dir(path), 0o755))
	must(b, os.WriteFile(path, content, 0o600))
}

func command(b *testing.B, dir string, args ...string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// starts is the time from starting a program until it has answered, whatever it says.
func starts(name, path string) side {
	return func(b *testing.B) float64 {
		secret := make(cloud.Secret, 32)
		address, err := subprocess.FreeAddress()
		must(b, err)
		_, port, err := net.SplitHostPort(address)
		must(b, err)
		const nobody = "127.0.0.1:9"
		cmd := exec.Command(path)
		cmd.Env = []string{"PORT=" + port, "FUNCTION_TARGET=" + name, "GOOGLE_CLOUD_PROJECT=melmastoon-local",
			"DATABASE_URL=postgres://nobody:none@" + nobody + "/postgres?sslmode=disable",
			"FIRESTORE_EMULATOR_HOST=" + nobody, "PUBSUB_EMULATOR_HOST=" + nobody, "GCE_METADATA_HOST=" + nobody}
		for key, value := range cloud.Variables(secret, signing.NewIssuer(env.Of(nil), secret), "http://"+nobody) {
			cmd.Env = append(cmd.Env, key+"="+value)
		}
		// In the cloud keys are fetched when a token is there to be verified.
		cmd.Env = append(slices.Concat(cmd.Env, deployed), "IDENTITY_KEYS=https://"+nobody, "STAFF_KEYS=https://"+nobody)
		began := time.Now()
		p, err := subprocess.Start(cmd)
		must(b, err)
		err = answers(b.Context(), address, p.Done())
		took := time.Since(began).Seconds()
		must(b, p.End(syscall.SIGKILL))
		if err != nil {
			b.Fatalf("%s: %v", name, err)
		}
		return took
	}
}

// answers returns once the address has answered a request.
func answers(ctx context.Context, address string, ended <-chan struct{}) error {
	again := time.NewTicker(200 * time.Microsecond)
	defer again.Stop()
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			break
		}
		select {
		case <-ended:
			return fmt.Errorf("it has ended")
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/healthz", nil)
	if err != nil {
		return err
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// BenchmarkColdStart starts programs as they are deployed, and without some of their drivers. The first starts, which read
// the programs from the disk, do not count.
func BenchmarkColdStart(b *testing.B) {
	tree, err := archive.Read(b.Context(), filepath.Join("..", "..", ".."))
	must(b, err)
	packed := func(name string, uses ...fn.Use) archive.Archive {
		a, err := tree.Function(b.Context(), fn.Spec{Name: name, Subject: "an event", Uses: uses}, archive.Firestore)
		must(b, err)
		return a
	}
	packedEvent := packed("consumer-tenantsuspended", fn.Documents)
	site := packed("tenantbooking-bootstrap", fn.Postgres, fn.Documents, fn.Upstream("theme"))
	sides := []side{
		starts("hello", build(b, packedEvent, hello)),
		starts("consumer-tenantsuspended", build(b, packedEvent, "", "document")),
		starts("tenantbooking-bootstrap", build(b, site, "", "cloudsql", `shared/platform/postgres"`)),
		starts("tenantbooking-bootstrap", build(b, site, "")),
	}
	for _, first := range sides {
		first(b)
	}
	samples := alternate(b, rounds(21), sides...)
	for i, what := range []struct {
		name string
		most float64
	}{{"event-only", 1.5}, {"documents and Postgres", 2.5}, {"the same with cloudsqlconn, as deployed", 3}} {
		put(line{what: "cold start, " + what.name, ours: millis(samples[i+1]), peer: "hello-world function: " + millis(samples[0]),
			ratio: over(samples[i+1], samples[0]), most: what.most})
	}
}

func millis(seconds []float64) string { return fmt.Sprintf("%.1f ms", median(seconds)*1e3) }
