package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/test/system"
)

// timeout bounds each thing that a guest waits for.
const timeout = 30 * time.Second

// Windows are as wide as on a small laptop, and as on a telephone.
const (
	wide   = 1000
	narrow = 390
	height = 800
)

// A pageLanguage is a language as a page declares it.
type pageLanguage struct{ lang, dir string }

var (
	english = pageLanguage{"en", "ltr"}
	pashto  = pageLanguage{"ps-AF", "rtl"}
)

// A guest is a person in front of a browser of their own.
type guest struct {
	journey
	t       *testing.T
	system  *system.System
	ctx     context.Context // of the browser's one window
	errors  *browserErrors
	folder  string // of the pictures
	taken   int
	pressed string // the last button
}

// openBrowser opens a browser with an empty profile. It closes with the test.
func openBrowser(t *testing.T, s *system.System, j journey, more ...chromedp.ExecAllocatorOption) *guest {
	t.Helper()
	options := []chromedp.ExecAllocatorOption{
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("accept-lang", j.asks),
	}
	for _, quiet := range []string{"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage"} {
		options = append(options, chromedp.Flag(quiet, true))
	}
	options = append(options, more...)
	program, end := chromedp.NewExecAllocator(context.Background(), options...) // not the test's context: that is over before its cleanups
	t.Cleanup(end)
	window, _ := chromedp.NewContext(program, chromedp.WithErrorf(t.Logf))
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(window, timeout)
		defer stop()
		if err := chromedp.Cancel(ctx); err != nil {
			t.Errorf("the browser does not close: %v", err)
		}
	})
	g := &guest{journey: j, t: t, system: s, ctx: window, errors: &browserErrors{}, folder: artefacts(t)}
	if err := chromedp.Do(window); err != nil { // the browser lives as long as the context that it is started with
		t.Fatalf("the browser does not start: %v", err)
	}
	if err := chromedp.Listen(window, g.errors.record); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(window, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !j.scripts}); err != nil {
		t.Fatal(err)
	}
	return g
}

// artefacts is the folder for what a test leaves to look at: MELMASTOON_ARTEFACTS, or one in the module that git ignores.
func artefacts(t *testing.T) string {
	t.Helper()
	var c struct {
		Folder string `env:"MELMASTOON_ARTEFACTS"`
	}
	if err := env.System().Load(&c); err != nil {
		t.Fatal(err)
	}
	if c.Folder == "" {
		c.Folder = filepath.Join(root(t), ".local", "artefacts", "browser")
	}
	if err := os.MkdirAll(c.Folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return c.Folder
}

// root is the module's: the nearest folder upwards with a go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("outside of any module")
	return ""
}

// do runs steps in the browser, within timeout.
func (g *guest) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.ctx, timeout)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		g.fail(what, err)
	}
}

// fail ends the test and leaves a screenshot.
func (g *guest) fail(what string, err error) {
	g.t.Helper()
	g.screenshot("lost")
	g.t.Fatalf("%s: %v\nat %s %q", what, err, g.address(), g.errors.all())
}

func (g *guest) open(path string) {
	g.t.Helper()
	g.size(g.width, height)
	g.do("open "+path, chromedp.Navigate(g.system.Cloud.URL()+path))
}

func (g *guest) size(width, height int64) {
	g.t.Helper()
	g.do(fmt.Sprintf("make the window %d by %d", width, height), chromedp.EmulateViewport(width, height))
}

// press presses what leads to another page, and waits for that.
func (g *guest) press(button string) {
	g.t.Helper()
	g.follow("press "+button, chromedp.Click(chromedp.CSS(button)))
	g.pressed = button
}

// follow performs an action that leads to another page, and waits for its response.
func (g *guest) follow(what string, action chromedp.Action[chromedp.Void]) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.ctx, timeout)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, action); err != nil {
		g.fail(what, err)
	}
}

// setScenario makes the browser send a sandbox scenario with each request; "" removes it.
func (g *guest) setScenario(scenario string) {
	g.t.Helper()
	headers := network.Headers{}
	if scenario != "" {
		headers["X-Sandbox-Scenario"] = scenario
	}
	if _, err := chromedp.Call(g.ctx, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: headers}); err != nil {
		g.t.Fatal(err)
	}
}

func (g *guest) tick(box string) {
	g.t.Helper()
	g.do("tick "+box, chromedp.Click(chromedp.CSS(box)))
}

// fill chooses a value that is not typed: of a list, or of a calendar.
func (g *guest) fill(name, value string) {
	g.t.Helper()
	g.do("fill "+name, chromedp.SetValue(chromedp.CSS(`[name="`+name+`"]`), value))
}

func (g *guest) typeText(field, text string) {
	g.t.Helper()
	g.do("write "+field, chromedp.SendKeys(chromedp.CSS(field), text))
}

// ask reads something of the page.
func ask[T any](g *guest, what chromedp.Action[T]) T {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.ctx, timeout)
	defer cancel()
	answer, err := chromedp.Run(ctx, what)
	if err != nil {
		g.t.Fatal(err)
	}
	return answer
}

func (g *guest) text(selector string) string {
	g.t.Helper()
	return ask(g, chromedp.Text(chromedp.CSS(selector)))
}

func (g *guest) address() string {
	g.t.Helper()
	return ask(g, chromedp.Location())
}

// screenshot stores a picture of the window.
func (g *guest) screenshot(name string) {
	g.t.Helper()
	name = fmt.Sprintf("%s-%s-%d-%s.png", g.language, g.method, g.taken, name)
	if err := os.WriteFile(filepath.Join(g.folder, name), ask(g, chromedp.CaptureScreenshot()), 0o644); err != nil {
		g.t.Error(err)
	}
}
