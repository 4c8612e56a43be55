package fn

import (
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// An Answer is the status of a successful call.
type Answer int

// The successful statuses. If a function has several, a [Reply] in its response selects one.
const (
	OK Answer = iota
	Created
	Accepted
	NoContent
	SeeOther
	// BadRequest, NotFound and Unavailable are for a [Page], which shows an error to a person instead of a problem body.
	BadRequest
	NotFound
	Unavailable
)

func (a Answer) status() int {
	return [...]int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent, http.StatusSeeOther,
		http.StatusBadRequest, http.StatusNotFound, http.StatusServiceUnavailable}[a]
}

// A Reply sets the status and headers of an answer. A response embeds it with the tag `json:"-"`; it overrides Spec.Answer. The
// zero Reply sets nothing.
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

// Reply returns a Reply with only the status.
func (a Answer) Reply() Reply { return Reply{answer: a, given: true} }

// At returns a Reply with a Location: of the created resource, or of the redirect target.
func (a Answer) At(url string) Reply { return a.Reply().At(url) }

// Version returns a Reply with the version as its ETag.
func (a Answer) Version(v int64) Reply { return a.Reply().Version(v) }

// At sets Location: of the created resource, or of the redirect target.
func (r Reply) At(url string) Reply { r.location = url; return r }

// Version sets the ETag. A GET with a matching If-None-Match is answered 304.
func (r Reply) Version(v int64) Reply { r.etag = `"` + strconv.FormatInt(v, 10) + `"`; return r }

// FromCache sets X-Cache: HIT, MISS, STALE or BYPASS.
func (r Reply) FromCache(state string) Reply { r.cache = state; return r }

// Cached sets Cache-Control. The default is "private, no-cache" for an answer with an ETag, and "no-store" for others. An answer
// that sets a cookie for the middleware is always "no-store".
func (r Reply) Cached(control string) Reply { r.control = control; return r }

// Composed sets X-Bootstrap-Version. The client sends it back with later requests, so that a request based on an old bootstrap
// can be rejected.
func (r Reply) Composed(version string) Reply { r.composed = version; return r }

// After sets Retry-After, in whole seconds, for work that was accepted and is not finished yet.
func (r Reply) After(d time.Duration) Reply { r.after = d; return r }

// Language sets Content-Language, and adds Accept-Language to Vary.
func (r Reply) Language(tag string) Reply { r.language = tag; return r.Varies("Accept-Language") }

// Varies adds request headers that the answer depends on to Vary.
func (r Reply) Varies(headers ...string) Reply {
	r.varies = slices.Concat(r.varies, headers)
	return r
}

// negotiated returns the Reply of an answer that is sent in one of several encodings: its ETag is weak, because one version has
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

// ContinueAs makes the browser continue as another caller: the middleware sets that caller's cookie, also on replays of the
// answer.
func (r Reply) ContinueAs(caller string) Reply { r.caller = caller; return r }

// Forget makes the browser delete the cookie with the name, path and domain of c.
func (r Reply) Forget(c *http.Cookie) Reply {
	gone := *c
	gone.Value, gone.MaxAge = "", -1
	return r.Keep(&gone)
}

// reply makes every response that embeds a Reply a replier.
func (r Reply) reply() Reply { return r }

type replier interface{ reply() Reply }

// Nothing is an empty body: a request without fields, or an answer with status 204 unless Spec.Answer sets another.
type Nothing struct{}

// A Page is an HTML answer: a template and its data.
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
