package payment

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/directory"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/scenario"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// An Intent represents the payment of one amount for one reservation by one method.
type Intent struct {
	ID            id.Intent         `db:"intent_id"`
	Tenant        id.Tenant         `db:"tenant_id"`
	Reservation   id.Reservation    `db:"reservation_id"`
	Method        standin.Method    `db:"method"`
	Provider      string            `db:"provider"`
	Status        Status            `db:"status"`
	Attempts      int               `db:"attempts"` // declined attempts
	Amount        money.Micro       `db:"amount_micro"`
	Currency      money.Currency    `db:"currency"`
	ReturnURL     string            `db:"return_url"`
	Captured      money.Micro       `db:"captured_micro"`
	Refunded      money.Micro       `db:"refunded_micro"`
	RefundIDs     []id.Refund       `db:"refund_ids"`     // oldest first
	RefundAmounts []money.Micro     `db:"refund_amounts"` // of RefundIDs
	CapturedAt    *time.Time        `db:"captured_at"`
	CapturedEvent *id.Event         `db:"captured_event_id"`
	FailureCode   string            `db:"failure_code"`  // too_many_attempts, expired or cancelled
	ClientSecret  string            `db:"client_secret"` // of an intent that the guest approves on the hotel's page
	Scenario      scenario.Scenario `db:"scenario"`      // applied when the guest approves
	Version       int               `db:"version"`
	ExpiresAt     time.Time         `db:"expires_at"` // end of payment on the page; a cash promise does not expire
}

// An IntentView represents an intent in answers to other services.
type IntentView struct {
	ID            id.Intent      `json:"paymentIntentId"`
	Tenant        id.Tenant      `json:"tenantId"`
	Reservation   id.Reservation `json:"reservationId"`
	Method        standin.Method `json:"method"`
	Provider      string         `json:"provider"`
	Status        Status         `json:"status"`
	ClientSecret  string         `json:"clientSecret,omitzero"` // while the guest must approve on the hotel's page
	Attempts      int            `json:"attempts"`
	Amount        money.Micro    `json:"amountMicro"`
	Currency      money.Currency `json:"currency"`
	Captured      money.Micro    `json:"capturedMicro"`
	Refunded      money.Micro    `json:"refundedMicro"`
	Refunds       []RefundView   `json:"refunds"` // oldest first; they sum to Refunded
	CapturedAt    *time.Time     `json:"capturedAt,omitzero"`
	CapturedEvent *id.Event      `json:"capturedEventId,omitzero"`
	FailureCode   string         `json:"failureCode,omitzero"`
	ExpiresAt     time.Time      `json:"expiresAt"`
}

// A RefundView represents one refund of an intent.
type RefundView struct {
	ID     id.Refund   `json:"refundId"`
	Amount money.Micro `json:"amountMicro"`
}

// View returns the intent in its effective state.
func (i Intent) View() IntentView {
	refunds := make([]RefundView, len(i.RefundIDs))
	for n, refund := range i.RefundIDs {
		refunds[n] = RefundView{ID: refund, Amount: i.RefundAmounts[n]}
	}
	return IntentView{ID: i.ID, Tenant: i.Tenant, Reservation: i.Reservation, Method: i.Method, Provider: i.Provider,
		Status: i.Status, ClientSecret: i.Secret(), Attempts: i.Attempts, Amount: i.Amount, Currency: i.Currency, Captured: i.Captured,
		Refunded: i.Refunded, Refunds: refunds, CapturedAt: i.CapturedAt, CapturedEvent: i.CapturedEvent, FailureCode: i.FailureCode,
		ExpiresAt: i.ExpiresAt}
}

// Secret returns the client secret while the guest must approve on the hotel's page, and "" otherwise.
func (i Intent) Secret() string {
	if i.Status == RequiresAction {
		return i.ClientSecret
	}
	return ""
}

// Payable reports whether the guest can pay on the checkout page, which also simulates the guest's phone.
func (i Intent) Payable() bool {
	return i.Status == RequiresPayment || i.Status == RequiresAction && i.ClientSecret == ""
}

// intentTime is the time that a guest has to pay.
const intentTime = 30 * time.Minute

// MaxDeclines is the number of declines that ends an intent.
const MaxDeclines = 5

// Price returns the amount with all decimals of its currency: 12,500.00.
func (i Intent) Price() (string, error) {
	m, err := money.Amount{Micro: i.Amount, Currency: i.Currency}.Minor()
	if err != nil {
		return "", fmt.Errorf("intents: price of %s: %w", i.ID, err)
	}
	digits := fmt.Sprintf("%0*d", m.Exponent+1, m.Amount)
	whole, cents := digits[:len(digits)-m.Exponent], digits[len(digits)-m.Exponent:]
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	return whole + "." + cents, nil
}

// Intents stores payment intents and publishes their events.
type Intents struct{ standin.Store }

// OpenIntents opens the store.
func OpenIntents(e env.Env) Intents { return Intents{standin.OpenStore(e)} }

