package fn

import (
	"net/http"
	"strconv"

	"melmastoon.ghasi.io/shared/platform/env"
)

// hsts asks browsers to use HTTPS only, for two years.
const hsts = "max-age=63072000"

// security holds what every answer says, errors too. Pages say more of their own and keep what they said.
var security = map[string][]string{
	"X-Content-Type-Options":       {"nosniff"},
	"Referrer-Policy":              {"no-referrer"},
	"Strict-Transport-Security":    {hsts + "; includeSubDomains"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Content-Security-Policy":      {"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	"Cache-Control":                {"no-store"},
}

// write sends an answer: the only place that does.
func write(w http.ResponseWriter, c *record, a answer) {
	h := c.header
	for name, value := range security {
		h[name] = value
	}
	if !c.ours { // what else there is below a hotel's own domain is not ours to decide about
		h["Strict-Transport-Security"] = []string{hsts}
	}
	varies, cookies := h["Vary"], h["Set-Cookie"] // already said before the act, and true whatever it answers
	for name, value := range a.Header {
		h[name] = value
	}
	if varies != nil {
		h["Vary"] = append(varies, a.Header["Vary"]...)
	}
	if cookies != nil {
		h["Set-Cookie"] = append(cookies, a.Header["Set-Cookie"]...)
		h["Cache-Control"] = security["Cache-Control"] // nobody else may be given this one's cookie
	}
	c.standings.tell(h)
	h["X-Request-Id"] = []string{c.line.RequestID}
	if a.Status != http.StatusNoContent && a.Status != http.StatusNotModified {
		h["Content-Length"] = []string{strconv.Itoa(len(a.Body))}
	}
	if c.unread {
		c.readUntil(env.Deadline(drainTime))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a caller who has left is no failure of ours
}
