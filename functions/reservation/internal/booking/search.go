package booking

import (
	"context"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/reservation/internal/access"
	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/pseudonym"
)

// A Search finds reservations by what a guest tells the desk.
type Search struct {
	reservations Reservations
	rooms        func(context.Context, id.Tenant, id.Property) ([]Room, error)
}

// OpenSearch opens the search with its store and clients.
func OpenSearch(e env.Env, up Upstreams) Search { return Search{OpenReservations(e), up.Rooms} }

// In lists the reservations of a property with that code, with these words in the guest's name, with a telephone number that ends with
// these digits, or with that room, ordered by id. Names and numbers count for stays that began at most 90 days ago or will begin, and
// rooms for guests of the last two nights and later. In returns fault.ErrForbidden to callers who do not act for staff.
func (s Search) In(ctx context.Context, by access.Principal, at id.Property, text string, p Page) ([]*Reservation, error) {
	if !by.ActsForStaff() {
		return nil, fault.ErrForbidden
	}
	if !by.Allows(at) {
		return nil, nil
	}
	text, err := pseudonym.Name(text) // in the form in which names are stored
	if err != nil {
		return nil, fault.ErrValidation.Because(err).With(fault.Violation{Pointer: "/q", Rule: "form", Message: "must be printable"})
	}
	text = pseudonym.Latin(text)
	code, phone := strings.ToUpper(text), phoneEnding(text)
	var rooms []id.Room
	if phone == nil && !strings.HasPrefix(code, codePrefix) { // neither is the number of a room
		if rooms, err = s.roomsNumbered(ctx, by.Tenant, at, text); err != nil {
			return nil, err
		}
	}
	// Held rooms are not booked yet. The sub-selects keep LIMIT away from the indexes: see Arrivals.
	return s.reservations.list(ctx, by.Scope, selectReservations+`
		AND r.reservation_id = ANY (ARRAY(
			SELECT reservation_id FROM (
				SELECT reservation_id FROM reservation.reservations
				WHERE tenant_id = @tenant AND property_id = @property AND code = @code
				UNION
				SELECT b.reservation_id
				FROM reservation.reservations AS b JOIN reservation.guests AS g USING (tenant_id, reservation_id)
				WHERE b.tenant_id = @tenant AND b.property_id = @property AND b.state NOT IN ('held', 'expired_hold')
				  AND b.stay_start >= (platform.now() AT TIME ZONE 'UTC')::date - 90
				  AND (translate(g.first_name || ' ' || g.last_name, 'يىك', 'ییک') ILIKE ALL (@words)
				    OR regexp_replace(translate(replace(g.phone, '(0)', ''), '۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩', '01234567890123456789'), '[^0-9]', '', 'g') LIKE @number)
				UNION
				SELECT n.reservation_id
				FROM reservation.room_nights AS n JOIN reservation.reservations AS b USING (tenant_id, reservation_id)
				WHERE n.tenant_id = @tenant AND n.room_id = ANY (@rooms) AND b.property_id = @property
				  AND n.night >= (platform.now() AT TIME ZONE 'UTC')::date - 2) AS found
			WHERE reservation_id > @after ORDER BY reservation_id LIMIT @limit))
		ORDER BY r.reservation_id`,
		pgx.StrictNamedArgs{
			"tenant": by.Tenant, "properties": by.Properties, "property": at, "after": p.After, "limit": p.Limit,
			"code": code, "words": patterns(text), "number": phone, "rooms": rooms})
}

// roomsNumbered returns the rooms of a property with that number, which has a digit.
func (s Search) roomsNumbered(ctx context.Context, tenant id.Tenant, at id.Property, number string) (found []id.Room, err error) {
	if !strings.ContainsFunc(number, unicode.IsDigit) {
		return nil, nil
	}
	all, err := s.rooms(ctx, tenant, at)
	for _, room := range all {
		if strings.EqualFold(pseudonym.Latin(room.Number), number) {
			found = append(found, room.ID)
		}
	}
	return found, err
}

// patterns returns a pattern for each word of a name. It returns nil, which matches no name, for a text without letters.
func patterns(text string) (all []string) {
	if !pseudonym.HasLetter(text) {
		return nil
	}
	literal := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`, "ي", "ی", "ى", "ی", "ك", "ک") // Arabic keyboards have other letters
	for word := range strings.FieldsSeq(text) {
		all = append(all, "%"+literal.Replace(word)+"%")
	}
	return all
}

// phoneEnding returns a pattern for telephone numbers that end with the digits of a text. It ignores leading zeros, which replace the code of
// the country. It returns nil, which matches no number, for other texts and for fewer than 5 digits.
func phoneEnding(text string) *string {
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" +-()/.", r) {
			return -1
		}
		return r
	}, strings.Replace(text, "(0)", "", 1))
	if strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	if digits = strings.TrimLeft(digits, "0"); len(digits) < 5 {
		return nil
	}
	digits = "%" + digits
	return &digits
}