// A Wanted is a request to open an intent for a reservation.
type Wanted struct {
	Tenant      id.Tenant
	Reservation id.Reservation
	Method      standin.Method
	Amount      money.Amount
	ReturnURL   string
	Scenario    scenario.Scenario // one of PaymentScenario, or ""
}

// is reports whether the live intent has the requested terms. If the bank is processing the payment, the requested scenario is
// ignored.
func (i Intent) is(w Wanted) bool {
	return i.Method == w.Method && i.Amount == w.Amount.Micro && i.Currency == w.Amount.Currency &&
		(i.Scenario == w.Scenario || i.Status == Processing)
}

// Open returns the reservation's one live intent. If the live intent has the same terms, Open returns it. Otherwise it
// creates a new one and supersedes the earlier one without an event: nothing has failed, the guest chose again. It returns
// ErrProcessing instead if the bank is processing the earlier one, because its money may still be captured.
func (s Intents) Open(ctx context.Context, w Wanted) (i Intent, err error) {
	err = s.DB.InTenant(ctx, w.Tenant, func(tx postgres.Tx) error {
		if err := accepted(ctx, tx, w); err != nil {
			return err
		}
		i, err = open(ctx, tx, w)
		return err
	})
	if err != nil {
		return i, fmt.Errorf("intents: open for %s: %w", w.Reservation, err)
	}
	return i, nil
}

// accepted returns an error if the tenant does not accept the method or currency.
func accepted(ctx context.Context, tx postgres.Tx, w Wanted) error {
	t, err := directory.ReadTenant(ctx, tx, w.Tenant)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return standin.ErrTenantUnknown
	case err != nil:
		return err
	case !slices.Contains(t.PaymentMethods, w.Method):
		return ErrMethodUnavailable
	case !slices.Contains(t.Currencies, w.Amount.Currency):
		return standin.ErrCurrency
	}
	return nil
}

func open(ctx context.Context, tx postgres.Tx, w Wanted) (Intent, error) {
	// Serialise concurrent calls for one reservation, so that the second finds the intent of the first.
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('sandbox.intents ' || @reservation::uuid::text, 0))`,
		pgx.StrictNamedArgs{"reservation": w.Reservation}); err != nil {
		return Intent{}, err
	}
	live, err := readLive(ctx, tx, w.Reservation)
	switch {
	case err == nil && live.is(w):
		return live, setReturn(ctx, tx, live, w.ReturnURL)
	case err == nil && live.Status == Processing:
		return Intent{}, ErrProcessing
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		return Intent{}, err
	}
	if _, err := tx.Exec(ctx, `
		UPDATE sandbox.intents SET status = 'superseded', version = version + 1
		WHERE reservation_id = @reservation AND (status IN ('requires_payment', 'requires_action', 'pending_cash')
			OR status = 'processing' AND expires_at <= platform.now())`,
		pgx.StrictNamedArgs{"reservation": w.Reservation}); err != nil {
		return Intent{}, err
	}
	return insertIntent(ctx, tx, w)
}

// setReturn replaces the return URL of a live intent, because the guest may have chosen another language.
func setReturn(ctx context.Context, tx postgres.Tx, i Intent, to string) error {
	if to == "" || to == i.ReturnURL {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE sandbox.intents SET return_url = @return WHERE intent_id = @intent`, pgx.StrictNamedArgs{"return": to, "intent": i.ID})
	return err
}

