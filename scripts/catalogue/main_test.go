package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		args    []string
		want    error
		written bool
	}{
		{name: "no_arguments", written: true},
		{name: "help", args: []string{"-help"}, want: flag.ErrHelp},
		{name: "unknown_flag", args: []string{"-dry"}, want: errUsage},
		{name: "argument", args: []string{"reservation"}, want: errUsage},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "catalogue.json")
			var out bytes.Buffer
			if err := run(test.args, path, &out); !errors.Is(err, test.want) {
				t.Errorf("run(%v) = %v, want %v", test.args, err, test.want)
			}
			if _, err := os.Stat(path); (err == nil) != test.written {
				t.Errorf("file: %v, want written: %t", err, test.written)
			}
			if shown := strings.Contains(out.String(), "usage: go run ./scripts/catalogue"); shown == test.written {
				t.Errorf("printed %q", out.String())
			}
		})
	}
}
