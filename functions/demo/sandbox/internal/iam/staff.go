// Package iam stands in for the identity service: tokens of hotels' staff with their keys, and revoked sessions.
package iam

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/identity"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Role is what a person at a hotel may do.
type Role string

// UnmarshalText rejects an unknown role.
func (r *Role) UnmarshalText(text []byte) error {
	switch *r = Role(text); *r {
	case "front_desk", "manager", "housekeeping":
		return nil
	}
	return errors.New("not a role of staff")
}

// A Member is a person of a hotel's staff.
type Member struct {
	Tenant     id.Tenant
	Properties []id.Property
	Roles      []Role
	Subject    string
}

// A PublicKey is a key of the JWKS (RFC 8037).
type PublicKey struct {
	Type      string `json:"kty"`
	Curve     string `json:"crv"`
	X         string `json:"x"`
	ID        string `json:"kid"`
	Algorithm string `json:"alg"`
	Use       string `json:"use"`
}

const (
	shift    = 8 * time.Hour // lifetime of a staff token
	keyGrace = 24 * time.Hour
)

// Staff signs the tokens of hotels' staff, and keeps the keys.
type Staff struct {
	db     *postgres.DB
	now    func() time.Time
	issuer string
}

// OpenStaff opens the store. PUBLIC_URL is the beginning of the issuer's name.
func OpenStaff(e env.Env) (Staff, error) {
	public, err := standin.PublicURL(e)
	return Staff{db: postgres.Open(e, standin.Schema), now: e.Now, issuer: public + "/sandbox/iam/v1"}, err
}

// Token returns a token of a member for the reservation service and the stand-ins that a desk needs, and its expiry. It returns
// ErrTenantUnknown for an unknown tenant, and ErrNotFound for a property that is not the tenant's.
func (s Staff) Token(ctx context.Context, m Member) (token string, expires time.Time, err error) {
	if err := s.known(ctx, m); err != nil {
		return "", expires, err
	}
	var kid string
	var key ed25519.PrivateKey
	if err := s.db.InTx(ctx, func(tx postgres.Tx) error {
		kid, key, err = currentKey(ctx, tx)
		return err
	}); err != nil {
		return "", expires, fmt.Errorf("staff: token: %w", err)
	}
	now := s.now().Truncate(time.Second)
	token, err = claims{Issuer: s.issuer, Audience: []string{identity.Audience("reservation"), identity.Audience("sandbox")}, Subject: m.Subject, IssuedAt: now.Unix(),
		ExpiresAt: now.Add(shift).Unix(), Tenant: m.Tenant, Properties: m.Properties, Roles: m.Roles}.sign(kid, key)
	return token, now.Add(shift), err
}

// claims are the claims of a staff token.
type claims struct {
	Issuer     string        `json:"iss"`
	Audience   []string      `json:"aud"`
	Subject    string        `json:"sub"`
	IssuedAt   int64         `json:"iat"`
	ExpiresAt  int64         `json:"exp"`
	Tenant     id.Tenant     `json:"tenant_id"`
	Properties []id.Property `json:"property_ids"`
	Roles      []Role        `json:"roles"`
}

// sign returns the claims as a JWT with an Ed25519 signature (RFC 7515, RFC 8037).
func (c claims) sign(kid string, key ed25519.PrivateKey) (string, error) {
	header, err := json.Marshal(map[string]string{"alg": "EdDSA", "kid": kid, "typ": "JWT"})
	payload, err2 := json.Marshal(c)
	if err := errors.Join(err, err2); err != nil {
		return "", fmt.Errorf("staff: sign: %w", err)
	}
	text := base64.RawURLEncoding.EncodeToString(header) + "." + base64.RawURLEncoding.EncodeToString(payload)
	return text + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(text))), nil
}

