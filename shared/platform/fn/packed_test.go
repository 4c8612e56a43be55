package fn_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/testkit/fntest"
)

// A shared part, and an end that each answer has of its own.
type common struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}

type own struct {
	Nonce string `json:"nonce,omitzero"`
}

type page struct {
	fn.Reply  `json:"-"`
	fn.Packed `json:"-"`
	common
	own
}

func pack(t testing.TB, front, end any) fn.Packed {
	t.Helper()
	p, err := fn.NewPack(front)
	if err != nil {
		t.Fatal(err)
	}
	body, err := p.With(end)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// packing is a function that answers with this body.
func packing(body fn.Packed) fn.Function {
	return answering(func(context.Context) (page, error) { return page{Reply: fn.OK.Version(7), Packed: body}, nil })
}

// unzip decompresses like a browser. It checks the checksum and the length, and that nothing follows them.
func unzip(t testing.TB, zipped []byte) []byte {
	t.Helper()
	rest := bytes.NewReader(zipped)
	z, err := gzip.NewReader(rest)
	if err != nil {
		t.Fatal(err)
	}
	z.Multistream(false) // browsers read one member only
	plain, err := io.ReadAll(z)
	if err != nil || rest.Len() != 0 {
		t.Fatalf("%v, and %d bytes are left", err, rest.Len())
	}
	return plain
}

func TestPacked_equalsEncoded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a colour ", 10_000)
	for _, test := range []struct {
		name  string
		front any
		end   any
		want  string
	}{
		{"a beginning and an end", common{"kabul-grand", []string{"سلام"}}, own{"n"}, `{"name":"kabul-grand","lines":["سلام"],"nonce":"n"}`},
		{"no end", common{Name: "a"}, own{}, `{"name":"a","lines":[]}`},
		{"no beginning", own{}, own{"n"}, `{"nonce":"n"}`},
		{"neither", own{}, own{}, `{}`},
		{"a long beginning", own{long}, common{Name: "a"}, `{"nonce":"` + long + `","name":"a","lines":[]}`},
		{"an end of several blocks", common{Name: "a"}, own{long}, `{"name":"a","lines":[],"nonce":"` + long + `"}`},
		{"an end of a whole block", own{}, own{strings.Repeat("x", 1<<16-1-len(`"nonce":""}`))}, `{"nonce":"` + strings.Repeat("x", 1<<16-1-len(`"nonce":""}`)) + `"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			front := open(t, packing(pack(t, test.front, test.end)))
			plain, zipped := front.Get("/answer"), front.Get("/answer", "Accept-Encoding", "gzip")
			if string(plain.Body) != test.want {
				t.Errorf("plain it says %.100s, want %.100s", plain.Body, test.want)
			}
			if got := unzip(t, zipped.Body); string(got) != test.want {
				t.Errorf("unpacked it says %.100s, want %.100s", got, test.want)
			}
			for form, a := range map[string]fntest.Answer{"": plain, "gzip": zipped} {
				if a.Header.Get("Content-Length") != strconv.Itoa(len(a.Body)) || a.Header.Get("Content-Encoding") != form {
					t.Errorf("%q: %d bytes under %v", form, len(a.Body), a.Header)
				}
			}
		})
	}
}

func TestAPackIsSharedByManyAnswers(t *testing.T) {
	t.Parallel()
	p, err := fn.NewPack(common{"a", []string{"b"}})
	if err != nil {
		t.Fatal(err)
	}
	var bodies []fn.Packed
	for _, nonce := range []string{"first", "second"} {
		body, err := p.With(own{nonce})
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	for i, nonce := range []string{"first", "second"} {
		var got own
		zipped := open(t, packing(bodies[i])).Get("/answer", "Accept-Encoding", "gzip").Body
		if err := json.Unmarshal(unzip(t, zipped), &got); err != nil || got.Nonce != nonce {
			t.Errorf("got %+v, %v, want %s", got, err, nonce)
		}
	}
	if p.Size() == 0 {
		t.Error("it takes no bytes")
	}
	for _, none := range []any{[]int{1}, "text", 1} {
		if _, err := fn.NewPack(none); err == nil {
			t.Errorf("%v was packed", none)
		}
		if _, err := p.With(none); err == nil {
			t.Errorf("%v was added", none)
		}
	}
}

func TestTheFormIsNegotiated(t *testing.T) {
	t.Parallel()
	front := open(t, packing(pack(t, common{Name: "a"}, own{"n"})))
	for _, test := range []struct {
		accepts []string
		zipped  bool
	}{
		{nil, false}, {[]string{""}, false}, {[]string{"identity"}, false}, {[]string{"br, zstd"}, false},
		{[]string{"gzip"}, true}, {[]string{"gzip, deflate, br, zstd"}, true}, {[]string{"br;q=1.0, GZIP ; q=0.8"}, true}, {[]string{"x-gzip"}, true},
		{[]string{"br", "gzip"}, true}, {[]string{"gzip;q=0"}, false}, {[]string{"gzip; q=0.000, *"}, false}, {[]string{"*"}, true}, {[]string{"*;q=0"}, false},
		{[]string{"gzip;q=x"}, true}, {[]string{"gzipped"}, false},
	} {
		r := front.Request(t, "GET", "/answer", nil)
		r.Header["Accept-Encoding"] = test.accepts
		a := front.Serve(r)
		if got := a.Header.Get("Content-Encoding") == "gzip"; a.Status != 200 || got != test.zipped {
			t.Errorf("%q: %d, zipped %v, want %v", test.accepts, a.Status, got, test.zipped)
		}
		if vary := strings.Join(a.Header.Values("Vary"), ", "); vary != "Accept-Encoding" {
			t.Errorf("%q: Vary is %q", test.accepts, vary)
		}
	}
}

// The two forms differ byte for byte, so one strong validator for both would be wrong.
func TestTheVersionOfANegotiatedAnswerIsAWeakValidator(t *testing.T) {
	t.Parallel()
	front := open(t, packing(pack(t, common{Name: "a"}, own{})))
	for _, form := range []string{"gzip", "identity"} {
		if got := front.Get("/answer", "Accept-Encoding", form).Header.Get("Etag"); got != `W/"7"` {
			t.Errorf("%s: %s", form, got)
		}
		for known, want := range map[string]int{`W/"7"`: 304, `"7"`: 304, `"6", W/"7"`: 304, `W/"6"`: 200} {
			a := front.Get("/answer", "Accept-Encoding", form, "If-None-Match", known)
			if a.Status != want || want == 304 && (len(a.Body) != 0 || a.Header.Get("Content-Encoding") != "" || a.Header.Get("Vary") != "Accept-Encoding") {
				t.Errorf("%s, known %s: %d %v, want %d", form, known, a.Status, a.Header, want)
			}
		}
	}
}

func TestPacked_notIdempotent(t *testing.T) {
	t.Parallel()
	f := serve(fn.Spec{Name: "test-packed", Route: "POST /packed", Idempotent: true},
		func(context.Context, fn.Nothing, fn.Call[fn.Nothing]) (page, error) { return page{}, nil })
	if _, err := f.Handler(env.Of(nil)); err == nil || !strings.Contains(err.Error(), "packed") {
		t.Errorf("got %v", err)
	}
}

// Bodies are written into pooled buffers: concurrent answers must not share one.
func TestAnswersAtOnceStayApart(t *testing.T) {
	t.Parallel()
	p, err := fn.NewPack(common{strings.Repeat("colour ", 2000), nil})
	if err != nil {
		t.Fatal(err)
	}
	type asked struct {
		Nonce string `query:"nonce"`
	}
	front := open(t, serve(fn.Spec{Name: "test-answer", Route: "GET /answer"}, func(_ context.Context, _ fn.Nothing, c fn.Call[asked]) (page, error) {
		body, err := p.With(own{c.In.Nonce})
		return page{Packed: body}, err
	}))
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			nonce := strings.Repeat(strconv.Itoa(i), 1+i*10)
			var got own
			a := front.Get("/answer?nonce="+nonce, "Accept-Encoding", "gzip")
			if err := json.Unmarshal(unzip(t, a.Body), &got); err != nil || got.Nonce != nonce {
				t.Errorf("asked for %s, got %s, %v", nonce, got.Nonce, err)
			}
		})
	}
	all.Wait()
}
