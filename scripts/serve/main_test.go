package main

import (
	"errors"
	"flag"
	"fmt"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"--port", "9000", "--clock=+31m", "--backend=emulators"})
	if want := (options{port: 9000, clock: 31 * time.Minute, emulators: true}); err != nil || o != want {
		t.Errorf("options = %+v, %v, want %+v", o, err, want)
	}
	for _, args := range [][]string{{"reservation"}, {"--prot", "9000"}, {"--backend=none"}, {"--port", "9000", "fresh"}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			if _, err := parse(args); err == nil || errors.Is(err, flag.ErrHelp) {
				t.Errorf("parse(%q) = %v, want an error", args, err)
			}
		})
	}
	if _, err := parse([]string{"--help"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("parse(--help) = %v, want ErrHelp", err)
	}
}
