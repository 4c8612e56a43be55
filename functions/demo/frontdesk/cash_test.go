package frontdesk_test

import (
	"slices"
	"strings"
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// The amount is captured once and at most what is due. The intent is opened before the others are listed, so that of two desks one takes it.
func TestTakeCash(t *testing.T) {
	t.Parallel()
	captured := []body{{"paymentIntentId": id.New[id.Intent](), "capturedMicro": "5000000000", "refundedMicro": "0"}}
	refused := []body{{"paymentIntentId": id.New[id.Intent](), "capturedMicro": "9000000000", "refundedMicro": "9000000000"}}
	once := []string{"POST intents", "GET intents", "POST collect"}
	for _, test := range []struct {
		name, amount, paid string
		intents            []body
		want               []string // requests to the payment service
		sees               string
	}{
		{"all that is due", "5000", "0", nil, once, "The cash is taken"},
		{"a part, in Eastern digits", "۱٬۲۵۰٫۵", "0", nil, once, "The cash is taken"},
		{"groups of digits", "1,250.5", "0", nil, once, "The cash is taken"},
		{"a decimal comma", "12,50", "0", nil, nil, "Please write an amount"},
		{"no group before a comma", ",500", "0", nil, nil, "Please write an amount"},
		{"four digits before a comma", "0001,250", "0", nil, nil, "Please write an amount"},
		{"more than is due", "5000.01", "0", nil, nil, "Please write an amount"},
		{"nothing", "0", "0", nil, nil, "Please write an amount"},
		{"less than nothing", "-1", "0", nil, nil, "Please write an amount"},
		{"three decimals", "1.001", "0", nil, nil, "Please write an amount"},
		{"no number", "all", "0", nil, nil, "Please write an amount"},
		{"the form again", "5000", "0", captured, once[:2], "A payment has arrived meanwhile"},
		{"after a refunded payment", "5000", "0", refused, once, "The cash is taken"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := env.Of(nil) // the clients of an environment are shared
			d := newFakeServices(e)
			d.intents = test.intents
			g := browse(t, e, d).logIn("front_desk")
			g.post(at+"/cash", "amount", test.amount, "paid", test.paid).sees(test.sees)
			var got []string
			for _, act := range d.asked {
				if strings.HasSuffix(act, "intents") || strings.HasSuffix(act, "collect") {
					got = append(got, act)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("asked %q, want %q", got, test.want)
			}
			want := "5000000000"
			if test.amount != "5000" {
				want = "1250500000"
			}
			if sent := d.bodies["POST intents"]; sent != nil && sent["amountMicro"] != want {
				t.Errorf("the intent is %v, want %s", sent, want)
			}
		})
	}
}

// If another desk takes the cash while this one does, only the other takes it.
func TestTakeCash_twoDesks(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeServices(e)
	d.rival = []body{{"paymentIntentId": id.New[id.Intent](), "capturedMicro": "5000000000", "refundedMicro": "0"}}
	browse(t, e, d).logIn("front_desk").post(at+"/cash", "amount", "5000", "paid", "0").sees("A payment has arrived meanwhile")
	if slices.Contains(d.asked, "POST collect") {
		t.Error("the cash is taken twice")
	}
}

// The form of cash carries what was paid and not paid back, as the payment service counts it.
func TestTakeCash_kept(t *testing.T) {
	t.Parallel()
	e := env.Of(nil)
	d := newFakeServices(e)
	d.paid, d.back = "3000000000", "1000000000"
	browse(t, e, d).logIn("front_desk").open(at).sees(`name="paid" value="2000000000"`)
}
