package console

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"melmastoon.ghasi.io/jobs/timeline/booking"
	"melmastoon.ghasi.io/schemas"
)

// A problem is the content of an error page.
type problem struct {
	Status int
	Text   string
}

// A view is the input of the frame around each page.
type view struct {
	Page    string // the name of the template
	Path    string
	Token   string
	Now     time.Time
	Offset  time.Duration // of the clock
	Live    bool          // refresh when events are published, and while a change runs
	Content any
}

// live lists the pages that refresh themselves when events are published.
var live = map[string]bool{"home": true, "functions": true, "function": true, "events": true, "event": true, "booking": true, "outbox": true, "failures": true, "run": true}

func (c *Console) render(w http.ResponseWriter, r *http.Request, name string, content any) {
	v := view{Page: name, Path: r.URL.RequestURI(), Token: c.token, Now: c.Env.Now(), Offset: c.Env.Offset(), Live: live[name], Content: content}
	var text bytes.Buffer
	if err := templates()[name].ExecuteTemplate(&text, "frame.html", v); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, "The page %s cannot be shown: %v\n", name, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "+
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	if p, failed := content.(problem); failed {
		w.WriteHeader(p.Status)
	}
	_, _ = text.WriteTo(w) // fails if the client has disconnected
}

func cutHTML(name string) (string, bool) { return strings.CutSuffix(name, ".html") }

// A tab is a page in the navigation.
type tab struct{ Page, To, Text string }

var tabs = []tab{
	{"home", "/-/", "Start"},
	{"functions", "/-/functions", "Functions"},
	{"events", "/-/events", "Events"},
	{"booking", "/-/booking", "Booking"},
	{"outbox", "/-/outbox", "Outbox"},
	{"letters", "/-/letters", "Dead letters"},
	{"clock", "/-/clock", "Time"},
	{"failures", "/-/failures", "Failures"},
	{"hotels", "/-/hotels", "Hotels"},
}

// format holds the functions of the templates.
var format = template.FuncMap{
	"clock":   func(t time.Time) string { return t.UTC().Format("15:04:05.000") },
	"instant": instant,
	"ms":      func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) },
	"round":   func(d time.Duration) time.Duration { return d.Round(time.Second) },
	"plain":   plain,
	"short":   short,
	"nav":     func() []tab { return tabs },
	"kinds":   func() []string { return []string{"http", "event", "schedule"} },
	"late":    func(attempts int) bool { return attempts > booking.MaxEarly },
}

func instant(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// plain returns a subject without the common prefix and version.
func plain(subject string) string {
	return strings.TrimSuffix(strings.TrimPrefix(subject, "melmastoon."), ".v1")
}

// short returns the prefix and the last characters of an id.
func short(id string) string {
	const end = 6
	at := strings.LastIndexByte(id, '_')
	if at < 0 || len(id)-at <= end+2 {
		return id
	}
	return id[:at+1] + "…" + id[len(id)-end:]
}

// back returns the page of the console from which a form was sent.
func back(r *http.Request) string {
	from, err := url.Parse(r.PostFormValue("back"))
	if err != nil || from.Host != "" || from.Scheme != "" || !strings.HasPrefix(from.Path, "/-/") {
		return "/-/"
	}
	return from.RequestURI()
}

// document serves an OpenAPI document as text.
func document(w http.ResponseWriter, r *http.Request) {
	text, err := schemas.HTTP.ReadFile("http/" + r.PathValue("name"))
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(text) // fails if the client has disconnected
}
