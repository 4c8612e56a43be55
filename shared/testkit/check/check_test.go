package check_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/testkit/check"
)

type room struct{ name string }

func TestFailures(t *testing.T) {
	t.Parallel()
	errFull := errors.New("full")
	for _, test := range []struct {
		name string
		run  func(testing.TB)
		want string // in the failure; empty if the check passes
	}{
		{"must_nil", func(t testing.TB) { check.Must(t, nil) }, ""},
		{"must_error", func(t testing.TB) { check.Must(t, errFull, "room %d", 7); t.Errorf("the test continues") }, "room 7: full"},
		{"no_error_nil", func(t testing.TB) { check.NoError(t, nil) }, ""},
		{"no_error_error", func(t testing.TB) { check.NoError(t, errFull) }, "got full, want no error"},
		{"error_wrapped", func(t testing.TB) { check.Error(t, fmt.Errorf("hold: %w", errFull), errFull) }, ""},
		{"error_nil", func(t testing.TB) { check.Error(t, nil, errFull, "hold") }, "hold: got error <nil>, want full"},
		{"error_unwanted", func(t testing.TB) { check.Error(t, errFull, nil) }, "got error full, want <nil>"},
		{"equal_text", func(t testing.TB) { check.Equal(t, "a", "a") }, ""},
		{"different_text", func(t testing.TB) { check.Equal(t, "a", "b", "name") }, `name: got "a", want "b"`},
		{"different_numbers", func(t testing.TB) { check.Equal(t, 1, 2) }, "got 1, want 2"},
		{"equal_structs", func(t testing.TB) { check.Equal(t, room{"a"}, room{"a"}) }, ""},
		{"different_structs", func(t testing.TB) { check.Equal(t, room{"a"}, room{"b"}) }, "(-want +got)"},
		{"nil_and_empty", func(t testing.TB) { check.Equal(t, nil, []string{}) }, ""},
		{"nil_and_empty_map", func(t testing.TB) { check.Equal(t, map[string]int{}, nil) }, ""},
		{"different_slices", func(t testing.TB) { check.Equal(t, []int{1}, []int{2}) }, "(-want +got)"},
		{"contains", func(t testing.TB) { check.Contains(t, "a room", "room") }, ""},
		{"contains_not", func(t testing.TB) { check.Contains(t, "a room", "room", "bed", "key") }, `got "a room", want "bed" in it` + "\n" + `got "a room", want "key" in it`},
		{"must_equal_different", func(t testing.TB) { check.MustEqual(t, 1, 2, "rooms"); t.Errorf("the test continues") }, "rooms: got 1, want 2"},
		{"not_zero", func(t testing.TB) { check.NotZero(t, "a") }, ""},
		{"zero", func(t testing.TB) { check.NotZero(t, "", "name") }, "name: got , want a value"},
		{"not_equal", func(t testing.TB) { check.NotEqual(t, 1, 2) }, ""},
		{"not_equal_same", func(t testing.TB) { check.NotEqual(t, 1, 1, "rooms") }, "rooms: got 1, want another value"},
		{"must_not_equal_same", func(t testing.TB) { check.MustNotEqual(t, 1, 1); t.Errorf("the test continues") }, "got 1, want another value"},
		{"fatal", func(t testing.TB) { t.Fatal("full") }, "full"},
		{"fail_now", func(t testing.TB) { t.FailNow() }, "failed"},
		{"lacks", func(t testing.TB) { check.Lacks(t, "a room", "bed") }, ""},
		{"lacks_not", func(t testing.TB) { check.Lacks(t, "a room", "bed", "room") }, `got "a room", want it without "room"`},
		{"fails", func(t testing.TB) { check.Fails(t, errFull) }, ""},
		{"fails_not", func(t testing.TB) { check.Fails(t, nil, "hold") }, "hold: got no error, want one"},
		{"got_must", func(t testing.TB) { check.Equal(t, check.Got(1, nil).Must(t), 1) }, ""},
		{"got_must_error", func(t testing.TB) { check.Got(0, errFull).Must(t); t.Errorf("the test continues") }, "full"},
		{"got_want", func(t testing.TB) { check.Got(1, nil).Want(t, 1) }, ""},
		{"got_want_different", func(t testing.TB) { check.Got(1, nil).Want(t, 2, "rooms") }, "rooms: got 1, want 2"},
		{"got_want_error", func(t testing.TB) { check.Got(1, errFull).Want(t, 1) }, "got full, want no error"},
		{"got_no_error", func(t testing.TB) { check.Got(1, nil).NoError(t) }, ""},
		{"got_no_error_error", func(t testing.TB) { check.Got(1, errFull).NoError(t, "hold") }, "hold: got full, want no error"},
		{"got_error", func(t testing.TB) { check.Got(1, errFull).Error(t, errFull) }, ""},
		{"got_error_not", func(t testing.TB) { check.Got(1, nil).Error(t, errFull) }, "got error <nil>, want full"},
		{"got_fails", func(t testing.TB) { check.Got(1, errFull).Fails(t) }, ""},
		{"got_fails_not", func(t testing.TB) { check.Got(1, nil).Fails(t) }, "got no error, want one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := check.Failures(t, test.run)
			diff := test.want == "(-want +got)" && strings.HasPrefix(got, test.want+"\n")
			if got != test.want && !diff {
				t.Errorf("got failure %q, want %q", got, test.want)
			}
		})
	}
}
