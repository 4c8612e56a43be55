package bootstrap

import (
	"fmt"
	"time"

	"melmastoon.ghasi.io/functions/tenantbooking/internal/hotel"
	"melmastoon.ghasi.io/functions/tenantbooking/internal/session"
	"melmastoon.ghasi.io/shared/platform/cache"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// packs caches encoded facades.
type packs struct{ cache.Rendered[*fn.Pack] }

// show returns the bootstrap for one visitor and one response: packed if its facade is cached in encoded form, otherwise
// b is complete.
func (p packs) show(f hotel.Storefront, v session.Visitor, a *session.Arrival, now time.Time) (packed fn.Packed, b Bootstrap, err error) {
	b.Moment = moment(f, v, a, now)
	pack, ok, err := p.pack(f, v)
	switch {
	case err != nil:
	case ok:
		packed, err = pack.With(b.Moment)
	default:
		b.Facade = facade(f, v)
	}
	return packed, b, err
}

// pack returns the cached encoded facade. ok is false if one of its parts is not cached, because the encoded form could
// not be reused.
func (p packs) pack(f hotel.Storefront, v session.Visitor) (*fn.Pack, bool, error) {
	key := document.KeyOf(v.Tenant.ID.String(), string(v.Locale), string(v.Currency))
	return p.Of(key, append(f.Entries(), v.Tenant.Entry()), func() (*fn.Pack, int, error) {
		p, err := fn.NewPack(facade(f, v))
		if err != nil {
			return nil, 0, fmt.Errorf("bootstrap: pack %s: %w", v.Tenant.ID, err)
		}
		return p, p.Size(), nil
	})
}
