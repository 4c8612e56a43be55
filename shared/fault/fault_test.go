package fault_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestFrom(t *testing.T) {
	t.Parallel()
	gone := fault.New(fault.Gone, "RESERVATION.HOLD_EXPIRED", "The hold has ended.")
	broken := errors.New("connection reset")
	for _, test := range []struct {
		name string
		err  error
		want *fault.Fault
		kind fault.Kind
	}{
		{"a fault is itself", gone, gone, fault.Gone},
		{"a wrapped fault keeps its code", fmt.Errorf("holds: get hld_1: %w", gone), gone, fault.Gone},
		{"a joined fault is found", errors.Join(broken, gone), gone, fault.Gone},
		{"an unknown error is internal", broken, fault.ErrInternal, fault.Internal},
		{"time that ran out is unavailable", fmt.Errorf("query: %w", context.DeadlineExceeded), fault.ErrUnavailable, fault.Unavailable},
		{"so is a caller that left", context.Canceled, fault.ErrUnavailable, fault.Unavailable},
		{"a fault because time ran out is that fault", gone.Because(context.DeadlineExceeded), gone, fault.Gone},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := fault.From(test.err)
			check.Error(t, got, test.want)
			check.Equal(t, got.Kind, test.kind)
			check.Equal(t, got.Detail, test.want.Detail)
			if error(got) != test.err && !errors.Is(got, test.err) {
				t.Errorf("%v has lost its cause %v", got, test.err)
			}
		})
	}
	if got := fault.From(nil); got != nil {
		t.Errorf("From(nil) is %v, want nil", got)
	}
}

func TestFault_variantsAreCopies(t *testing.T) {
	t.Parallel()
	declared := fault.New(fault.Invalid, "X", "as declared")
	base := declared.With(fault.Violation{Pointer: "/a", Rule: "required"})
	one := base.With(fault.Violation{Pointer: "/b", Rule: "required"})
	two := base.With(fault.Violation{Pointer: "/c", Rule: "required"})
	check.Equal(t, one.Violations[1].Pointer, "/b", "variants share violations")
	check.Equal(t, two.Violations[1].Pointer, "/c", "variants share violations")
	check.Equal(t, len(base.Violations), 1, "variants share violations")
	shown := base.Showing(map[string]any{"a": 1})
	if more := shown.Showing(map[string]any{"b": 2}); len(more.Members) != 2 {
		t.Errorf("more.Members = %v, want two", more.Members)
	}
	if len(shown.Members) != 1 || base.Members != nil {
		t.Errorf("variants share members: %v, %v", shown.Members, base.Members)
	}
	changed := declared.Saying("otherwise").After(time.Second).Because(errors.New("cause"))
	check.Equal(t, changed.Detail, "otherwise")
	check.Equal(t, changed.RetryAfter, time.Second)
	if errors.Unwrap(changed) == nil {
		t.Error("errors.Unwrap(changed) = nil")
	}
	check.Equal(t, declared.Detail, "as declared", "the declared fault has changed")
	check.Equal(t, declared.RetryAfter, 0, "the declared fault has changed")
	if errors.Unwrap(declared) != nil {
		t.Errorf("the declared fault has changed: errors.Unwrap(declared) = %v, want nil", errors.Unwrap(declared))
	}
	if declared.Violations != nil {
		t.Errorf("the declared fault has changed: declared.Violations = %v, want nil", declared.Violations)
	}
	if !errors.Is(changed, declared) || errors.Is(changed, fault.ErrInternal) {
		t.Error("a variant must match its declaration, and nothing else")
	}
	check.Equal(t, changed.Error(), "X: otherwise: cause")
}

func TestRetriable(t *testing.T) {
	t.Parallel()
	for f, want := range map[*fault.Fault]bool{
		fault.ErrUnavailable:              true,
		fault.ErrUpstreamUnavailable:      true,
		fault.ErrIdempotencyInProgress:    true,
		fault.ErrVersionConflict:          false,
		fault.ErrInternal:                 false,
		fault.ErrValidation:               false,
		fault.New(fault.Timeout, "T", ""): true,
		fault.New(fault.TooMany, "M", ""): true,
	} {
		t.Run(f.Code, func(t *testing.T) { check.Equal(t, f.Retriable(), want) })
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	var zero fault.Kind
	check.Equal(t, zero.Status(), http.StatusInternalServerError, "status of the zero kind")
	seen := map[int]bool{}
	for k := fault.Internal; k <= fault.Timeout; k++ {
		if seen[k.Status()] || http.StatusText(k.Status()) == "" {
			t.Errorf("kind %d has status %d: unknown, or another kind's", k, k.Status())
		}
		seen[k.Status()] = true
		var titles []string
		for _, lang := range []string{"en", "ps", "fa", "ur", "ar"} {
			t.Run(lang, func(t *testing.T) {
				if title := k.Title(lang); title == "" || slices.Contains(titles, title) {
					t.Errorf("kind %d has no title of its own in %s: %q", k, lang, title)
				}
				titles = append(titles, k.Title(lang))
			})
		}
	}
	for _, k := range []fault.Kind{-1, fault.Timeout + 1} {
		t.Run(fmt.Sprint("kind ", k), func(t *testing.T) {
			check.Equal(t, k.Status(), http.StatusInternalServerError)
			check.Equal(t, k.Title("en"), fault.Internal.Title("en"))
		})
	}
}

func TestTitleLanguages(t *testing.T) {
	t.Parallel()
	for lang, same := range map[string]string{"fa-AF": "fa", "prs": "fa", "PS-af": "ps", "ar-AE": "ar", "de": "en", "": "en", "far": "en"} {
		t.Run(fmt.Sprintf("%q", lang), func(t *testing.T) {
			check.Equal(t, fault.NotFound.Title(lang), fault.NotFound.Title(same), "%q", lang)
		})
	}
}
