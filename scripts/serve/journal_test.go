package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestJournal_limit(t *testing.T) {
	t.Parallel()
	const limit, lines = 100, 57
	path := filepath.Join(t.TempDir(), "log")
	j, err := openJournal(path, limit)
	if err != nil {
		t.Fatal(err)
	}
	for n := range lines {
		if n == lines/2 { // reopen the log, as the next start does
			if j, err = openJournal(path, limit); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := fmt.Fprintf(j, "line %03d\n", n); err != nil {
			t.Fatal(err)
		}
	}
	var all strings.Builder
	for _, name := range []string{path + ".1", path} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > limit {
				t.Errorf("%s has %d bytes, more than %d", name, len(text), limit)
			}
			all.Write(text)
		})
	}
	log, err := j.read()
	if err != nil {
		t.Fatal(err)
	}
	if read, err := io.ReadAll(log); err != nil || string(read) != all.String() {
		t.Errorf("read returns %d bytes and %v, want the %d of both parts", len(read), err, all.Len())
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	kept := strings.Split(strings.TrimSpace(all.String()), "\n")
	for i, line := range kept {
		if want := fmt.Sprintf("line %03d", lines-len(kept)+i); line != want {
			t.Fatalf("line %d of the log is %q, want %q", i, line, want)
		}
	}
	if len(kept) < limit/len("line 000\n") {
		t.Errorf("the log has only %d lines", len(kept))
	}
}
