package postgres_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/money"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/stay"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A value is one of each kind that our columns hold.
type value struct {
	AsUUID *id.Quote
	AsText id.Quote
	List   []id.Quote
	Words  []id.Quote
	Night  *stay.Date
	Nights []stay.Date
	Price  money.Micro
	At     time.Time
}

func TestValues_roundTrip(t *testing.T) {
	t.Parallel()
	_, db := openLodge(t, nil)
	ctx := t.Context()
	quote, night := id.New[id.Quote](), stay.DateOf(time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC))
	for _, test := range []struct {
		name string
		want value
	}{
		{"all set", value{&quote, quote, []id.Quote{quote, id.New[id.Quote]()}, []id.Quote{quote}, &night,
			[]stay.Date{night, night.AddDays(1)}, 12_500_000, time.Date(2026, 3, 20, 4, 5, 6, 7000, time.UTC)}},
		{"null where it may be", value{AsText: quote, At: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got value
			var raw [2]string
			check.Must(t, db.InTx(ctx, func(tx postgres.Tx) error {
				w := test.want
				rows, _ := tx.Query(ctx, `
					WITH written AS (
						INSERT INTO lodge.values (as_uuid, as_text, list, words, night, nights, price, at)
						VALUES (@uuid, @text, @list, @words, @night, @nights, @price, @at) RETURNING *)
					SELECT as_uuid, as_text, list, words, night, nights, price, at FROM written`,
					pgx.StrictNamedArgs{"uuid": w.AsUUID, "text": w.AsText, "list": w.List, "words": w.Words,
						"night": w.Night, "nights": w.Nights, "price": w.Price, "at": w.At})
				read, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[value])
				if err != nil {
					return err
				}
				got = read
				return tx.QueryRow(ctx, `SELECT as_text, coalesce(list[1]::text, '') FROM lodge.values WHERE as_text = @text`,
					pgx.StrictNamedArgs{"text": w.AsText}).Scan(&raw[0], &raw[1])
			}))
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v\nwant %+v", got, test.want)
			}
			if raw[0] != test.want.AsText.String() {
				t.Errorf("the text column holds %q, want the prefixed form %q", raw[0], test.want.AsText)
			}
		})
	}
}
