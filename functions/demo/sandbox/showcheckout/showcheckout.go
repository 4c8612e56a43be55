// Package showcheckout serves the page where a guest pays and sees the outcome.
package showcheckout

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strconv"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/payment"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// Function serves GET /sandbox/payment/v1/checkout/{intentId}, an HTML page without scripts.
var Function = sandbox.Public(fn.Spec{ // anyone with the page's address may pay
	Name:     "sandbox-showcheckout",
	Route:    "GET /sandbox/payment/v1/checkout/{intentId}",
	Siblings: []string{"POST"},
	Uses:     fn.Uses{fn.Postgres},
	Timeout:  2 * time.Second,
}, New)

// A Request names an intent.
type Request struct {
	Intent id.Intent           `path:"intentId"`
	Before fn.Maybe[time.Time] `query:"before"`
}

//go:embed page.html
var page string

//go:embed page.css
var style string

type handler struct {
	intents    payment.Intents
	tenants    directory.Tenants
	page       *template.Template
	dictionary dictionary
	policy     string
}

// New returns the handler with its stores and clients.
func New(e env.Env) (fn.Serve[Request, fn.Page], error) {
	parsed, err := template.New("checkout").Parse(page)
	if err != nil {
		return nil, err
	}
	dictionary, err := readDictionary()
	// The content security policy allows only the page's one style sheet, by its hash.
	sum := sha256.Sum256([]byte(style))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'"
	return (&handler{intents: payment.OpenIntents(e), tenants: directory.OpenTenants(e), page: parsed, dictionary: dictionary, policy: policy}).show, err
}

// A view holds the data of the page.
type view struct {
	payment.Intent
	Before        time.Time
	Words         words
	Hotel, Amount string
	AttemptsLeft  string
	Style         template.CSS
	Policy        string
}

func (h *handler) show(ctx context.Context, c fn.Call[Request]) (out fn.Page, err error) {
	i, err := h.intents.Get(ctx, c.In.Intent)
	if err != nil {
		return out, err
	}
	name, zone, err := h.tenants.Face(ctx, i.Tenant)
	if err != nil {
		return out, err
	}
	amount, err := i.Price()
	if err != nil {
		return out, err
	}
	w := h.dictionary.choose(i.ReturnURL, c.Header.Get("Accept-Language"), zone)
	return fn.Page{Reply: fn.OK.Reply().Language(string(w.Tag)), Template: h.page, FormTargets: []string{i.ReturnURL}, Data: view{
		Intent: i, Before: deadline(c.In.Before, i.ExpiresAt, c.Now), Words: w, Hotel: w.In(name),
		Amount:       w.T("money", w.Digits(amount), w.T(string(i.Currency))),
		AttemptsLeft: w.Digits(strconv.Itoa(payment.MaxDeclines - i.Attempts)), Style: template.CSS(style), Policy: h.policy, //nolint:gosec // our own style sheet
	}}, nil
}
