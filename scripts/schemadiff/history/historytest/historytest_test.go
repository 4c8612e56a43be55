package historytest_test

import (
	"runtime"
	"testing"

	"melmastoon.ghasi.io/scripts/schemadiff/history"
	"melmastoon.ghasi.io/scripts/schemadiff/history/historytest"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A listener notes how a test ends.
type listener struct {
	testing.TB
	end string
}

func (l *listener) Helper()     {}
func (l *listener) Skip(...any) { l.stop("skipped") }

func (l *listener) Fatal(...any)          { l.stop("failed") }
func (l *listener) Fatalf(string, ...any) { l.stop("failed") }

func (l *listener) stop(end string) {
	l.end = end
	runtime.Goexit()
}

func TestReleased(t *testing.T) {
	r := historytest.NewRepository(t)
	empty := r.Clone()
	r.Put("events/a.v1.json", "{}")
	list := "1.0 " + r.Commit() + "\n"
	r.Put(history.ListFile, list)
	r.Commit()
	shallow, wrong := r.Clone("--depth=1"), r.Clone()
	wrong.Put(history.ListFile, "1.0 main\n")
	for _, test := range []struct {
		name, root, required string
		want                 string
	}{
		{name: "clone", root: r.Root},
		{name: "shallow", root: shallow.Root, want: "skipped"},
		{name: "shallow_in_CI", root: shallow.Root, required: "1", want: "failed"},
		{name: "wrong_list", root: wrong.Root, want: "failed"},
		{name: "no_list", root: empty.Root, want: "failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("HISTORY_REQUIRED", test.required)
			l, ended := &listener{TB: t}, make(chan struct{})
			go func() {
				defer close(ended)
				historytest.Released(l, test.root)
			}()
			<-ended
			check.Equal(t, l.end, test.want)
		})
	}
}
