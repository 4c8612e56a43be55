package document_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

// kept stores a document and returns its record's value.
func kept[T any](t testing.TB, collection string, k document.Key, v T) []byte {
	t.Helper()
	m := &documenttest.Memory{}
	e := withStore(m)
	c := document.Open[T](e, collection)
	_, err := c.Put(t.Context(), k, v, 1, e.Now().Add(time.Hour))
	must(t, err)
	found, err := m.Get(t.Context(), e.Now(), c.Name(k))
	must(t, err)
	return found[0].Value
}

// reads replaces the value of the key's record and tells whether it can be read as a session.
func reads(t testing.TB, value []byte) bool {
	t.Helper()
	m := &documenttest.Memory{}
	e := withStore(m)
	c := document.Open[session](e, "sessions")
	_, err := m.Put(context.Background(), e.Now(), c.Name(key), document.Record{Value: value, ExpiresAt: e.Now().Add(time.Hour)})
	must(t, err)
	got, ok, err := c.Get(t.Context(), key)
	if err != nil {
		t.Errorf("got an error: %v", err)
	}
	if half, _ := c.Read(key, &document.Record{Value: value}); !ok && (got.Locale != "" || half.Locale != "") {
		t.Errorf("a miss comes with %+v, %+v", got, half)
	}
	return ok
}

func TestContent_unreadable(t *testing.T) {
	t.Parallel()
	good := kept(t, "sessions", key, session{Version: 3, Locale: "fa-AF"})
	if !reads(t, good) {
		t.Fatal("valid content was not decoded")
	}
	for name, value := range map[string][]byte{
		"nothing":               {},
		"bare JSON":             []byte(`{"version":3,"locale":"fa-AF"}`),
		"text":                  []byte("tnt_session"),
		"cut":                   good[:len(good)-1],
		"longer":                append(slices.Clone(good), ' '),
		"the head alone":        good[:5],
		"another form":          append([]byte{0xD2}, good[1:]...),
		"of another key":        kept(t, "sessions", document.KeyOf("tnt_2", "one"), session{Locale: "en"}),
		"of another collection": kept(t, "drafts", key, session{Locale: "en"}),
		"of another shape":      kept(t, "sessions", key, map[string]any{"version": "three", "locale": "fa-AF"}),
		"half of another shape": raw(`j{"locale":"fa-AF","version":[]}`),
		"a list":                kept(t, "sessions", key, []int{1}),
		"a form of its own":     kept(t, "sessions", key, sealed{[]byte("x")}),
		"no zip":                raw("z{}"),
		"unknown encoding":      raw("?{}"),
	} {
		if reads(t, value) {
			t.Errorf("%s was read", name)
		}
	}
	if !reads(t, raw(`j{"version":3}`)) {
		t.Error("content made by hand was not decoded")
	}
	if !reads(t, kept(t, "sessions", key, map[string]any{"locale": "fa-AF", "added": "later"})) {
		t.Error("content of a newer program was not decoded")
	}
}

func TestContent_damaged(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]session{"small": {Locale: "fa-AF"}, "large": {Locale: strings.Repeat("fa-AF", 400)}} {
		good := kept(t, "sessions", key, s)
		for i := range len(good) * 8 {
			bad := bytes.Clone(good)
			bad[i/8] ^= 1 << (i % 8)
			if reads(t, bad) {
				t.Errorf("%s: read with bit %d changed", name, i)
			}
		}
	}
}

func TestContent_decompressionLimit(t *testing.T) {
	t.Parallel()
	bomb := document.Zip(bytes.Repeat([]byte(" "), 17<<20))
	if _, err := document.Unzip(bomb); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("%d bytes: got %v, want %v", len(bomb), err, document.ErrTooLarge)
	}
	if reads(t, raw("z"+string(bomb))) {
		t.Error("it was read")
	}
}

// sealed has a form of its own.
type sealed struct{ secret []byte }

func (s sealed) MarshalBinary() ([]byte, error) { return append([]byte("own:"), s.secret...), nil }

func (s *sealed) UnmarshalBinary(b []byte) (err error) {
	secret, ok := bytes.CutPrefix(b, []byte("own:"))
	if !ok {
		return errors.New("not sealed")
	}
	s.secret = secret
	return nil
}

// TestEncoding checks the encodings from outside: each value round-trips, and large ones are stored compressed.
func TestEncoding(t *testing.T) {
	t.Parallel()
	large := session{Locale: strings.Repeat("fa-AF ", 1000)}
	text, err := json.Marshal(large)
	must(t, err)
	b, err := document.Encode(large)
	var got session
	switch {
	case err != nil:
		t.Errorf("err = %v, want nil", err)
	case len(b) > len(text)/10:
		t.Errorf("len(b) = %v, want at most %v", len(b), len(text)/10)
	case document.Decode(b, &got) != nil:
		t.Errorf("document.Decode(b, &got) = %v, want nil", document.Decode(b, &got))
	case got.Locale != large.Locale:
		t.Errorf("got.Locale = %v, want %v", got.Locale, large.Locale)
	}
	b, err = document.Encode(sealed{[]byte("s")})
	var own sealed
	switch {
	case err != nil:
		t.Errorf("its own form: err = %v, want nil", err)
	case document.Decode(b, &own) != nil:
		t.Errorf("its own form: document.Decode(b, &own) = %v, want nil", document.Decode(b, &own))
	case string(own.secret) != "s":
		t.Errorf(`its own form: string(own.secret) = %q, want "s"`, string(own.secret))
	}
	if err := document.Decode(b, &got); err == nil {
		t.Error("a form of its own was read as JSON")
	}
	if b, err := document.Encode(make(chan int)); err == nil {
		t.Errorf("encoded a channel as %q", b)
	}
}

// raw is a whole value of the session's record, with any content.
func raw(content string) []byte {
	return document.Seal(document.Name{Collection: "sessions", ID: key.String()}, []byte(content))
}
