package fn

import (
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// An Answer is the status of a call that went well.
type Answer int

// The outcomes. Where a function has several, a [Reply] in its response says which.
const (
	OK Answer = iota
	Created
	Accepted
	NoContent
	SeeOther
	// BadRequest, NotFound and Unavailable are for a [Page], which says to a person what a problem says to a program.
	BadRequest
	NotFound
	Unavailable
)

func (a Answer) status() int {
	return [...]int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent, http.StatusSeeOther,
		http.StatusBadRequest, http.StatusNotFound, http.StatusServiceUnavailable}[a]
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
	caller   string
}

// Reply is the bare answer as a Reply.
func (a Answer) Reply() Reply { return Reply{answer: a, given: true} }

// At is a Reply with a Location: of what was made, or of the page to go to.
func (a Answer) At(url string) Reply { return a.Reply().At(url) }

// Version is a Reply with that version as its ETag.
func (a Answer) Version(v int64) Reply { return a.Reply().Version(v) }

// At sets Location: of what was made, or of the page to go to.
func (r Reply) At(url string) Reply { r.location = url; return r }

// Version sets the ETag. A GET whose If-None-Match names it is answered 304.
func (r Reply) Version(v int64) Reply { r.etag = `"` + strconv.FormatInt(v, 10) + `"`; return r }

// FromCache sets X-Cache: HIT, MISS, STALE or BYPASS.
func (r Reply) FromCache(state string) Reply { r.cache = state; return r }

// Cached sets Cache-Control. Where it is not called, an answer with an ETag is "private, no-cache", any other "no-store"; one
// that sets a cookie for the middleware is always "no-store".
func (r Reply) Cached(control string) Reply { r.control = control; return r }

// Composed sets X-Bootstrap-Version. The client sends it back with later requests, so that one which goes by an old
// bootstrap can be refused.
func (r Reply) Composed(version string) Reply { r.composed = version; return r }

// After sets Retry-After, in whole seconds: when it is worth asking again, for what was accepted is not done yet.
func (r Reply) After(d time.Duration) Reply { r.after = d; return r }

// Language sets Content-Language, and adds Accept-Language to Vary.
func (r Reply) Language(tag string) Reply { r.language = tag; return r.Varies("Accept-Language") }

// Varies adds request headers to Vary: those that decide what is answered.
func (r Reply) Varies(headers ...string) Reply {
	r.varies = slices.Concat(r.varies, headers)
	return r
}

// negotiated is the Reply of an answer that is sent in one of several encodings: its ETag is weak, since one version has
// several bodies.
func (r Reply) negotiated() Reply {
	if r.etag != "" {
		r.etag = "W/" + r.etag
	}
	return r.Varies("Accept-Encoding")
}

// Keep adds a cookie to the answer.
func (r Reply) Keep(c *http.Cookie) Reply {
	r.cookies = slices.Concat(r.cookies, []string{c.String()})
	return r
}

// ContinueAs has the browser go on as another caller: the middleware gives it that caller's cookie, with each replay of the answer too.
func (r Reply) ContinueAs(caller string) Reply { r.caller = caller; return r }

// Forget has the browser delete the cookie with the name, path and domain of c.
func (r Reply) Forget(c *http.Cookie) Reply {
	gone := *c
	gone.Value, gone.MaxAge = "", -1
	return r.Keep(&gone)
}

// reply makes every response that embeds a Reply a replier.
func (r Reply) reply() Reply { return r }

type replier interface{ reply() Reply }

// Nothing is an empty body: a request without fields, or an answer with status 204 unless Spec.Answer is another.
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
