package main

import (
	"bytes"
	"embed"
	"io"
	"os"
	"text/tabwriter"
	"text/template"
	"time"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
)

//go:embed start.txt guide.txt
var guideFiles embed.FS

var guideTemplates = template.Must(template.ParseFS(guideFiles, "*.txt"))

// guide prints the addresses of the local cloud, and writes into its folder how to book a room with curl.
func guide(w io.Writer, home *folder, url string, offset, took time.Duration) error {
	values := map[string]any{
		"URL": url, "Env": home.at("env"), "Log": home.at("log"), "Jar": home.at("cookies"), "Guide": home.at("guide"), "Took": took.Round(time.Millisecond),
		"Offset": offset, "Hotel": demo.KabulGrand, "Room": demo.KabulGrand.Rooms[0],
		"CheckIn":  time.Now().Add(offset).AddDate(0, 0, 7).Format(time.DateOnly),
		"CheckOut": time.Now().Add(offset).AddDate(0, 0, 9).Format(time.DateOnly),
	}
	var text bytes.Buffer
	if err := guideTemplates.ExecuteTemplate(&text, "guide.txt", values); err != nil {
		return err
	}
	if err := os.WriteFile(home.at("guide"), text.Bytes(), 0o644); err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	_ = guideTemplates.ExecuteTemplate(table, "start.txt", values) // standard output may be closed; the cloud runs without it
	_ = table.Flush()
	return nil
}
