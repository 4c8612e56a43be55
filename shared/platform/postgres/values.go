package postgres

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// teach has a connection's type map know our own values. Ids need no lesson: a uuid column takes their 16 bytes,
// a text column their prefixed form.
func teach(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}})
}
