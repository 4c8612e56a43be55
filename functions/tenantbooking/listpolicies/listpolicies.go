// Package listpolicies shows what the guests of a hotel should know.
package listpolicies

import (
	"context"
	"hash/fnv"
	"time"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/shared/cache"
	"melmastoon.ghasi.io/shared/document"
	"melmastoon.ghasi.io/shared/env"
	"melmastoon.ghasi.io/shared/fn"
	"melmastoon.ghasi.io/shared/locale"
)

// Function answers GET /bff/tenant-booking/v1/{tenantSlug}/policies. It is the one route of the service whose answers shared caches keep.
var Function = tenantbooking.HTTP(fn.Spec{
	Name:    "tenantbooking-listpolicies",
	Route:   "GET " + tenantbooking.Base + "/policies",
	Uses:    fn.Uses{fn.Documents, fn.Upstream("property")},
	Timeout: time.Second,
}, New, tenantbooking.WithoutSession)

// A Request may name the language. Who is not asked gets what the browser would like.
type Request struct {
	Locale fn.Maybe[locale.Tag] `query:"locale"`
}

type content struct {
	Locale   locale.Tag                 `json:"locale"`
	Policies []tenantbooking.PolicyView `json:"policies"`
}

// A sheet is content as it is sent. It is written once for everybody who reads the language.
type sheet struct {
	body    []byte
	version int64
}

type shower struct {
	fronts *tenantbooking.Storefronts
	sheets cache.Forms[sheet]
}

// New builds the function from what its Spec says it uses.
func New(e env.Env) (tenantbooking.Serve[Request, fn.JSON], error) {
	return (&shower{tenantbooking.OpenStorefronts(e), cache.OpenForms[sheet](e, "policies")}).show, nil
}

// show says the language by the request alone: a shared cache knows nothing of the session.
func (s *shower) show(ctx context.Context, c tenantbooking.Call[Request]) (out fn.JSON, err error) {
	language, err := tenantbooking.AsksFor(c.In.Locale, c.Header, c.Tenant)
	if err != nil {
		return out, err
	}
	rules, state, mark, err := s.fronts.Rules(ctx, c.Tenant.ID)
	if err != nil {
		return out, err
	}
	write := func() (sheet, int, error) { return write(content{language, tenantbooking.ShowRules(rules, language)}) }
	shown, kept, err := s.sheets.Of(document.KeyOf(c.Tenant.ID.String(), string(language)), []cache.Mark{mark}, write)
	if !kept && err == nil {
		shown, _, err = write()
	}
	if err != nil {
		return out, err
	}
	out.Reply = fn.OK.Reply().Version(shown.version).Cached("public, max-age=300").FromCache(string(state)).Language(string(language))
	out.Body = shown.body
	return out, nil
}

// write also says how many bytes the sheet takes.
func write(c content) (sheet, int, error) {
	body, err := json.Marshal(c)
	sum := fnv.New64a()
	_, _ = sum.Write(body)
	return sheet{body, int64(sum.Sum64())}, len(body), err
}