func (s Staff) known(ctx context.Context, m Member) error {
	var tenants, properties int
	err := s.db.InTenant(ctx, m.Tenant, func(tx postgres.Tx) error {
		return tx.Last().QueryRow(ctx, `
			SELECT (SELECT count(*) FROM sandbox.tenants WHERE tenant_id = @tenant),
			       (SELECT count(*) FROM sandbox.properties WHERE tenant_id = @tenant AND property_id = ANY (@properties))`,
			pgx.StrictNamedArgs{"tenant": m.Tenant, "properties": m.Properties}).Scan(&tenants, &properties)
	})
	switch {
	case err != nil:
		return fmt.Errorf("staff: of %s: %w", m.Tenant, err)
	case tenants == 0:
		return standin.ErrTenantUnknown
	case properties < len(m.Properties):
		return fault.ErrNotFound
	}
	return nil
}

// Rotate creates the key that signs from now on, and returns its id. The earlier keys verify for another day.
func (s Staff) Rotate(ctx context.Context) (kid string, err error) {
	err = s.db.InTx(ctx, func(tx postgres.Tx) error {
		if err := lockKeys(ctx, tx); err != nil {
			return err
		}
		kid, _, err = newKey(ctx, tx)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("staff: rotate: %w", err)
	}
	return kid, nil
}

// Keys returns the public keys that verify tokens, newest first.
func (s Staff) Keys(ctx context.Context) (all []PublicKey, err error) {
	err = s.db.InTx(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT kid, seed FROM sandbox.staff_keys
			WHERE retired_at IS NULL OR retired_at > platform.now() - @grace::interval
			ORDER BY created_at DESC, kid`, pgx.StrictNamedArgs{"grace": keyGrace})
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (PublicKey, error) {
			k := PublicKey{Type: "OKP", Curve: "Ed25519", Algorithm: "EdDSA", Use: "sig"}
			var seed []byte
			err := row.Scan(&k.ID, &seed)
			if err == nil {
				k.X = base64.RawURLEncoding.EncodeToString(ed25519.NewKeyFromSeed(seed)[ed25519.SeedSize:])
			}
			return k, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("staff: keys: %w", err)
	}
	return all, nil
}

// currentKey returns the key that signs. It creates the first one.
func currentKey(ctx context.Context, tx postgres.Tx) (string, ed25519.PrivateKey, error) {
	kid, key, err := readKey(ctx, tx)
	if !errors.Is(err, pgx.ErrNoRows) {
		return kid, key, err
	}
	if err := lockKeys(ctx, tx); err != nil {
		return "", nil, err
	}
	if kid, key, err = readKey(ctx, tx); !errors.Is(err, pgx.ErrNoRows) { // a concurrent call has created it
		return kid, key, err
	}
	return newKey(ctx, tx)
}

func readKey(ctx context.Context, tx postgres.Tx) (kid string, key ed25519.PrivateKey, err error) {
	var seed []byte
	if err := tx.QueryRow(ctx, `SELECT kid, seed FROM sandbox.staff_keys WHERE retired_at IS NULL`).Scan(&kid, &seed); err != nil {
		return "", nil, err
	}
	return kid, ed25519.NewKeyFromSeed(seed), nil
}

// lockKeys serialises changes of the keys until the transaction ends.
func lockKeys(ctx context.Context, tx postgres.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('sandbox.staff_keys', 0))`)
	return err
}

// newKey replaces the current key, and deletes those that no longer verify.
func newKey(ctx context.Context, tx postgres.Tx) (string, ed25519.PrivateKey, error) {
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed) // never fails
	kid := rand.Text()
	tx.Queue(`DELETE FROM sandbox.staff_keys WHERE retired_at <= platform.now() - @grace::interval`, pgx.StrictNamedArgs{"grace": keyGrace})
	tx.Queue(`UPDATE sandbox.staff_keys SET retired_at = platform.now() WHERE retired_at IS NULL`)
	_, err := tx.Exec(ctx, `INSERT INTO sandbox.staff_keys (kid, seed, created_at) VALUES (@kid, @seed, platform.now())`,
		pgx.StrictNamedArgs{"kid": kid, "seed": seed})
	return kid, ed25519.NewKeyFromSeed(seed), err
}
