package directory

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/internal/picture"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/pricing"
	"melmastoon.ghasi.io/functions/demo/sandbox/internal/standin"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// A Property is one hotel with its room types.
type Property struct {
	ID         id.Property     `json:"propertyId"`
	Tenant     id.Tenant       `json:"tenantId"`
	Name       standin.Name    `json:"name"`
	TimeZone   string          `json:"timeZone"`
	City       string          `json:"city"`
	Country    string          `json:"country"`
	Address    string          `json:"address"`
	Phone      string          `json:"phone,omitzero"` // of the reception
	Geo        standin.Geo     `json:"geo"`
	StarRating int             `json:"starRating"`
	Rating     *standin.Rating `json:"guestRating,omitzero"`
	Type       string          `json:"propertyType"` // hotel, guesthouse, hostel or apartment
	Amenities  []string        `json:"amenities"`    // most important first
	Badges     []string        `json:"badges"`
	CheckIn    string          `json:"checkInFrom"` // 14:00, at the property
	CheckOut   string          `json:"checkOutUntil"`
	Photos     []standin.Photo `json:"photos"`
	RoomTypes  []RoomType      `json:"roomTypes"`
	RatePlans  []RatePlan      `json:"ratePlans"`
}

// A RoomType is a kind of room in a property.
type RoomType struct {
	ID           id.RoomType     `json:"roomTypeId" db:"room_type_id"`
	Name         string          `json:"name" db:"name"`
	Description  string          `json:"description" db:"description"`
	MaxOccupancy int             `json:"maxOccupancy" db:"max_occupancy"`
	Units        int             `json:"units" db:"units"`
	Localized    RoomTexts       `json:"localized" db:"localized"`
	Photos       []standin.Photo `json:"photos" db:"-"`
}

// RoomTexts are the translations of a room type, by language tag.
type RoomTexts map[string]RoomText

// A RoomText is a room type's name and description in one language.
type RoomText struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// A RatePlan is a set of terms for selling a room type.
type RatePlan struct {
	ID       id.RatePlan    `json:"ratePlanId"`
	RoomType id.RoomType    `json:"roomTypeId"`
	Name     string         `json:"name"`
	MealPlan string         `json:"mealPlan"`
	Policy   pricing.Policy `json:"cancellationPolicy"`
	Version  int            `json:"version"` // increases with each publication of prices
}

// Properties is the directory of properties.
type Properties struct{ db *postgres.DB }

// OpenProperties opens the directory.
func OpenProperties(e env.Env) Properties { return Properties{postgres.Open(e, standin.Schema)} }

// Get returns a property of any tenant.
func (s Properties) Get(ctx context.Context, p id.Property) (property Property, err error) {
	tenant, err := standin.PropertyOwner(ctx, s.db, p)
	if err != nil {
		return property, err
	}
	err = s.db.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		property, err = readProperty(ctx, tx, p)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return property, fault.ErrNotFound
	}
	if err != nil {
		return property, fmt.Errorf("properties: get %s: %w", p, err)
	}
	return property, nil
}

