package contract

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzSaid looks for a payload that panics, that is said though nobody may hear it, or whose refusal repeats what it holds.
func FuzzSaid(f *testing.F) {
	const canary = "zahra"
	for _, seed := range []string{with(``), with(`"zahra":"zahra",`), with(`"rooms":[{"type":"\u007a"},{"type":1e9}],`), `{"code":"zahra"}`, `[]`, `{"a":{"b":[1,[true,null]]}}`,
		"{\"\xff\":1}", `"\ud800"`, `{"payer":{"kind":"staff","desk":{"no":1.0}}}`, ` {"at":"2016-12-31T23:59:60Z"} `, `{"payer":{"kind":[{"]}":"\"}"}]}}`, `-0`, `1e999999999999`} {
		f.Add(seed)
	}
	r, err := compile([]byte(booked))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		said, heard := r.check(closed, []byte(payload)), r.check(open, []byte(payload))
		if len(said) < len(heard) || len(said) == 0 && !jsontext.Value(payload).IsValid() {
			t.Errorf("%q: said breaks %s, heard %s", payload, list(said), list(heard))
		}
		for _, v := range said {
			if strings.Contains(v.Message, canary) {
				t.Errorf("%q: told as %+v", payload, v)
			}
		}
	})
}
