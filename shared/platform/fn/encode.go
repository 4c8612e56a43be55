package fn

import (
	"bytes"
	"fmt"
	"net/http"
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
func encode(r *http.Request, usual Answer, out any) (answer, error) {
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
	a := answer{Status: reply.answer.status(), Header: reply.headers()}
	if reply.unchanged(r, a.Status) {
		a.Status = http.StatusNotModified
	}
	if bodiless(a.Status) {
		return a, nil
	}
	return encodeBody(a, out)
}

func bodiless(status int) bool {
	return status == http.StatusNoContent || status == http.StatusNotModified || status == http.StatusSeeOther || status == http.StatusTemporaryRedirect
}

// headers returns the headers of the answer.
func (r Reply) headers() http.Header {
	h := r.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if h["Etag"] != nil && h["Cache-Control"] == nil {
		h["Cache-Control"] = []string{"private, no-cache"} // may be stored, and must be revalidated each time
	}
	return h
}

// unchanged reports whether the caller already has this version.
func (r Reply) unchanged(req *http.Request, status int) bool {
	known, etag := req.Header.Get("If-None-Match"), r.header.Get("Etag")
	if etag == "" || known == "" || status != http.StatusOK || takesBody(req.Method) {
		return false
	}
	for one := range strings.SplitSeq(known, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return false
}

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
		a.Header["Content-Security-Policy"] = []string{v.policy()}
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
