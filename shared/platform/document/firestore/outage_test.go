package firestore

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/testkit/check"
)

func TestOutage(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx  context.Context
		code codes.Code
		want error // nil: unchanged
	}{
		"away":                    {t.Context(), codes.Unavailable, fault.ErrUnavailable},
		"too much asked":          {t.Context(), codes.ResourceExhausted, fault.ErrUnavailable},
		"its own deadline":        {t.Context(), codes.DeadlineExceeded, fault.ErrUnavailable},
		"the caller has left":     {over, codes.Canceled, context.Canceled},
		"the caller has left too": {over, codes.Unavailable, context.Canceled},
		"not allowed":             {t.Context(), codes.PermissionDenied, nil},
		"no such database":        {t.Context(), codes.NotFound, nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := outage(test.ctx, status.Error(test.code, "of the service"))
			for _, kind := range []error{fault.ErrUnavailable, context.Canceled} {
				t.Run(fmt.Sprint(kind), func(t *testing.T) {
					if errors.Is(err, kind) != (kind == test.want) {
						t.Errorf("%s: got %v, want %v", name, err, test.want)
					}
				})
			}
		})
	}
}

func TestFirestore_withoutProject(t *testing.T) {
	t.Parallel()
	check.Fails(t, Open(env.Of(nil)).Delete(t.Context(), document.Name{Collection: "sessions", ID: "1"}), "no project")
}
