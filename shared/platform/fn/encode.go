package fn

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const instant = "2006-01-02T15:04:05.000Z"

// answerJSON defines the encoding of answers: members in a fixed order, times in UTC with milliseconds.
var answerJSON = json.JoinOptions(
	json.Deterministic(true),
	json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, t time.Time) error {
		return enc.WriteToken(jsontext.String(t.UTC().Format(instant)))
	})),
)

// encode turns the value that an act returned into an answer.
func encode(r *http.Request, c *record, usual Answer, out any) (answer, error) {
	var reply Reply
	if from, ok := out.(replier); ok {
		reply = from.reply()
	}
	if _, nothing := out.(Nothing); nothing && usual == OK {
		usual = NoContent
	}
	if !reply.given {
		reply.answer = usual
	}
	packed, isPacked := out.(packer)
	if isPacked {
		reply = reply.negotiated()
	}
	a := answer{Status: reply.answer.status(), Header: reply.headers()}
	if reply.unchanged(r, a.Status) {
		a.Status = http.StatusNotModified
	}
	if bodiless(a.Status) {
		return a, nil
	}
	if isPacked && packed.packed().pack != nil {
		return encodePacked(r, c, a, packed.packed())
	}
	return encodeBody(a, out)
}

func bodiless(status int) bool {
	return status == http.StatusNoContent || status == http.StatusNotModified || status == http.StatusSeeOther
}

// headers returns the headers that the Reply sets.
func (r Reply) headers() http.Header {
	h := make(http.Header, 5)
	if r.location != "" {
		h["Location"] = []string{r.location}
	}
	if r.cache != "" {
		h["X-Cache"] = []string{r.cache}
	}
	if r.etag != "" {
		h["Etag"] = []string{r.etag}
		h["Cache-Control"] = []string{"private, no-cache"} // may be stored, and must be revalidated each time
	}
	if r.composed != "" {
		h["X-Bootstrap-Version"] = []string{r.composed}
	}
	if r.after > 0 {
		h["Retry-After"] = []string{strconv.Itoa(seconds(r.after))}
	}
	if r.language != "" {
		h["Content-Language"] = []string{r.language}
	}
	if r.varies != nil {
		h["Vary"] = []string{strings.Join(r.varies, ", ")}
	}
	if r.cookies != nil {
		h["Set-Cookie"] = r.cookies
	}
	if r.caller != "" {
		h[continueAs] = []string{r.caller}
	}
	if r.control != "" {
		h["Cache-Control"] = []string{r.control}
	}
	return h
}

// unchanged reports whether the caller already has this version.
func (r Reply) unchanged(req *http.Request, status int) bool {
	known := req.Header.Get("If-None-Match")
	if r.etag == "" || known == "" || status != http.StatusOK || takesBody(req.Method) {
		return false
	}
	for one := range strings.SplitSeq(known, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(r.etag, "W/") {
			return true
		}
	}
	return false
}

// pagePolicy allows a page its own styles and images, and no scripts. It has no form-action, because browsers also apply that to
// the redirect after a form.
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"

// encodeBody adds the body to the answer.
func encodeBody(a answer, out any) (answer, error) {
	media := jsonType
	switch v := out.(type) {
	case Nothing, Reply:
		return a, nil
	case JSON:
		a.Body = v.Body
	case Page:
		var page bytes.Buffer
		if err := v.Template.Execute(&page, v.Data); err != nil {
			return answer{}, fmt.Errorf("fn: page: %w", err)
		}
		a.Header["Content-Security-Policy"] = []string{pagePolicy}
		a.Body, media = page.Bytes(), "text/html; charset=utf-8"
	default:
		body, err := json.Marshal(out, answerJSON)
		if err != nil {
			return answer{}, fmt.Errorf("fn: answer: %w", err)
		}
		a.Body = body
	}
	a.Header["Content-Type"] = []string{media}
	return a, nil
}
