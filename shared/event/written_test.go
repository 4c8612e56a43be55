package event_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/event"
)

// marshalled is the data of an event as the fields of its envelope say it.
func marshalled(r event.Raw) ([]byte, error) {
	instants := json.MarshalToFunc(func(enc *jsontext.Encoder, t time.Time) error {
		return enc.WriteToken(jsontext.String(t.UTC().Format("2006-01-02T15:04:05.000Z")))
	})
	return json.Marshal(struct {
		Envelope event.Envelope `json:"envelope"`
		Payload  jsontext.Value `json:"payload"`
	}{r.Envelope, r.Payload}, json.Deterministic(true), json.WithMarshalers(instants))
}

// Texts and payloads that JSON writes in its own way, and behind them some that it does not write.
var (
	texts    = []string{"", "req_1", `a "quoted" \ text`, "کابل 50%", "<a href='x'>&</a>", "line\nfeed\ttab\x00\x1f\x7f", "\u2028\u2029\U0001f3e8", "bro\xffken"}
	payloads = []string{`null`, `{}`, `{"b": 1.50, "a": [1, {"c": "\u0041\/\u2028"}], "d": "کابل"}`, ``, `{"a": 1, "a": 2}`, `{"a":`, "\"\xff\""}
)

// one is one of the first so many, and seldom of the others.
func one(r *rand.Rand, all []string, sound int) string {
	if r.IntN(40) == 0 {
		return all[sound+r.IntN(len(all)-sound)]
	}
	return all[r.IntN(sound)]
}

// random gives each field below v a value, or none.
func random(r *rand.Rand, v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		if r.IntN(4) > 0 {
			v.Set(reflect.ValueOf(happened.Add(time.Duration(r.Int64N(1e15)))))
		}
	case v.Kind() == reflect.Pointer && r.IntN(3) > 0:
		v.Set(reflect.New(v.Type().Elem()))
		random(r, v.Elem())
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			random(r, v.Field(i))
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(r.Uint64N(256))
		}
	case v.Kind() == reflect.String:
		v.SetString(one(r, texts, 7))
	case v.Kind() == reflect.Int:
		v.SetInt(r.Int64N(5) - 1)
	case v.Kind() == reflect.Float64:
		v.SetFloat([]float64{0, 1, 1. / 3, 1e-7, 1e21}[r.IntN(5)])
	}
}

// Whatever an envelope holds, the field that is added tomorrow too, it travels as encoding its fields would have it.
func TestAnEnvelopeIsWrittenAsItsFieldsSay(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	const times = 20_000
	for range times {
		var raw event.Raw
		random(r, reflect.ValueOf(&raw.Envelope).Elem())
		raw.Payload = jsontext.Value(one(r, payloads, 3))
		want, wrong := marshalled(raw)
		got, err := raw.Data()
		if (err == nil) != (wrong == nil) || err == nil && string(got) != string(want) {
			t.Fatalf("got  %s, %v\nwant %s, %v", got, err, want, wrong)
		}
		if err != nil {
			refused++
		}
	}
	if refused == 0 || refused > times/2 {
		t.Errorf("%d of %d were refused: the texts prove little", refused, times)
	}
}
