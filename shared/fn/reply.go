package fn

import (
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// An Answer is the outcome of a call that went well.
type Answer int

// The outcomes. Where a function has several, a [Reply] in its response says which.
const (
	OK Answer = iota
	Created
	Accepted
	NoContent
	SeeOther
)

func (a Answer) status() int {
	return [...]int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent, http.StatusSeeOther}[a]
}

// A Reply is what an answer says besides its body. Embedded in a response, with the tag `json:"-"`, it overrules
// Spec.Answer. Its zero value says nothing.
type Reply struct {
	answer   Answer
	given    bool
	location string
	etag     string
	cache    string
	control  string
	composed string
	after    time.Duration
	language string
	varies   []string
	cookies  []string
}

// Reply is the bare answer as a Reply.
func (a Answer) Reply() Reply { return Reply{answer: a, given: true} }

// At tells where the thing made, or the next page, is found.
func (a Answer) At(url string) Reply { return a.Reply().At(url) }

// Version tells which version the answer shows.
func (a Answer) Version(v int64) Reply { return a.Reply().Version(v) }

// At tells where the thing made, or the next page, is found.
func (r Reply) At(url string) Reply { r.location = url; return r }

// Version becomes the ETag; a GET that has it already is answered 304.
func (r Reply) Version(v int64) Reply { r.etag = `"` + strconv.FormatInt(v, 10) + `"`; return r }

// FromCache tells how the answer was found: HIT, MISS, STALE or BYPASS.
func (r Reply) FromCache(state string) Reply { r.cache = state; return r }

// Cached says who may keep the answer and how long, as Cache-Control does. Unsaid, nobody may.
func (r Reply) Cached(control string) Reply { r.control = control; return r }

// Composed tells a client which composition it was given, so that it can say so later.
func (r Reply) Composed(version string) Reply { r.composed = version; return r }

// After tells when it is worth asking again: what was accepted is not done yet.
func (r Reply) After(d time.Duration) Reply { r.after = d; return r }

// Language says which language the answer is in, and that it was negotiated.
func (r Reply) Language(tag string) Reply { r.language = tag; return r.Varies("Accept-Language") }

// Varies names request headers that another answer may depend on.
func (r Reply) Varies(headers ...string) Reply {
	r.varies = slices.Concat(r.varies, headers)
	return r
}

// negotiated is what is said of an answer that has several forms, of which the caller is given one: which version it shows is
// then a weak validator.
func (r Reply) negotiated() Reply {
	if r.etag != "" {
		r.etag = "W/" + r.etag
	}
	return r.Varies("Accept-Encoding")
}

// Keep has the browser keep a cookie.
func (r Reply) Keep(c *http.Cookie) Reply {
	r.cookies = slices.Concat(r.cookies, []string{c.String()})
	return r
}

// Forget has the browser forget a cookie, which is known by its name, path and domain.
func (r Reply) Forget(c *http.Cookie) Reply {
	gone := *c
	gone.Value, gone.MaxAge = "", -1
	return r.Keep(&gone)
}

// reply makes every response that embeds a Reply a replier.
func (r Reply) reply() Reply { return r }

type replier interface{ reply() Reply }

// Nothing is an empty body: as a request, one that has no fields; as an answer, 204 unless the Spec says otherwise.
type Nothing struct{}

// A Page is an answer for a person: a template and what it shows.
type Page struct {
	Reply
	Template *template.Template
	Data     any
}

// A JSON is an answer that is already encoded.
type JSON struct {
	Reply
	Body jsontext.Value
}
