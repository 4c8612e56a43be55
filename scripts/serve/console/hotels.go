package console

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"
)

// A hotelRow is one hotel of the sandbox.
type hotelRow struct {
	Slug, Name, City, Country, Status, Currency string
	Stars                                       int
	Locales                                     []string
}

// hotelsView is the content of the page of hotels.
type hotelsView struct {
	Hotels    []hotelRow
	Documents []link
}

func (c *Console) hotels(r *http.Request) (any, error) {
	v := hotelsView{Documents: documents()}
	err := c.rows(r.Context(), func(ctx context.Context, conn *pgx.Conn) (err error) {
		rows, _ := conn.Query(ctx, `
			SELECT t.slug, t.brand_name, p.city, p.country, t.status, t.currency, p.star_rating, t.locales
			FROM sandbox.tenants t JOIN sandbox.properties p USING (tenant_id)
			ORDER BY p.country, p.city, t.brand_name LIMIT 1000`)
		v.Hotels, err = pgx.CollectRows(rows, pgx.RowToStructByPos[hotelRow])
		return err
	})
	return v, err
}
