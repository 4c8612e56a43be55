package sabotage

var authenticTokens = guarantee{name: "authentic tokens", mutations: []mutation{
	{
		name: "3-D Secure needs no client secret", file: "functions/demo/sandbox/internal/payment/intents.go",
		from: "subtle.ConstantTimeCompare([]byte(i.ClientSecret), []byte(secret)) == 0",
		to:   "subtle.ConstantTimeCompare([]byte(i.ClientSecret), []byte(secret)) > 1",
		pkg:  "functions/demo/sandbox", test: "TestAuthenticate",
	}, {
		name: "a return link opens every booking of a hotel", file: "functions/tenantbooking/internal/booking/site.go",
		from: "return []string{\"return\", t.String(), d.String(), expiry, string(m)}", to: "return []string{\"return\", t.String(), expiry, string(m)}",
		pkg: "functions/tenantbooking", test: "TestReturn_otherBrowser",
	}, {
		name: "a return link shows the client secret", file: "functions/tenantbooking/confirmpayment/confirmpayment.go",
		from: "out.Reservation, out.Secret = nil, \"\"", to: "out.Reservation = nil",
		pkg: "functions/tenantbooking", test: "TestReturn_pending",
	}, {
		name: "a form from any site is a write", file: "shared/platform/fn/origin.go",
		from: "if h.spec.CrossOrigin {", to: "if h.spec.IgnoresBody {",
		pkg: "shared/platform/fn", test: "TestCrossOrigin",
	}, {
		name: "a forged handoff is accepted", file: "shared/handoff/keys.go",
		from: "if !hmac.Equal(signature, want) {", to: "if !hmac.Equal(signature[:0], want[:0]) {",
		pkg: "shared/handoff", test: "TestVerify_everyBit",
	}, {
		name: "a token for another function is accepted", file: "shared/platform/identity/verifier.go",
		from: "AnyAudience: jwt.Audience{audience}, ", to: "",
		pkg: "shared/platform/fn", test: "TestPush_onlyWithToken",
	}, {
		name: "a former return link writes into the guest's draft", file: "functions/tenantbooking/internal/booking/drafts.go",
		from: "s.Any(context.WithValue(ctx, flowKey{}, &flow{}), Due", to: "s.Any(ctx, Due",
		pkg: "functions/tenantbooking", test: "TestReturn_formerLink",
	},
}}
