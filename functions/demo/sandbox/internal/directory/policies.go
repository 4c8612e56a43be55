package directory

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A HouseRule is one rule of a property for its guests.
type HouseRule struct {
	Property id.Property  `json:"propertyId"`
	Kind     string       `json:"kind"` // cancellation, check_in, check_out, children, payment or pets
	Title    standin.Name `json:"title"`
	Text     standin.Name `json:"text"`
}

// Rules returns the house rules of all properties of a tenant, in each property's order.
func (s Properties) Rules(ctx context.Context, tenant id.Tenant) (all []HouseRule, err error) {
	err = s.db.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT property_id, kind, title, title_localized, body, body_localized
			FROM sandbox.policies
			WHERE tenant_id = @tenant
			ORDER BY property_id, position`,
			pgx.StrictNamedArgs{"tenant": tenant})
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r HouseRule, err error) {
			err = row.Scan(&r.Property, &r.Kind, &r.Title.Default, &r.Title.Localized, &r.Text.Default, &r.Text.Localized)
			return r, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("properties: rules of %s: %w", tenant, err)
	}
	return all, nil
}
