package id_test

import (
	"encoding/json"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/testkit/check"
)

const (
	text = "rsv_01H3Z4WK7TS5K8B5RBQ8H6JQK7"
	uuid = "0188fe4e-4cfa-c966-8597-0bba22695e67" // the same bits, reckoned by hand
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, in string
		ok       bool
	}{
		{"takes the prefixed form", text, true},
		{"takes the highest ULID", "rsv_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", true},
		{"refuses what is more than 128 bits", "rsv_8ZZZZZZZZZZZZZZZZZZZZZZZZZ", false},
		{"refuses another kind", strings.Replace(text, "rsv", "tnt", 1), false},
		{"refuses lower case", strings.ToLower(text), false},
		{"refuses one lower-case character", "rsv_01H3Z4WK7TS5K8B5RBQ8H6JQk7", false},
		{"refuses letters that Crockford left out", "rsv_01H3Z4WK7TS5K8B5RBQ8H6JQKI", false},
		{"refuses 27 characters", text + "Z", false},
		{"refuses 25 characters", text[:len(text)-1], false},
		{"refuses a bare ULID", strings.TrimPrefix(text, "rsv_"), false},
		{"refuses a uuid", uuid, false},
		{"refuses nothing", "", false},
		{"refuses spaces around", " " + text, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := id.Parse[id.Reservation](test.in)
			if (err == nil) != test.ok {
				t.Fatalf("got %v, %v, want ok %v", got, err, test.ok)
			}
			if test.ok && got.String() != test.in {
				t.Errorf("got %s, want %s", got, test.in)
			}
			if !test.ok && (!got.IsZero() || test.in != "" && strings.Contains(err.Error(), test.in)) {
				t.Errorf("got %v and %q, want the zero id and an error that does not repeat the input", got, err)
			}
		})
	}
}

func TestKinds_tenantAndSession(t *testing.T) {
	t.Parallel()
	session := id.New[id.TenantSession]()
	if got, err := id.Parse[id.Tenant](session.String()); err == nil {
		t.Errorf("%s was read as tenant %s", session, got)
	}
	check.Got(id.Parse[id.TenantSession](session.String())).Want(t, session)
}

func TestNew(t *testing.T) {
	t.Parallel()
	const many = 10_000
	seen := map[id.Hold]bool{}
	falling := 0
	var last id.Hold
	for range many {
		h := id.New[id.Hold]()
		if h.String() < last.String() {
			falling++
		}
		seen[h], last = true, h
	}
	if len(seen) != many {
		t.Errorf("minted %d different ids of %d", len(seen), many)
	}
	if falling < many/10 {
		t.Errorf("%d of %d ids fell below the one before: they seem to count upwards", falling, many)
	}
}

func TestDerive(t *testing.T) {
	t.Parallel()
	act := id.New[id.Request]()
	reservation := id.Derive[id.Reservation](act, "reservation")
	if again := id.Derive[id.Reservation](act, "reservation"); again != reservation {
		t.Errorf("the same act minted %s, then %s", reservation, again)
	}
	if other := id.Derive[id.Reservation](act, "hold"); other == reservation {
		t.Error("two labels give one id")
	}
	if other := id.Derive[id.Reservation](id.New[id.Request](), "reservation"); other == reservation {
		t.Error("two acts give one id")
	}
	check.Equal(t, [6]byte(reservation[:6]), [6]byte(act[:6]), "%s does not carry the time of %s", reservation, act)
	if id.Allocation(reservation).String() == reservation.String() {
		t.Error("a conversion must change the prefix")
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	want := check.Got(id.Parse[id.Reservation](text)).Must(t)
	for _, test := range []struct {
		name string
		src  any
		ok   bool
	}{
		{"raw bytes", want[:], true},
		{"an array", [16]byte(want), true},
		{"the text of a uuid", uuid, true},
		{"the text of a uuid as bytes", []byte(uuid), true},
		{"the prefixed form", text, true},
		{"the prefixed form as bytes", []byte(text), true},
		{"another kind's prefixed form", "tnt" + text[3:], false},
		{"15 bytes", want[:15], false},
		{"a uuid with a letter that is none", "g" + uuid[1:], false},
		{"a uuid with its dashes elsewhere", uuid[:4] + "-" + uuid[4:8] + uuid[9:], false},
		{"a uuid with a dash too many", uuid[:34] + "-" + uuid[35:], false},
		{"NULL", nil, false},
		{"a number", int64(1), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got id.Reservation
			err := got.Scan(test.src)
			if (err == nil) != test.ok || test.ok && got != want {
				t.Errorf("got %v, %v, want ok %v", got, err, test.ok)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	type body struct {
		Reservation id.Reservation `json:"reservationId"`
		Hold        id.Hold        `json:"holdId,omitzero"`
	}
	const want = `{"reservationId":"` + text + `"}`
	var b body
	check.Must(t, json.Unmarshal([]byte(want), &b))
	if got, err := json.Marshal(b); err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(text)
	f.Add("rsv_00000000000000000000000000")
	f.Add("rsv_é")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := id.Parse[id.Reservation](s)
		if err == nil && got.String() != s {
			t.Errorf("%q was read as %s: two names of one thing", s, got)
		}
		var scanned id.Reservation
		if err := scanned.Scan(s); err == nil {
			if again, err := id.Parse[id.Reservation](scanned.String()); err != nil || again != scanned {
				t.Errorf("%q was scanned to %s, which does not parse: %v", s, scanned, err)
			}
		}
	})
}

func TestUnmarshalText_nilID(t *testing.T) {
	t.Parallel()
	var zero id.Tenant
	if got, err := id.Parse[id.Tenant](zero.String()); err == nil {
		t.Errorf("Parse(%s) = %v, want an error", zero, got)
	}
}
