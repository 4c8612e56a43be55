package tenantbooking

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

// A Theme is how a hotel's site looks. Nobody here reads what its tokens say.
type Theme struct {
	Tenant    id.Tenant      `json:"tenantId"`
	ID        string         `json:"themeId"`
	Published string         `json:"publishedVersion,omitzero"`
	Version   int            `json:"version"`
	Tokens    jsontext.Value `json:"tokens"`
	LogoURL   string         `json:"logoUrl,omitzero"`
}

// Named is the version as events name it.
func (t Theme) Named() string { return t.ID + "_v" + strconv.Itoa(t.Version) }

// Themes is the theme service.
type Themes struct{ client *upstream.Client }

// OpenThemes opens the client.
func OpenThemes(e env.Env) Themes {
	return Themes{upstream.Open(e, "theme", upstream.Policy{Timeout: 500 * time.Millisecond, Retries: 1})}
}

// Published is the theme that the hotel's guests see now.
func (t Themes) Published(ctx context.Context, tenant id.Tenant) (out Theme, err error) {
	if err := t.client.Get(ctx, "/tenants/"+tenant.String()+"/theme", nil, &out, upstream.Tenant(tenant)); err != nil {
		return Theme{}, fmt.Errorf("themes: published of %s: %w", tenant, err)
	}
	if out.Tenant != tenant || out.ID == "" || out.Tokens.Kind() != '{' {
		return Theme{}, fault.ErrUpstreamUnavailable.Because(errors.New("themes: published: incomplete, or another hotel's"))
	}
	return out, nil
}
