package console

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"melmastoon.ghasi.io/schemas"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// A functionRow is one function with its calls.
type functionRow struct {
	fn.Spec
	Sum
	Kind  string // http, event or schedule
	Where string // route, subject or schedule
	Next  time.Time
}

// functionsView is the content of the page of all functions.
type functionsView struct {
	Services      []string
	Service, Kind string // the filter
	Troubled      bool   // only functions with failures
	Rows          []functionRow
}

func (c *Console) row(f fn.Function) functionRow {
	row := functionRow{Spec: f.Spec, Sum: c.Calls.Of(f.Spec.Name), Kind: "http", Where: f.Spec.Route}
	switch {
	case f.Spec.Subject != "":
		row.Kind, row.Where = "event", f.Spec.Subject
	case f.Spec.Schedule != "":
		row.Kind, row.Where = "schedule", f.Spec.Schedule
		if schedule, err := cron.ParseStandard(f.Spec.Schedule); err == nil { // the cloud does not start with a wrong one
			row.Next = schedule.Next(c.Env.Now())
		}
	}
	return row
}

func (c *Console) functions(r *http.Request) (any, error) {
	q := r.URL.Query()
	v := functionsView{Service: q.Get("service"), Kind: q.Get("kind"), Troubled: q.Get("failed") != ""}
	for _, f := range c.Functions {
		if service := f.Spec.Service(); !slices.Contains(v.Services, service) {
			v.Services = append(v.Services, service)
		}
		row := c.row(f)
		if v.Service != "" && v.Service != f.Spec.Service() || v.Kind != "" && v.Kind != row.Kind || v.Troubled && row.Failed == 0 {
			continue
		}
		v.Rows = append(v.Rows, row)
	}
	slices.Sort(v.Services)
	return v, nil
}

func (c *Console) find(name string) (f fn.Function, err error) {
	at := slices.IndexFunc(c.Functions, func(f fn.Function) bool { return f.Spec.Name == name })
	if at < 0 {
		return f, fmt.Errorf("%w: there is no function %q", errUnknown, name)
	}
	return c.Functions[at], nil
}

func (c *Console) function(r *http.Request) (any, error) {
	f, err := c.find(r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	return c.row(f), nil
}

// tickNow calls a scheduled function at once.
func (c *Console) tickNow(r *http.Request) (string, change, error) {
	f, err := c.find(r.PathValue("name"))
	if err != nil || f.Spec.Schedule == "" {
		return "", nil, fmt.Errorf("%w: %s has no schedule", errForm, r.PathValue("name"))
	}
	return "Tick of " + f.Spec.Name, func(ctx context.Context, out io.Writer) error {
		began := time.Now()
		if err := c.Tick(ctx, f.Spec.Name); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "%s answered after %v.\n", f.Spec.Name, time.Since(began).Round(time.Millisecond))
		return err
	}, nil
}

// homeView is the content of the start page.
type homeView struct {
	URL               string
	Functions         int
	Calls             int
	Early, Failed     int
	Events            int64
	Documents, Hotels []link
}

// A link is a link with its text.
type link struct{ To, Text string }

func (c *Console) home(r *http.Request) (any, error) {
	v := homeView{URL: "http://" + r.Host, Functions: len(c.Functions), Documents: documents(), Hotels: []link{
		{"/site/kabul-grand-hotel", "Kabul Grand Hotel"}, {"/site/herat-garden-hotel", "Herat Garden Hotel"}, {"/desk", "front desk"}}}
	for _, f := range c.Functions {
		sum := c.Calls.Of(f.Spec.Name)
		v.Calls += sum.Calls
		v.Early += sum.Early
		v.Failed += sum.Failed
	}
	var err error
	v.Events, err = c.Messages.Last(r.Context())
	return v, err
}

// documents returns links to the OpenAPI documents.
func documents() (all []link) {
	names, err := fs.Glob(schemas.HTTP, "http/*.yaml")
	if err != nil {
		panic(err) // the pattern is constant
	}
	for _, name := range names {
		all = append(all, link{"/-/docs/" + path.Base(name), strings.TrimSuffix(path.Base(name), ".yaml")})
	}
	return all
}
