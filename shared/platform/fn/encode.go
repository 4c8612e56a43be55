package fn

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/platform/fn/decode"
)

// encode turns the value that an act returned into an answer.
func encode(r *http.Request, usual Answer, out any) (answer, error) {
	var reply Reply
	if from, ok := out.(replier); ok {
		reply = from.reply()
	}
	if _, nothing := out.(Nothing); nothing && usual == OK {
		usual = NoContent
	}
	a := answer{Status: int(cmp.Or(reply.answer, usual)), Header: reply.headers(), ContinueAs: reply.continueAs}
	if a.Header["Etag"] != nil && a.Header["Cache-Control"] == nil {
		a.Header["Cache-Control"] = []string{"private, no-cache"} // may be stored, and must be revalidated each time
	}
	if reply.unchanged(r, a.Status) {
		a.Status = http.StatusNotModified
	}
	if slices.Contains([]int{http.StatusNoContent, http.StatusNotModified, http.StatusSeeOther, http.StatusTemporaryRedirect}, a.Status) {
		return a, nil // without a body
	}
	return encodeBody(a, out)
}

// headers returns a copy of the headers.
func (r Reply) headers() http.Header {
	if r.header == nil {
		return http.Header{}
	}
	return r.header.Clone()
}

// unchanged reports whether the caller already has this version.
func (r Reply) unchanged(req *http.Request, status int) bool {
	known, etag := req.Header.Get("If-None-Match"), r.header.Get("Etag")
	if etag == "" || known == "" || status != http.StatusOK || decode.TakesBody(req.Method) {
		return false
	}
	var m Match
	return m.UnmarshalText([]byte(known)) == nil && m.matches(etag)
}

// encodeBody adds the body to the answer.
func encodeBody(a answer, out any) (answer, error) {
	media := "application/json"
	switch v := out.(type) {
	case Nothing, Reply:
		return a, nil
	case JSON:
		a.Body = v.Body
	case File:
		a.Body, media = v.Body, v.Type
	case Page:
		var page bytes.Buffer
		if err := v.Template.Execute(&page, v.Data); err != nil {
			return answer{}, fmt.Errorf("fn: page: %w", err)
		}
		a.Header["Content-Security-Policy"] = []string{v.policy()}
		a.Body, media = page.Bytes(), "text/html; charset=utf-8"
	default:
		var err error
		if a.Body, err = json.Marshal(out, event.Encoding); err != nil {
			return answer{}, fmt.Errorf("fn: answer: %w", err)
		}
	}
	a.Header["Content-Type"] = []string{media}
	return a, nil
}
