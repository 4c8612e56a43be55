package browser

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
	"melmastoon.ghasi.io/test/npm"
	"melmastoon.ghasi.io/test/system"
)

// TestStarter checks the types of the starter for front-end developers, builds it, and books a room on it behind its own proxy.
func TestStarter(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	folder := buildStarter(t)
	port := freePort(t)
	home := fmt.Sprintf("http://localhost:%d/%s", port, demo.KabulGrand.Slug)
	db := pgtest.New(t)
	s := system.Within(t, db, db.Env().With("TENANT_RETURN_URL", fmt.Sprintf("http://localhost:%d/{slug}/return/{draftId}", port)))
	serveStarter(t, folder, port, s.Cloud.URL())
	g := openBrowser(t, s, journey{language: "starter", method: "card", asks: "en", scripts: true, width: narrow})
	g.size(narrow, height)
	g.do("open "+home, chromedp.Navigate(home))
	g.do("see the dates", chromedp.WaitVisible(chromedp.CSS("#search")))
	g.tick("#search button")
	g.do("see the rooms", chromedp.WaitVisible(chromedp.CSS("#rooms button")))
	g.screenshot("rooms")
	g.tick("#rooms button")
	g.do("see the form", chromedp.WaitVisible(chromedp.CSS("#details")))
	for name, text := range map[string]string{"firstName": "Zarghona", "lastName": "Ahmadzai", "email": "z.ahmadzai@example.com", "phone": "+93700123456"} {
		g.typeText(`[name="`+name+`"]`, text)
	}
	g.screenshot("details")
	g.press("#details button")
	g.do("see the payment page", chromedp.WaitVisible(chromedp.CSS(`button[name="action"][value="pay"]`)))
	g.press(`button[name="action"][value="pay"]`)
	g.do("see the booking", chromedp.WaitVisible(chromedp.CSS("#confirmation")))
	g.screenshot("confirmation")
	if at, code, state := g.address(), g.text("#confirmation h1"), g.text("#state"); !strings.HasPrefix(at, home+"/return/bdr_") || !strings.HasPrefix(code, "GM-") || state != "confirmed" {
		t.Errorf("at %s the booking is %s, %s, want it confirmed at %s/return/", at, code, state, home)
	}
	for _, complaint := range g.errors.all() {
		t.Errorf("the browser says: %s", complaint)
	}
	s.Settle()
}

// buildStarter returns a copy of the starter beside a copy of the client, with its npm packages and its built pages.
func buildStarter(t *testing.T) string {
	t.Helper()
	client := filepath.Join(root(t), "schemas", "http", "client", "typescript")
	packages := npm.Install(t, root(t), filepath.Join(client, "starter"))
	tree := t.TempDir()
	folder := filepath.Join(tree, "starter")
	for _, part := range []string{"src", filepath.Join("starter", "src")} {
		if err := os.CopyFS(filepath.Join(tree, part), os.DirFS(filepath.Join(client, part))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"index.html", "package.json", "tsconfig.json", "vite.config.ts"} {
		text, err := os.ReadFile(filepath.Join(client, "starter", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	npm.Run(t, folder, "node", "node_modules/typescript/bin/tsc")
	npm.Run(t, folder, "node", "node_modules/vite/bin/vite.js", "build")
	return folder
}

// serveStarter serves the built pages at a port, with the proxy of their Vite configuration to the backend.
func serveStarter(t *testing.T, folder string, port int, backend string) {
	t.Helper()
	var output bytes.Buffer
	command := exec.Command("node", "node_modules/vite/bin/vite.js", "preview", "--strictPort", fmt.Sprint("--port=", port))
	command.Dir, command.Stdout, command.Stderr = folder, &output, &output
	command.Env = append(os.Environ(), "MELMASTOON_URL="+backend)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()
	})
	for deadline := time.Now().Add(timeout); ; time.Sleep(100 * time.Millisecond) {
		res, err := http.Get(fmt.Sprintf("http://localhost:%d/", port))
		if err == nil {
			_ = res.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the starter is not served: %v", err)
		}
	}
}

// freePort returns a port that no program uses.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
