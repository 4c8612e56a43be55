package booking

import (
	"testing"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
)

func TestBalance_due(t *testing.T) {
	t.Parallel()
	const total = 410_000_000
	requested := Refund{ID: id.New[id.Refund](), Amount: 100_000_000}
	for _, test := range []struct {
		name     string
		refunded []Refund
		due      money.Micro
	}{
		{"nothing refunded", nil, 0},
		{"a goodwill of the hotel is not due again", []Refund{{ID: id.New[id.Refund](), Amount: 50_000_000}}, 0},
		{"a refund that was requested before an override is due again", []Refund{requested}, 100_000_000},
		{"both", []Refund{requested, {ID: id.New[id.Refund](), Amount: 50_000_000}}, 100_000_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := confirmedOne(t)
			i := Intent{ID: *r.Payment.Intent}
			for n, back := range test.refunded {
				back.Intent = i.ID
				test.refunded[n] = back
				if back.ID == requested.ID {
					r.Payment.Requested = []Refund{back}
				}
				i.Refunded += back.Amount
			}
			i.Refunds = test.refunded
			r.Learn(i)
			if got := r.Balance(); got.Due != test.due || got.Captured != total {
				t.Errorf("Balance() = %+v, want due %d of %d", got, test.due, total)
			}
			if got := r.Balance().Refunded; got != i.Refunded {
				t.Errorf("refunded = %d, want %d", got, i.Refunded)
			}
			r.Learn(i)
			if got := r.due(); got != test.due {
				t.Errorf("learned twice: due = %d, want %d", got, test.due)
			}
		})
	}
}
