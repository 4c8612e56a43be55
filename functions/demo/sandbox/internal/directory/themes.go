package directory

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/internal/picture"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/search"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

type (
	theme        struct{}
	themeVersion struct{}
)

func (theme) Prefix() string        { return "thm" }
func (themeVersion) Prefix() string { return "thv" }

type (
	// ThemeID identifies a tenant's theme across its versions.
	ThemeID = id.ID[theme]
	// ThemeVersion identifies one published version of a theme.
	ThemeVersion = id.ID[themeVersion]
)

// A Theme is a published version of the design of a tenant's sites.
type Theme struct {
	Tenant      id.Tenant    `json:"tenantId" db:"tenant_id"`
	ID          ThemeID      `json:"themeId" db:"theme_id"`
	Published   ThemeVersion `json:"publishedVersion" db:"theme_version_id"`
	Version     int          `json:"version" db:"version"`
	PublishedAt time.Time    `json:"publishedAt" db:"published_at"`
	Tokens      Tokens       `json:"tokens" db:"tokens"`
	LogoURL     string       `json:"logoUrl" db:"-"`
}

// Tokens are the design tokens of a theme.
type Tokens struct {
	Primary    string `json:"primaryColor"` // colours as #rrggbb
	OnPrimary  string `json:"onPrimaryColor"`
	Accent     string `json:"accentColor"`
	Background string `json:"backgroundColor"`
	Surface    string `json:"surfaceColor"`
	Text       string `json:"textColor"`
	Font       string `json:"fontFamily"`   // serif, sans-serif or system-ui
	Corner     int    `json:"cornerRadius"` // in pixels
}

var (
	colour = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	font   = regexp.MustCompile(`^(serif|sans-serif|system-ui)$`)
)

const maxCorner = 32 // pixels

// Validate rejects invalid colours, fonts and corners: style sheets are generated from tokens.
func (t Tokens) Validate() error {
	for name, value := range map[string]string{"primaryColor": t.Primary, "onPrimaryColor": t.OnPrimary, "accentColor": t.Accent,
		"backgroundColor": t.Background, "surfaceColor": t.Surface, "textColor": t.Text} {
		if !colour.MatchString(value) {
			return standin.Refuse("/tokens/"+name, "form", "Must be a colour of the form #rrggbb, in lower case.")
		}
	}
	if !font.MatchString(t.Font) {
		return standin.Refuse("/tokens/fontFamily", "form", "Must be serif, sans-serif or system-ui.")
	}
	if t.Corner < 0 || t.Corner > maxCorner {
		return standin.Refuse("/tokens/cornerRadius", "range", "Must be a corner radius from 0 to 32 pixels.")
	}
	return nil
}

// Themes stores the tenants' themes.
type Themes struct{ standin.Store }

// OpenThemes opens the store.
func OpenThemes(e env.Env) Themes { return Themes{standin.OpenStore(e)} }

// Published returns a tenant's latest theme, or fault.ErrNotFound.
func (s Themes) Published(ctx context.Context, tenant id.Tenant) (t Theme, err error) {
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		t, err = readTheme(ctx, tx.Last(), tenant)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return t, fault.ErrNotFound
	}
	if err != nil {
		return t, fmt.Errorf("themes: of %s: %w", tenant, err)
	}
	t.LogoURL = logo(t)
	return t, nil
}

// Publish stores a new version of a theme and publishes the event.
func (s Themes) Publish(ctx context.Context, tenant id.Tenant, tokens Tokens) (t Theme, err error) {
	err = s.DB.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		if _, err := lockTenant(ctx, tx, tenant); err != nil { // serialises publications
			return err
		}
		if t, err = readTheme(ctx, tx, tenant); errors.Is(err, pgx.ErrNoRows) {
			t = Theme{Tenant: tenant, ID: id.New[ThemeID]()}
		} else if err != nil {
			return err
		}
		t.Tokens, t.Published = tokens, id.New[ThemeVersion]()
		t.Version++
		if err := t.insert(ctx, tx); err != nil {
			return err
		}
		if err := s.Outbox.Append(ctx, tx, themePublished(t)); err != nil {
			return err
		}
		_, err = search.Index(ctx, tx, s.Outbox, tenant, nil)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return t, standin.ErrTenantUnknown
	}
	if err != nil {
		return t, fmt.Errorf("themes: publish of %s: %w", tenant, err)
	}
	t.LogoURL = logo(t)
	return t, nil
}

func readTheme(ctx context.Context, tx postgres.Tx, tenant id.Tenant) (Theme, error) {
	rows, _ := tx.Query(ctx, `
		SELECT tenant_id, theme_id, theme_version_id, version, published_at, tokens
		FROM sandbox.theme_versions
		WHERE tenant_id = @tenant
		ORDER BY version DESC
		LIMIT 1`,
		pgx.StrictNamedArgs{"tenant": tenant})
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Theme])
}

func (t *Theme) insert(ctx context.Context, tx postgres.Tx) error {
	return tx.QueryRow(ctx, `
		INSERT INTO sandbox.theme_versions (theme_version_id, tenant_id, theme_id, version, tokens, published_at)
		VALUES (@published, @tenant, @theme, @version, @tokens, platform.now())
		RETURNING published_at`,
		pgx.StrictNamedArgs{"published": t.Published, "tenant": t.Tenant, "theme": t.ID, "version": t.Version, "tokens": t.Tokens}).
		Scan(&t.PublishedAt)
}

// A Brand is a tenant's name, logo and colour for lists.
type Brand struct {
	Tenant       id.Tenant    `json:"tenantId"`
	ThemeVersion ThemeVersion `json:"themeVersion"`
	Primary      string       `json:"primaryColor"`
	LogoURL      string       `json:"logoUrl"`
	Name         standin.Name `json:"brandName"`
}

// Brands returns the brands of several tenants with one statement. It omits tenants without a published theme.
func (s Themes) Brands(ctx context.Context, tenants []id.Tenant) (all []Brand, err error) {
	err = s.DB.InMaintenance(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, `
			SELECT DISTINCT ON (v.tenant_id) v.tenant_id, v.theme_version_id, v.tokens, t.brand_name, t.brand_localized
			FROM sandbox.theme_versions AS v
			JOIN sandbox.tenants AS t USING (tenant_id)
			WHERE v.tenant_id = ANY (@tenants)
			ORDER BY v.tenant_id, v.version DESC`,
			pgx.StrictNamedArgs{"tenants": tenants})
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (b Brand, err error) {
			var t Theme
			err = row.Scan(&b.Tenant, &b.ThemeVersion, &t.Tokens, &b.Name.Default, &b.Name.Localized)
			b.Primary, b.LogoURL = t.Tokens.Primary, logo(t)
			return b, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("themes: brands: %w", err)
	}
	return all, nil
}

// logo returns the mark of a theme: an arch in its colours.
func logo(t Theme) string {
	return picture.DataURL(fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="%d" fill="%s"/>`+
		`<path fill="%s" d="M12 38V24a12 12 0 0 1 24 0v14h-7V24a5 5 0 0 0-10 0v14z"/><circle cx="24" cy="9" r="3" fill="%s"/></svg>`,
		min(t.Tokens.Corner, 24), t.Tokens.Primary, t.Tokens.OnPrimary, t.Tokens.Accent))
}
