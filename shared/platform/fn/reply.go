package fn

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// An Answer is the status of a successful call. The zero Answer is OK.
type Answer int

// The successful statuses. If a function has several, a [Reply] in its response selects one.
const (
	OK                Answer = http.StatusOK
	Created           Answer = http.StatusCreated
	Accepted          Answer = http.StatusAccepted
	NoContent         Answer = http.StatusNoContent
	SeeOther          Answer = http.StatusSeeOther
	TemporaryRedirect Answer = http.StatusTemporaryRedirect // with the same method and body, so a form is sent to the target
)

// The statuses of a [Page] that shows an error to a person instead of a problem body.
const (
	BadRequest  Answer = http.StatusBadRequest
	NotFound    Answer = http.StatusNotFound
	TooMany     Answer = http.StatusTooManyRequests
	Unavailable Answer = http.StatusServiceUnavailable
)

// A Reply sets the status and headers of an answer. A response embeds it with the tag `json:"-"`; it overrides Spec.Answer. The
// zero Reply sets nothing.
type Reply struct {
	answer     Answer
	header     http.Header
	continueAs string
}

// Reply returns a Reply with only the status.
func (a Answer) Reply() Reply { return Reply{answer: cmp.Or(a, OK)} }

// At returns a Reply with a Location: of the created resource, or of the redirect target.
func (a Answer) At(url string) Reply { return a.Reply().At(url) }

// Version returns a Reply with the version as its ETag.
func (a Answer) Version(v int64) Reply { return a.Reply().Version(v) }

// Set sets a header. It ignores an empty value.
func (r Reply) Set(name, value string) Reply {
	if value != "" {
		r.header = r.headers()
		r.header.Set(name, value)
	}
	return r
}

// At sets Location: of the created resource, or of the redirect target.
func (r Reply) At(url string) Reply { return r.Set("Location", url) }

// Version sets the ETag. A GET with a matching If-None-Match is answered 304.
func (r Reply) Version(v int64) Reply { return r.Set("Etag", etag(v)) }

// FromCache sets X-Cache: HIT, MISS, STALE or BYPASS.
func (r Reply) FromCache(state string) Reply { return r.Set("X-Cache", state) }

// Cached sets Cache-Control. The default is "private, no-cache" for an answer with an ETag, and "no-store" for others. An answer
// that sets a cookie for the middleware is always "no-store".
func (r Reply) Cached(control string) Reply { return r.Set("Cache-Control", control) }

// After sets Retry-After, in whole seconds, for work that was accepted and is not finished yet.
func (r Reply) After(d time.Duration) Reply { return r.Set("Retry-After", strconv.Itoa(seconds(d))) }

// Language sets Content-Language, and adds Accept-Language to Vary.
func (r Reply) Language(tag string) Reply {
	return r.Set("Content-Language", tag).Varies("Accept-Language")
}

// Varies adds request headers that the answer depends on to Vary.
func (r Reply) Varies(headers ...string) Reply {
	if before := r.header.Get("Vary"); before != "" {
		headers = slices.Concat([]string{before}, headers)
	}
	return r.Set("Vary", strings.Join(headers, ", "))
}

// Keep adds a cookie to the answer.
func (r Reply) Keep(c *http.Cookie) Reply {
	cookies := append(slices.Clone(r.header["Set-Cookie"]), c.String())
	r = r.Set("Set-Cookie", c.String())
	r.header["Set-Cookie"] = cookies
	return r
}

// ContinueAs makes the browser continue as another caller: the middleware sets that caller's cookie, also on replays of the
// answer.
func (r Reply) ContinueAs(caller string) Reply {
	r.continueAs = caller
	return r
}

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

	// FormTargets are URLs on other origins to which the page's forms may lead. Browsers also apply form-action to the redirect
	// after a form (CSP 3, section 6.4.2), so the targets of such redirects are listed, too.
	FormTargets []string
}

// policy allows the page its own styles, images and forms, the form targets, and no scripts.
func (p Page) policy() string {
	targets := []string{"'self'"}
	for _, target := range p.FormTargets {
		if u, err := url.Parse(target); err == nil && u.Host != "" {
			targets = append(targets, u.Scheme+"://"+u.Host)
		}
	}
	return "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action " +
		strings.Join(targets, " ")
}

// A JSON is an answer that is already encoded.
type JSON struct {
	Reply
	Body jsontext.Value
}

// A File is an answer with a body of any media type.
type File struct {
	Reply
	Type string
	Body []byte
}

// A Match holds the ETags of an If-Match or If-None-Match header (RFC 9110, section 13.1.1). Its zero value, and "*", match every version.
type Match struct{ tags []string }

// UnmarshalText parses a list of ETags, or "*". An ETag with an unknown or invalid form matches no version.
func (m *Match) UnmarshalText(text []byte) error {
	m.tags = nil
	if strings.TrimSpace(string(text)) == "*" {
		return nil
	}
	for tag := range strings.SplitSeq(string(text), ",") {
		// A proxy that compresses responses makes an ETag weak, so W/ is accepted.
		m.tags = append(m.tags, strings.TrimPrefix(strings.TrimSpace(tag), "W/"))
	}
	return nil
}

// Allows reports whether the header is absent, or lists the ETag that [Reply.Version] makes of the version.
func (m Match) Allows(version int64) bool { return m.matches(etag(version)) }

func (m Match) matches(etag string) bool { return m.tags == nil || slices.Contains(m.tags, etag) }

// etag returns the ETag of a version.
func etag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }
