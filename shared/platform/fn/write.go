package fn

import (
	"maps"
	"net/http"
	"strconv"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn/ratelimit"
)

// hsts asks browsers to use HTTPS only, for two years.
const hsts = "max-age=63072000"

// security holds the headers of every answer, including errors. Pages override some of them.
var security = map[string][]string{
	"X-Content-Type-Options":       {"nosniff"},
	"Referrer-Policy":              {"no-referrer"},
	"Strict-Transport-Security":    {hsts + "; includeSubDomains"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Content-Security-Policy":      {"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	"Cache-Control":                {"no-store"},
}

// write sends an answer. No other function writes to the client.
func write(w http.ResponseWriter, c *record, a answer) {
	h := c.header
	maps.Copy(h, security)
	if !c.ours { // hosts below a tenant's domain that are not ours must not be affected
		h["Strict-Transport-Security"] = []string{hsts}
	}
	varies, cookies := h["Vary"], h["Set-Cookie"] // set before the act, and valid for every answer
	maps.Copy(h, a.Header)
	if varies != nil {
		h["Vary"] = append(varies, a.Header["Vary"]...)
	}
	if cookies != nil {
		h["Set-Cookie"] = append(cookies, a.Header["Set-Cookie"]...)
		h["Cache-Control"] = security["Cache-Control"] // a shared cache must not store this caller's cookie
	}
	ratelimit.SetHeaders(h, c.limits[:]...)
	h["X-Request-Id"] = []string{c.line.RequestID}
	if a.Status != http.StatusNoContent && a.Status != http.StatusNotModified {
		h["Content-Length"] = []string{strconv.Itoa(len(a.Body))}
	}
	if c.unread {
		c.readUntil(env.Deadline(drainTime))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // the caller may have left
}
