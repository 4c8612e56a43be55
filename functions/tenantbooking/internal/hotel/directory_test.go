package hotel

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A roundTrip is a transport without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestFind_validNamesOnly(t *testing.T) {
	t.Parallel()
	for ref, asked := range map[string]bool{
		"kabul-grand-hotel":                 true,
		"Kabul-Grand-Hotel":                 true,
		"kabul-grand.example":               true,
		id.New[id.Tenant]().String():        true,
		"tnt_00000000000000000000000000":    false,
		"tnt_nobody":                        false,
		id.New[id.Property]().String():      false,
		"":                                  false,
		"-kabul":                            false,
		"kabul-":                            false,
		"kabul..example":                    false,
		"kabul/../herat":                    false,
		"kabul\x00":                         false,
		"کابل":                              false,
		strings.Repeat("a", 64):             false,
		strings.Repeat("kabul.", 50) + "af": false,
	} {
		t.Run(ref, func(t *testing.T) {
			t.Parallel()
			calls := 0
			e := env.Of(map[string]string{"UPSTREAM_TENANT_URL": "http://tenant"})
			e = upstream.TransportKey.With(e, roundTrip(func(*http.Request) (*http.Response, error) {
				calls++
				return nil, errors.New("no network")
			}))
			_, err := OpenTenants(e).Find(t.Context(), ref)
			check.Equal(t, calls > 0, asked, "%d calls of the tenant service", calls)
			check.NotEqual(t, errors.Is(err, ErrUnknownTenant), asked, "%s", fmt.Sprint(err))
		})
	}
}
