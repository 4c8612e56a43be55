package tenantbooking_test

import (
	"net/http"
	"testing"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantbookingtest"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/flags"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// setFeatures stores the features of the service and waits until its functions have read them again.
func setFeatures(t *testing.T, system *tenantbookingtest.System, features string) {
	t.Helper()
	now := system.Env.Now()
	kept := flags.Document{Sampling: []byte(`{}`), Features: []byte(features)}
	check.Got(document.Open[flags.Document](system.Env, tenantbooking.FlagsIn).Put(t.Context(), flags.Key, kept, now.UnixMicro(), now.AddDate(1, 0, 0))).Must(t)
	system.DB.Advance(31 * time.Second)
}

// While the site is read-only, no booking can be started, and each booking in progress can be finished.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	system, _ := tenantbookingtest.BuildWithHotels(t, site()...)
	quoted := system.Guest(0).RequestQuote()
	named := system.Guest(0).RequestQuote().Hold().SetGuest()
	paying := system.Guest(0).RequestQuote().Hold().SetGuest().Pay("card")
	cash := system.Guest(0).RequestQuote().Hold().SetGuest().Pay("cash_on_arrival")
	paying.Platform.Pay(paying.Intent, false)
	closed := func(want bool, when string) {
		t.Helper()
		for _, test := range []struct {
			name string
			g    *tenantbookingtest.Guest
			path string
			body any
		}{
			{"quote", system.Guest(0), "/quote", quoted.QuoteBody()},
			{"quote of a draft", quoted, "/quote", quoted.QuoteBody(`,"draftId":"` + quoted.Draft.String() + `"`)},
			{"hold", quoted, "/hold", quoted.HoldBody()},
			{"payment-intent", named, "/draft/" + named.Draft.String() + "/payment-intent", `{"method":"card"}`},
		} {
			t.Run(test.name, func(t *testing.T) {
				a := test.g.Send("POST", test.path, test.body)
				check.Equal(t, a.Code() == "BFF.TENANT.READ_ONLY", want, "%s: %d %s", when, a.Status, a.Body)
				if !want {
					return
				}
				a.Want(t, http.StatusServiceUnavailable)
				check.Equal(t, a.Header.Get("Retry-After"), "60", "%s", when)
			})
		}
	}
	setFeatures(t, system, `{"readOnly":true}`)
	closed(true, "switched on")
	setFeatures(t, system, `{"readOnly":"no"}`)
	closed(true, "after an invalid document")
	named.Must(http.StatusOK, "GET", "/bootstrap", nil)
	named.Must(http.StatusOK, "GET", "/draft/"+named.Draft.String(), nil)
	named.Must(http.StatusOK, "PATCH", "/session", `{"locale":"en"}`)
	paying.Must(http.StatusOK, "POST", "/draft/"+paying.Draft.String()+"/return", nil)
	paying.Must(http.StatusOK, "GET", "/confirmation/"+paying.Stay.String(), nil)
	cash.Must(http.StatusOK, "POST", "/draft/"+cash.Draft.String()+"/confirm", nil)
	abandons := system.Guest(0)
	setFeatures(t, system, `{"readOnly":false}`)
	abandons.RequestQuote()
	setFeatures(t, system, `{"readOnly":true}`)
	abandons.Must(http.StatusNoContent, "DELETE", "/draft/"+abandons.Draft.String(), nil)
	setFeatures(t, system, `{}`)
	quoted.RequestQuote()
	closed(false, "switched off")
}
