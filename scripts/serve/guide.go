package main

import (
	_ "embed"
	"io"
	"strings"
	"text/tabwriter"
	"text/template"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/platform/fn"
)

//go:embed guide.txt
var guideText string

var guideTemplate = template.Must(template.New("guide").Parse(guideText))

// guide prints the addresses of the local cloud, and how to book a room with curl.
func guide(w io.Writer, home *folder, local *cloud.Cloud, functions []fn.Function, offset, took time.Duration) {
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	_ = guideTemplate.Execute(table, map[string]any{ // standard output may be closed; the cloud runs without it
		"URL": local.URL(), "Env": home.at("env"), "Log": home.at("log"), "Jar": home.at("cookies"), "Took": took.Round(time.Millisecond),
		"Offset": offset, "Functions": rows(functions), "Hotel": demo.KabulGrand, "Room": demo.KabulGrand.Rooms[0],
		"CheckIn":  time.Now().Add(offset).AddDate(0, 0, 7).Format(time.DateOnly),
		"CheckOut": time.Now().Add(offset).AddDate(0, 0, 9).Format(time.DateOnly),
	})
	_ = table.Flush()
}

// A row is one function in the guide.
type row struct{ Name, Where string }

func rows(functions []fn.Function) (all []row) {
	for _, f := range functions {
		where := f.Spec.Route
		switch {
		case f.Spec.Subject != "":
			where = "consumes " + strings.TrimPrefix(f.Spec.Subject, "melmastoon.")
		case f.Spec.Schedule != "":
			where = "every " + f.Spec.Schedule
		}
		all = append(all, row{f.Spec.Name, where})
	}
	return all
}
