package hotel

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// A Theme is the design of a hotel's site. This service does not interpret its tokens.
type Theme struct {
	Tenant    id.Tenant      `json:"tenantId"`
	ID        string         `json:"themeId"`
	Published string         `json:"publishedVersion,omitzero"`
	Version   int            `json:"version"`
	Tokens    jsontext.Value `json:"tokens"`
	LogoURL   string         `json:"logoUrl,omitzero"`
}

// Named returns the version in the form of events.
func (t Theme) Named() string { return t.ID + "_v" + strconv.Itoa(t.Version) }

// Themes is the client of the theme service.
type Themes struct{ client *upstream.Client }

// OpenThemes returns the client.
func OpenThemes(e env.Env) Themes {
	return Themes{upstream.Open(e, "theme", upstream.Policy{Timeout: 500 * time.Millisecond, Retries: 1})}
}

// Published returns the tenant's published theme.
func (t Themes) Published(ctx context.Context, tenant id.Tenant) (out Theme, err error) {
	if err := t.client.Get(ctx, "/tenants/"+tenant.String()+"/theme", nil, &out, upstream.Tenant(tenant)); err != nil {
		return Theme{}, fmt.Errorf("themes: published of %s: %w", tenant, err)
	}
	if out.Tenant != tenant || out.ID == "" || out.Tokens.Kind() != '{' {
		return Theme{}, fault.ErrUpstreamUnavailable.Because(errors.New("themes: published: the answer is incomplete, or for another tenant"))
	}
	return out, nil
}
