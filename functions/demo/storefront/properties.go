package storefront

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/upstream"
)

// properties returns the tenant's properties and rooms in the visitor's language.
func (v *Visitor) properties(ctx context.Context) ([]Property, error) {
	var out struct {
		Properties []Property `json:"properties"`
	}
	path := "/properties?" + url.Values{"locale": {string(v.Bootstrap.Locale)}}.Encode()
	err := v.call(ctx, apiRequest{method: http.MethodGet, path: path, out: &out})
	return out.Properties, err
}

// Properties is the client of the property service. It is used only for bookings at a hotel of which the booking service
// returns no properties, for example because it is suspended.
type Properties struct{ client *upstream.Client }

// OpenProperties returns the client.
func OpenProperties(e env.Env) Properties {
	return Properties{upstream.Open(e, "property", upstream.Policy{Timeout: 800 * time.Millisecond, Retries: 1})}
}

// Get returns a property of any tenant, in a language.
func (p Properties) Get(ctx context.Context, property id.Property, l locale.Tag) (Property, error) {
	type text struct {
		Name string `json:"name"`
	}
	var in struct {
		ID        id.Property `json:"propertyId"`
		Name      locale.Text `json:"name"`
		TimeZone  string      `json:"timeZone"`
		Address   string      `json:"address"`
		Country   string      `json:"country"`
		Phone     string      `json:"phone"`
		CheckIn   string      `json:"checkInFrom"`
		CheckOut  string      `json:"checkOutUntil"`
		RoomTypes []struct {
			ID        id.RoomType     `json:"roomTypeId"`
			Name      string          `json:"name"`
			Localized map[string]text `json:"localized"`
		} `json:"roomTypes"`
		RatePlans []RatePlan `json:"ratePlans"`
	}
	if err := p.client.Get(ctx, "/properties/"+property.String(), nil, &in); err != nil {
		return Property{}, fmt.Errorf("properties: get %s: %w", property, err)
	}
	found := Property{ID: in.ID, Name: in.Name.In(l), TimeZone: in.TimeZone, Address: in.Address, Country: in.Country, Phone: in.Phone,
		CheckIn: in.CheckIn, CheckOut: in.CheckOut, RatePlans: in.RatePlans}
	for _, r := range in.RoomTypes {
		found.RoomTypes = append(found.RoomTypes, RoomType{ID: r.ID, Name: locale.Among(r.Localized, l, text{r.Name}).Name})
	}
	return found, nil
}
