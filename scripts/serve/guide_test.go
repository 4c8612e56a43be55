package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// TestGuide keeps what a start prints short: the rest is in the console and in a file.
func TestGuide(t *testing.T) {
	t.Parallel()
	home := &folder{path: t.TempDir()}
	var printed bytes.Buffer
	if err := guide(&printed, home, "http://127.0.0.1:8080", time.Minute, time.Second); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(printed.String(), "\n"); n > 10 {
		t.Errorf("printed %d lines, want at most 10:\n%s", n, &printed)
	}
	file, err := os.ReadFile(home.at("guide"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, text, want string }{
		{"console", printed.String(), "Open http://127.0.0.1:8080/ in a browser"},
		{"file", printed.String(), home.at("guide")},
		{"clock", printed.String(), "moved by 1m0s"},
		{"booking", string(file), "travel $site/hold"},
		{"front_desk", string(file), "/sandbox/iam/v1/staff-tokens"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.text, test.want) {
				t.Errorf("got %s\nwant %q in it", test.text, test.want)
			}
		})
	}
}
