package idempotency

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Forget deletes the stored answers of a caller, as part of erasing a person's data, and returns their
// number. A call of that caller that still runs is answered, and its answer is not stored. The schema must grant its application role DELETE.
func Forget(ctx context.Context, tx postgres.Tx, schema string, tenant id.Tenant, caller string) (int64, error) {
	tag, err := tx.Exec(ctx, strings.ReplaceAll(`
		DELETE FROM {schema}.idempotency
		WHERE split_part(key, ':', 2) = @owner`, "{schema}", pgx.Identifier{schema}.Sanitize()),
		pgx.StrictNamedArgs{"owner": owner(tenant, caller)})
	if err != nil {
		return 0, fmt.Errorf("idempotency: forget: %w", err)
	}
	return tag.RowsAffected(), nil
}
