package document_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/documenttest"
)

// kept stores a document and returns its record's value.
func kept[T any](t testing.TB, collection string, k document.Key, v T) []byte {
	t.Helper()
	m := &documenttest.Memory{}
	e := withStore(m)
	c := document.Open[T](e, collection)
	check.Got(c.Put(t.Context(), k, v, 1, e.Now().Add(time.Hour))).Must(t)
	return check.Got(m.Get(t.Context(), e.Now(), c.Name(k))).Must(t)[0].Value
}

// reads replaces the value of the key's record and tells whether it can be read as a session.
func reads(t testing.TB, value []byte) bool {
	t.Helper()
	m := &documenttest.Memory{}
	e := withStore(m)
	c := document.Open[session](e, "sessions")
	check.Got(m.Put(context.Background(), e.Now(), c.Name(key), document.Record{Value: value, ExpiresAt: e.Now().Add(time.Hour)})).Must(t)
	got, ok, err := c.Get(t.Context(), key)
	check.NoError(t, err)
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
		"binary of a cache":     raw("b{}"),
		"no zip":                raw("z{}"),
		"unknown encoding":      raw("?{}"),
	} {
		t.Run(name, func(t *testing.T) {
			if reads(t, value) {
				t.Errorf("%s was read", name)
			}
		})
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
		t.Run(name, func(t *testing.T) {
			good := kept(t, "sessions", key, s)
			for i := range len(good) * 8 {
				bad := bytes.Clone(good)
				bad[i/8] ^= 1 << (i % 8)
				if reads(t, bad) {
					t.Errorf("read with bit %d changed", i)
				}
			}
		})
	}
}

func TestContent_decompressionLimit(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, err := z.Write(bytes.Repeat([]byte(" "), 17<<20))
	check.Must(t, err)
	_, err = z.Write([]byte(`{}`))
	check.Must(t, err)
	check.Must(t, z.Close())
	if reads(t, raw("z"+bomb.String())) {
		t.Error("it was read")
	}
}

// TestEncoding checks that large values are stored compressed.
func TestEncoding(t *testing.T) {
	t.Parallel()
	large := session{Locale: strings.Repeat("fa-AF ", 1000)}
	text := check.Got(json.Marshal(large)).Must(t)
	b := check.Got(document.Encode(large)).Must(t)
	if most := len(text) / 10; len(b) > most {
		t.Errorf("%d bytes, want at most %d", len(b), most)
	}
	if b, err := document.Encode(make(chan int)); err == nil {
		t.Errorf("encoded a channel as %q", b)
	}
}

// raw is a whole value of the session's record, with any content.
func raw(content string) []byte {
	return document.Seal(document.Name{Collection: "sessions", ID: key.String()}, []byte(content))
}
