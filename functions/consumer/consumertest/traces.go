package consumertest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/testkit/check"
	"melmastoon.ghasi.io/shared/testkit/pgtest"
)

// Texts returns the contents of a database as text, by table: the rows of all schemas, and decompressed documents.
func Texts(t testing.TB, db *pgtest.Database) map[string]string {
	t.Helper()
	conn := db.Owner(t)
	rows, _ := conn.Query(t.Context(), `
		SELECT c.oid::regclass::text FROM pg_class c
		WHERE c.relkind IN ('r', 'p') AND c.relnamespace::regnamespace::text NOT LIKE 'pg\_%'
			AND c.relnamespace::regnamespace::text <> 'information_schema'`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) == 0 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	texts := map[string]string{}
	for _, table := range tables {
		rows, _ := conn.Query(t.Context(), `SELECT t::text FROM `+table+` AS t`)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		check.Must(t, err)
		for _, line := range lines {
			texts[table] += line + "\n"
		}
	}
	texts["document.documents"] += documentTexts(t, conn)
	return texts
}

// documentTexts returns the contents of all documents, one line each. Their rows are binary and cannot be searched for text.
func documentTexts(t testing.TB, conn *pgx.Conn) (text string) {
	t.Helper()
	rows, _ := conn.Query(t.Context(), `SELECT collection, id, value FROM document.documents`)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Collection, ID string
		Value          []byte
	}])
	check.Must(t, err)
	for _, d := range all {
		text += fmt.Sprintf("%s %s %q\n", d.Collection, d.ID, unpacked(d.Value)) // quoted: a value's bytes may be line ends
	}
	return text
}

// unpacked returns the value with compressed parts decompressed.
func unpacked(value []byte) []byte {
	text := bytes.Clone(value)
	for at := range value {
		if bytes.HasPrefix(value[at:], []byte{0x1f, 0x8b}) { // magic number of gzip
			z, err := gzip.NewReader(bytes.NewReader(value[at:]))
			if err != nil {
				continue
			}
			if plain, err := io.ReadAll(z); err == nil {
				text = append(text, plain...)
			}
		}
	}
	return text
}
