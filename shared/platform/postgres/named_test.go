package postgres

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestNamesBecomeNumbersAsTheDriverWouldHaveIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, sql string
		args      pgx.StrictNamedArgs
	}{
		{"none", `SELECT 1`, pgx.StrictNamedArgs{}},
		{"one, twice", `SELECT @a + @a`, pgx.StrictNamedArgs{"a": 1}},
		{"several, in their order in the text", `SELECT @b, @a, @b`, pgx.StrictNamedArgs{"a": 1, "b": "x"}},
		{"what only looks like one", `SELECT '@a', "@a", @a -- @b`, pgx.StrictNamedArgs{"a": nil}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want, values, err := test.args.RewriteQuery(t.Context(), nil, test.sql, nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // read, and known
				sql, args := number(test.sql, []any{test.args})
				if sql != want || !slices.Equal(args, values) {
					t.Errorf("got %s %v, want %s %v", sql, args, want, values)
				}
			}
		})
	}
}

func TestNumber_mismatch(t *testing.T) {
	t.Parallel()
	const sql = `SELECT @known, @also`
	number(sql, []any{pgx.StrictNamedArgs{"known": 1, "also": 2}})
	for _, test := range []struct {
		name string
		args []any
	}{
		{"one is missing", []any{pgx.StrictNamedArgs{"known": 1}}},
		{"one is another", []any{pgx.StrictNamedArgs{"known": 1, "other": 2}}},
		{"one is too many", []any{pgx.StrictNamedArgs{"known": 1, "also": 2, "more": 3}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, args := number(sql, test.args)
			if _, _, err := args[0].(pgx.StrictNamedArgs).RewriteQuery(t.Context(), nil, got, nil); err == nil || got != sql {
				t.Errorf("got %s %v, which the driver takes", got, args)
			}
		})
	}
	if got, args := number(`SELECT $1`, []any{7}); got != `SELECT $1` || len(args) != 1 {
		t.Errorf("numbers became %s %v", got, args)
	}
}

func BenchmarkNamedArguments(b *testing.B) {
	const sql = `INSERT INTO a.table (one, two, three, four, five) VALUES (@one, @two, @three, @four, @five) ON CONFLICT DO NOTHING RETURNING one`
	args := pgx.StrictNamedArgs{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
	b.Run("numbered once", func(b *testing.B) {
		for b.Loop() {
			number(sql, []any{args})
		}
	})
	b.Run("by the driver", func(b *testing.B) {
		for b.Loop() {
			_, _, _ = args.RewriteQuery(b.Context(), nil, sql, nil)
		}
	})
}
