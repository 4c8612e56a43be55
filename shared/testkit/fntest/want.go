package fntest

import (
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

// Any is the value of a header that must be present.
const Any = "*"

// Read returns the body of an answer, decoded.
func Read[T any](t testing.TB, a Answer) (v T) {
	t.Helper()
	a.Into(t, &v)
	return v
}

// Want reports an error unless the answer has the status and the headers, which are given as names and values. The value "" means
// that the header is absent.
func (a Answer) Want(t testing.TB, status int, headers ...string) {
	t.Helper()
	check.Equal(t, a.Status, status, "status: %s", a.Body)
	for header := range slices.Chunk(headers, 2) {
		t.Helper() // the body of this loop is a function
		if got := strings.Join(a.Header.Values(header[0]), ", "); got != header[1] && (header[1] != Any || got == "") {
			t.Errorf("got header %s: %q, want %q", header[0], got, header[1])
		}
	}
}

// Must ends the test unless the answer has the status.
func (a Answer) Must(t testing.TB, status int) {
	t.Helper()
	if a.Status != status {
		t.Fatalf("got status %d, want %d: %s", a.Status, status, a.Body)
	}
}

// WantProblem reports an error unless the answer is a problem with the status, the code and the headers.
func (a Answer) WantProblem(t testing.TB, status int, code string, headers ...string) {
	t.Helper()
	a.Want(t, status, headers...)
	check.Equal(t, a.Code(), code, "code")
}

// WantText reports an error for each text that the body does not contain.
func (a Answer) WantText(t testing.TB, texts ...string) {
	t.Helper()
	check.Contains(t, string(a.Body), texts...)
}