func insertIntent(ctx context.Context, tx postgres.Tx, w Wanted) (Intent, error) {
	minted, secret := id.New[id.Intent](), ""
	if w.Scenario.Inline() {
		secret = minted.String() + secretMark + rand.Text()
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO sandbox.intents (intent_id, tenant_id, reservation_id, method, provider, status,
			amount_micro, currency, return_url, client_secret, scenario, created_at, expires_at)
		VALUES (@intent, @tenant, @reservation, @method, @provider, @status,
			@amount, @currency, nullif(@return, ''), nullif(@secret, ''), nullif(@scenario, ''), platform.now(), platform.now() + @time)`,
		pgx.StrictNamedArgs{"intent": minted, "tenant": w.Tenant, "reservation": w.Reservation,
			"method": w.Method, "provider": w.Method.Provider(), "status": w.firstStatus(),
			"amount": w.Amount.Micro, "currency": w.Amount.Currency, "return": w.ReturnURL,
			"secret": secret, "scenario": string(w.Scenario), "time": intentTime})
	if err != nil {
		return Intent{}, err
	}
	return readIntent(ctx, tx, minted)
}

// secretMark separates the intent's id from the random part of a client secret.
const secretMark = "_secret_"

// BySecret returns the intent of a client secret, or fault.ErrNotFound.
func (s Intents) BySecret(ctx context.Context, secret string) (Intent, error) {
	named, _, _ := strings.Cut(secret, secretMark)
	intent, err := id.Parse[id.Intent](named)
	if err != nil {
		return Intent{}, fault.ErrNotFound
	}
	i, err := s.Get(ctx, intent)
	if err == nil && subtle.ConstantTimeCompare([]byte(i.ClientSecret), []byte(secret)) == 0 {
		return Intent{}, fault.ErrNotFound
	}
	return i, err
}

// Get returns an intent of any tenant.
func (s Intents) Get(ctx context.Context, intent id.Intent) (i Intent, err error) {
	tenant, err := s.owner(ctx, intent)
	if err != nil {
		return i, err
	}
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		i, err = readIntent(ctx, tx.Last(), intent)
		return err
	})
	if err != nil {
		return i, fmt.Errorf("intents: get %s: %w", intent, err)
	}
	return i, nil
}

func (s Intents) owner(ctx context.Context, intent id.Intent) (id.Tenant, error) {
	return standin.Owner(ctx, s.DB, `SELECT tenant_id FROM sandbox.intents WHERE intent_id = @key`, intent)
}

// selectIntents reads intents. An expired intent reads as failed from that moment on, by the database's clock; Expire
// only stores that and publishes it.
const selectIntents = `
	SELECT intent_id, tenant_id, reservation_id, method, provider,
	       CASE WHEN over THEN 'failed' ELSE status END AS status,
	       attempts, amount_micro, currency, coalesce(return_url, '') AS return_url,
	       captured_micro, refunded_micro, captured_at, captured_event_id, refund_ids, refund_amounts,
	       CASE WHEN over THEN 'expired' ELSE coalesce(failure_code, '') END AS failure_code,
	       version, expires_at, coalesce(client_secret, '') AS client_secret, coalesce(scenario, '') AS scenario
	FROM sandbox.intents
	CROSS JOIN LATERAL (SELECT status IN ('requires_payment', 'requires_action', 'processing') AND expires_at <= platform.now() AS over) AS clock
	CROSS JOIN LATERAL (
		SELECT coalesce(array_agg(refund_id ORDER BY total_refunded_micro), '{}') AS refund_ids,
		       coalesce(array_agg(amount_micro ORDER BY total_refunded_micro), '{}') AS refund_amounts
		FROM sandbox.refunds AS r WHERE r.intent_id = intents.intent_id) AS executed`

func readIntent(ctx context.Context, tx postgres.Tx, intent id.Intent) (Intent, error) {
	rows, _ := tx.Query(ctx, selectIntents+` WHERE intent_id = @intent`, pgx.StrictNamedArgs{"intent": intent})
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Intent])
}

// Of lists the intents of a reservation, oldest first.
func (s Intents) Of(ctx context.Context, tenant id.Tenant, r id.Reservation) (all []IntentView, err error) {
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, selectIntents+` WHERE tenant_id = @tenant AND reservation_id = @reservation ORDER BY intent_id`,
			pgx.StrictNamedArgs{"tenant": tenant, "reservation": r})
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (IntentView, error) {
			i, err := pgx.RowToStructByName[Intent](row)
			return i.View(), err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("intents: of %s: %w", r, err)
	}
	return all, nil
}

// readLive returns the intent with which the reservation can be paid now.
func readLive(ctx context.Context, tx postgres.Tx, r id.Reservation) (Intent, error) {
	var live id.Intent
	err := tx.QueryRow(ctx, `
		SELECT intent_id FROM sandbox.intents
		WHERE reservation_id = @reservation
		  AND (status = 'pending_cash'
			OR status IN ('requires_payment', 'requires_action', 'processing') AND expires_at > platform.now())`,
		pgx.StrictNamedArgs{"reservation": r}).Scan(&live)
	if err != nil {
		return Intent{}, err
	}
	return readIntent(ctx, tx, live)
}

// Status is the status of a payment intent.
type Status string

// The statuses. doc.go draws the transitions.
const (
	RequiresPayment Status = "requires_payment" // on the provider's page
	RequiresAction  Status = "requires_action"  // without a page: 3-D Secure on the hotel's page, or a request on the phone
	Processing      Status = "processing"       // the guest has approved, and the bank answers later
	Captured        Status = "captured"
	PendingCash     Status = "pending_cash"
	Failed          Status = "failed"
	Superseded      Status = "superseded"
)

// firstStatus returns the status of a new intent.
func (w Wanted) firstStatus() Status {
	switch {
	case w.Method == standin.CashOnArrival:
		return PendingCash
	case w.Method == standin.MFS, w.Scenario.Inline():
		return RequiresAction
	}
	return RequiresPayment
}

// RequestedScenario returns the scenario of a call if it applies to all steps of a payment by that method, or "".
func RequestedScenario(h http.Header, m standin.Method) scenario.Scenario {
	asked := scenario.Of(h)
	if asked.Inline() && m == standin.Card || (asked == scenario.Pending || asked == scenario.PostedReturn) && m != standin.CashOnArrival {
		return asked
	}
	return ""
}
