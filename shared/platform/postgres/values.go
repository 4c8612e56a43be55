package postgres

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// teach registers our own types in a connection's type map. Ids need no registration: a uuid column takes their 16 bytes, a text
// column their prefixed form.
func teach(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}})
}
