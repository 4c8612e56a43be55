package session

import (
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"melmastoon.ghasi.io/shared/event"
	"melmastoon.ghasi.io/shared/id"
)

// A Wish is a hotel on a guest's wishlist.
type Wish struct {
	ID       id.Wish     `json:"wishlistId"`
	Property id.Property `json:"propertyId"`
	Tenant   id.Tenant   `json:"tenantId"`
	AddedAt  time.Time   `json:"addedAt"`
	Source   WishSource  `json:"source"`
	Note     string      `json:"note,omitzero"` // text of the guest; never published in an event
}

// MaxWishes is the maximum number of hotels on a wishlist.
const MaxWishes = 100

// Hotels returns the hotels on a wishlist and those that were recently viewed, each once.
func Hotels(wishes []Wish, viewed []RecentlyViewed) []id.Property {
	var all []id.Property
	for _, w := range wishes {
		all = append(all, w.Property)
	}
	for _, v := range viewed {
		if !slices.Contains(all, v.Property) {
			all = append(all, v.Property)
		}
	}
	return all
}

// A WishSource is the page from which a guest added a hotel to the wishlist.
type WishSource string

// The sources of wishes.
const (
	WishedOnDetail WishSource = "detail"
	WishedOnList   WishSource = "list"
	WishedOnMap    WishSource = "map"
	WishedAgain    WishSource = "recently-viewed"
)

// UnmarshalText rejects unknown sources.
func (s *WishSource) UnmarshalText(text []byte) error {
	switch read := WishSource(text); read {
	case WishedOnDetail, WishedOnList, WishedOnMap, WishedAgain:
		*s = read
		return nil
	}
	return errors.New("is not a wish source")
}

// A Note is a guest's note on a wish.
type Note string

const maxNoteLength = 280

// UnmarshalText rejects notes longer than 280 characters.
func (n *Note) UnmarshalText(text []byte) error {
	if utf8.RuneCount(text) > maxNoteLength {
		return errors.New("is longer than 280 characters")
	}
	*n = Note(text)
	return nil
}

type wishAdded struct {
	Wish     id.Wish         `json:"wishlistId"`
	Session  id.GuestSession `json:"guestSessionId"`
	Tenant   id.Tenant       `json:"tenantId"`
	Property id.Property     `json:"propertyId"`
	Source   WishSource      `json:"source"`
	AddedAt  time.Time       `json:"addedAt"`
	Size     int             `json:"wishlistSize"`
}

func (v Visitor) wishAddedEvent(w Wish, size int) event.Draft {
	return v.Event(WishlistAddedV1, wishAdded{
		Wish:     w.ID,
		Session:  v.Session.ID,
		Tenant:   w.Tenant,
		Property: w.Property,
		Source:   w.Source,
		AddedAt:  w.AddedAt,
		Size:     size,
	})
}

type wishRemoved struct {
	Wish      id.Wish         `json:"wishlistId"`
	Session   id.GuestSession `json:"guestSessionId"`
	Tenant    id.Tenant       `json:"tenantId"`
	Property  id.Property     `json:"propertyId"`
	RemovedAt time.Time       `json:"removedAt"`
	Size      int             `json:"wishlistSize"`
}

func (v Visitor) wishRemovedEvent(w Wish, size int, now time.Time) event.Draft {
	return v.Event(WishlistRemovedV1, wishRemoved{
		Wish:      w.ID,
		Session:   v.Session.ID,
		Tenant:    w.Tenant,
		Property:  w.Property,
		RemovedAt: now,
		Size:      size,
	})
}
