package sabotage

var moneySettled = guarantee{name: "money is settled", mutations: []mutation{
	{
		name: "money that pays for nothing is kept", file: "functions/reservation/internal/booking/confirm.go",
		from: "if back, refundable := r.RefundableAmount(i); refundable {",
		to:   "if back, refundable := r.RefundableAmount(i); refundable && back.Amount == 0 {",
		pkg:  "functions/reservation/internal/booking", test: "TestConfirm_outcomes",
	}, {
		name: "a late payment confirms rooms that are gone", file: "functions/reservation/internal/booking/confirm.go",
		from: `if !errors.Is(err, ErrHoldExpired) || i.kept() == 0 { // only a captured payment justifies a second hold
		return r.Hold, err`,
		to: `if i.kept() > 0 {
		return r.Hold, nil
	}
	if i.kept() == 0 {
		return r.Hold, err`,
		pkg: "functions/reservation/internal/booking", test: "TestConfirm_outcomes",
	}, {
		name: "the expiry of a hold releases committed rooms", file: "functions/demo/sandbox/internal/inventory/inventory.go",
		from: "WHERE a.allocation_id = ANY (@allocations) AND a.state = 'held'))", to: "WHERE a.allocation_id = ANY (@allocations)))",
		pkg: "functions/demo/sandbox", test: "TestHoldExpired_keepsCommittedRooms",
	}, {
		name: "a pending payment is given up as if it had failed", file: "functions/reservation/internal/booking/payment.go",
		from: "i.Status == RequiresAction || i.Status == Processing || ", to: "",
		pkg: "functions/reservation/internal/platform", test: "TestPending",
	}, {
		name: "a payment that the bank processes is cancelled", file: "functions/demo/sandbox/internal/payment/transactions.go",
		from: "AND status IN ('requires_payment', 'requires_action', 'pending_cash')`,",
		to:   "AND status IN ('requires_payment', 'requires_action', 'processing', 'pending_cash')`,",
		pkg:  "functions/demo/sandbox", test: "TestProcessing",
	}, {
		name: "another method is opened while the bank processes a payment",
		file: "functions/demo/sandbox/internal/payment/intents.go",
		from: `case err == nil && live.Status == Processing:
		return Intent{}, ErrProcessing
`,
		to: `case err == nil && live.Status == Superseded:
		return Intent{}, ErrProcessing
`,
		pkg: "functions/demo/sandbox", test: "TestProcessing",
	}, {
		name: "a guest is not told that the bank processes a payment", file: "functions/tenantbooking/internal/booking/payments.go",
		from: "err = ErrIllegalStep.Because(err)", to: "err = ErrDraftClosed.Because(err)",
		pkg: "functions/tenantbooking", test: "TestPay_whileProcessing",
	}, {
		name: "a decline is shown at every return", file: "functions/tenantbooking/internal/booking/settle.go",
		from: "d.Declines = times", to: "d.Declines = 0",
		pkg: "functions/tenantbooking", test: "TestReturn_declineShownOnce",
	}, {
		name: "a confirmed reservation is asked for only while the payment service is away",
		file: "functions/tenantbooking/internal/booking/settle.go",
		from: "	if f.reservation.Confirmed() {\n", to: "	if f.reservation.Confirmed() && err != nil {\n",
		pkg: "functions/tenantbooking", test: "TestPaid_everyActConfirms",
	}, {
		name: "a guest pays for a cancelled reservation", file: "functions/tenantbooking/internal/booking/settle.go",
		from: "case f.reservation.State == \"cancelled\", f.paid.Status == \"failed\":",
		to:   "case f.reservation.State == \"cancelled\":\n\t\treturn d.May(Pays)\n\tcase f.paid.Status == \"failed\":",
		pkg:  "functions/tenantbooking", test: "TestPay_cancelledReservation",
	}, {
		name: "a requested refund counts as kept", file: "functions/reservation/internal/booking/balance.go",
		from: "kept -= back.Amount", to: "kept -= 0 * back.Amount",
		pkg: "functions/reservation/internal/booking", test: "TestDates",
	}, {
		name: "what the hotel gave back is due again", file: "functions/reservation/internal/booking/balance.go",
		from: "account.Sum(r.Account)-r.Payment.kept()", to: "account.Sum(nil)+r.Account.Price()-r.Payment.kept()",
		pkg: "functions/reservation/internal/booking", test: "TestBalance_due",
	}, {
		name: "a change of a guest in house prices slept nights again", file: "functions/reservation/internal/booking/changing.go",
		from: "append(nightsBefore(item.Nights, after.Stay.Start, from), priced.Nights...)", to: "append([]quotes.Night{}, priced.Nights...)",
		pkg: "functions/reservation/internal/booking", test: "TestAccount_sleptNights",
	}, {
		name: "a later change gives a retained penalty back", file: "functions/reservation/internal/account/account.go",
		from: "c.Kind == Retained && c.Cause.ends() && !ended", to: "c.Kind == Retained && !ended",
		pkg: "functions/reservation/internal/booking", test: "TestAccount_retained",
	}, {
		name: "the calendar date is the hotel's day", file: "functions/reservation/internal/quotes/local.go",
		from: "min(graceHours, stay.MaxBusinessHours)", to: "0*min(graceHours, stay.MaxBusinessHours)",
		pkg: "functions/reservation/internal/booking", test: "TestStartCheckIn_time",
	}, {
		name: "moving a stay makes a late cancellation free", file: "functions/reservation/internal/booking/changing.go",
		from: "earlier.Before(deadline) {", to: "deadline.Before(earlier) {",
		pkg: "functions/reservation/internal/booking", test: "TestDates_deadline",
	}, {
		name: "the sweep takes a reinstated guest for a no-show", file: "functions/reservation/internal/booking/penalty.go",
		from: "if r.SparedUntil != nil && r.SparedUntil.After(missed) {", to: "if r.SparedUntil != nil && r.SparedUntil.Before(missed) {",
		pkg: "functions/reservation/internal/booking", test: "TestDeskRace_sweepAndOverride",
	}, {
		name: "a payment begins although the guest has paid already", file: "functions/tenantbooking/internal/booking/balance.go",
		from: "if p.kept() <= 0 || r.Payment", to: "if true || r.Payment",
		pkg: "functions/tenantbooking", test: "TestPayBalance",
	}, {
		name: "a payment begins over another amount than was shown", file: "functions/tenantbooking/internal/booking/balance.go",
		from: "case due != *c.Due:", to: "case false:",
		pkg: "functions/tenantbooking", test: "TestPayBalance_refused",
	}, {
		name: "a payment replaces a promise of cash", file: "functions/tenantbooking/internal/booking/balance.go",
		from: "case slices.ContainsFunc(all, PaymentState.CashOnArrival):", to: "case false:",
		pkg: "functions/tenantbooking", test: "TestPayBalance_refused",
	}, {
		name: "a decline is shown while a later payment is under way", file: "functions/tenantbooking/internal/booking/settle.go",
		from: "case declined && f.paid.underWay():", to: "case declined && f.paid.underWay() && false:",
		pkg: "functions/tenantbooking", test: "TestReturn_declinedThenUnderWay",
	}, {
		name: "guests who do not come while others do pay nothing", file: "functions/reservation/internal/booking/penalty.go",
		from: "return i.Policy.NoShow(i.Nights, quotes.SumLines(i.Extras), c.MinorUnit())", to: "return 0 * i.Policy.NoShow(i.Nights, quotes.SumLines(i.Extras), c.MinorUnit())",
		pkg: "functions/reservation/internal/booking", test: "TestMissRooms",
	}, {
		name: "the sweep takes guests without a recorded arrival for a no-show", file: "functions/reservation/internal/booking/finding.go",
		from: "r.arriveTogether()", to: "_ = r.arriveTogether",
		pkg: "functions/reservation/internal/booking", test: "TestArrivals_previousVersion",
	},
}}
