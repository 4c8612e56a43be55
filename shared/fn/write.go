package fn

import (
	"net/http"
	"strconv"

	"melmastoon.ghasi.io/shared/env"
)

// security holds what every answer says, errors too. Pages say more of their own and keep what they said.
var security = map[string][]string{
	"X-Content-Type-Options":       {"nosniff"},
	"Referrer-Policy":              {"no-referrer"},
	"Strict-Transport-Security":    {"max-age=63072000; includeSubDomains"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Content-Security-Policy":      {"default-src 'none'; frame-ancestors 'none'"},
	"Cache-Control":                {"no-store"},
}

// write sends an answer: the only place that does.
func write(w http.ResponseWriter, c *record, a answer) {
	h := c.header
	for name, value := range security {
		h[name] = value
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