// List returns the properties of a tenant, by name. It returns an empty list for an unknown tenant.
func (s Properties) List(ctx context.Context, tenant id.Tenant) (all []Property, err error) {
	err = s.db.InTenant(ctx, tenant, func(tx postgres.Tx) error {
		rows, _ := tx.Query(ctx, `SELECT property_id FROM sandbox.properties WHERE tenant_id = @tenant ORDER BY name, property_id`,
			pgx.StrictNamedArgs{"tenant": tenant})
		ids, err := pgx.CollectRows(rows, pgx.RowTo[id.Property])
		if err != nil {
			return err
		}
		for _, p := range ids {
			property, err := readProperty(ctx, tx, p)
			if err != nil {
				return err
			}
			all = append(all, property)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("properties: list of %s: %w", tenant, err)
	}
	return all, nil
}

func readProperty(ctx context.Context, tx postgres.Tx, p id.Property) (h Property, err error) {
	key := pgx.StrictNamedArgs{"property": p}
	var rating standin.Rating
	err = tx.QueryRow(ctx, `
		SELECT property_id, tenant_id, name, name_localized, time_zone, city, country, concat_ws(', ', nullif(neighbourhood, ''), city), latitude, longitude, star_rating,
		       rating::float8, rating_count, property_type, amenities, badges, to_char(check_in_from, 'HH24:MI'), to_char(check_out_until, 'HH24:MI')
		FROM sandbox.properties
		WHERE property_id = @property`, key).
		Scan(&h.ID, &h.Tenant, &h.Name.Default, &h.Name.Localized, &h.TimeZone, &h.City, &h.Country, &h.Address, &h.Geo.Lat, &h.Geo.Lng, &h.StarRating,
			&rating.Value, &rating.Count, &h.Type, &h.Amenities, &h.Badges, &h.CheckIn, &h.CheckOut)
	if err != nil {
		return h, err
	}
	house := picture.House{ID: h.ID, City: h.City, Type: h.Type, Stars: h.StarRating}
	h.Rating, h.Phone = rating.OrNone(), phoneOf(h.ID, h.Country)
	for view := range picture.Views {
		h.Photos = append(h.Photos, standin.Photo{URL: house.Draw(view), Alt: h.Name, Hero: view == 0})
	}
	if h.RoomTypes, err = readRoomTypes(ctx, tx, p); err != nil {
		return h, err
	}
	h.RatePlans, err = readRatePlans(ctx, tx, p)
	return h, err
}

func readRoomTypes(ctx context.Context, tx postgres.Tx, p id.Property) ([]RoomType, error) {
	rows, _ := tx.Query(ctx, `
		SELECT r.room_type_id, r.name, r.description, r.max_occupancy, r.units,
		       (SELECT coalesce(jsonb_object_agg(t.locale, jsonb_build_object('name', t.name, 'description', t.description)), '{}')
		        FROM sandbox.room_texts AS t
		        WHERE t.room_type_id = r.room_type_id) AS localized
		FROM sandbox.room_types AS r
		WHERE r.property_id = @property
		ORDER BY r.room_type_id`,
		pgx.StrictNamedArgs{"property": p})
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[RoomType])
	for i := range all {
		all[i].Photos = []standin.Photo{{URL: picture.Room{ID: all[i].ID, Name: all[i].Name, Sleeps: all[i].MaxOccupancy}.Draw(), Alt: all[i].called(), Hero: true}}
	}
	return all, err
}

// called returns the room type's name in all its languages.
func (r RoomType) called() standin.Name {
	name := standin.Name{Default: r.Name, Localized: map[string]string{}}
	for locale, text := range r.Localized {
		name.Localized[locale] = text.Name
	}
	return name
}

func readRatePlans(ctx context.Context, tx postgres.Tx, p id.Property) ([]RatePlan, error) {
	rows, _ := tx.Query(ctx, `
		SELECT rate_plan_id, room_type_id, name, meal_plan, version,
		       cancellation_ref, free_until_hours_before, penalty_percent, penalty_nights, no_show_percent, no_show_nights
		FROM sandbox.rate_plans
		WHERE property_id = @property
		ORDER BY room_type_id, rate_plan_id`,
		pgx.StrictNamedArgs{"property": p})
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r RatePlan, err error) {
		err = row.Scan(&r.ID, &r.RoomType, &r.Name, &r.MealPlan, &r.Version,
			&r.Policy.Ref, &r.Policy.FreeUntilHoursBefore, &r.Policy.PenaltyPercent, &r.Policy.PenaltyNights, &r.Policy.NoShowPercent,
			&r.Policy.NoShowNights)
		r.Policy.Description = r.Policy.Terms()
		return r, err
	})
}

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

// callingCodes are the calling codes of the demo's countries.
var callingCodes = map[string]string{"AF": "93", "IR": "98", "PK": "92", "AE": "971", "TJ": "992", "TR": "90", "IN": "91", "UZ": "998", "TM": "993"}

// phoneOf returns a telephone number of a property that cannot exist, because no number begins with 00 after the country's code.
// It returns "" for a country that is not in the demo.
func phoneOf(p id.Property, country string) string {
	code := callingCodes[country]
	if code == "" {
		return ""
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.String())) // never fails
	return fmt.Sprintf("+%s 00 000 %04d", code, h.Sum32()%10_000)
}
