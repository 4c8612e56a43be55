package journeys

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/testkit/emulatortest"
	"melmastoon.ghasi.io/test/system"
)

// TestEmulators_program books and pays on the system that ./scripts/run --backend=emulators starts. Only
// Pub/Sub's push confirms the reservation; the test makes no call for it.
func TestEmulators_program(t *testing.T) {
	t.Parallel()
	emulatortest.Need(t)
	p := system.Install(t)
	p.Start("--backend=emulators")
	b := p.Book(system.Usual())
	a, err := p.Do(t.Context(), b.IntentRequest("card"))
	if err != nil || b.LearnIntent(a) != nil {
		t.Fatalf("intent: %d %s, %v", a.Status, a.Body, err)
	}
	if a, err := p.Do(t.Context(), b.PressRequest("pay")); err != nil || a.Status != http.StatusSeeOther {
		t.Fatalf("paying: %d %s, %v", a.Status, a.Body, err)
	}
	eventually(t, func() bool { return p.State(b) == "confirmed" })
	p.End(syscall.SIGTERM)
	if words, err := p.Fail("--backend=nowhere"); err == nil || !strings.Contains(words, "choose embedded or emulators") {
		t.Errorf("another backend: %v, %s", err, words)
	}
}

// eventually looks again at every tick, for longer than the relay takes that comes each minute.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	look, enough := time.NewTicker(50*time.Millisecond), time.After(2*time.Minute)
	defer look.Stop()
	for !ok() {
		select {
		case <-look.C:
		case <-enough:
			t.Fatal("waited in vain")
		}
	}
}
