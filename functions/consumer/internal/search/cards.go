package search

import (
	"context"
	"errors"

	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/locale"
)

// An Expansion names what an answer adds to each of its hotels.
type Expansion string

// UnmarshalText rejects everything but card.
func (x *Expansion) UnmarshalText(text []byte) error {
	if string(text) != "card" {
		return errors.New("is not card")
	}
	*x = "card"
	return nil
}

// A Carded is the member that an expanded answer adds to each of its hotels: the card, or null if the hotel is gone or suspended.
type Carded struct {
	Card *ListingCard `json:"card"`
}

// A Deck holds the cards of hotels for one visitor. A hotel that is gone or suspended has none. If the search service fails, it is
// empty and Missing names search.
type Deck struct {
	Composition
	cards map[id.Property]*ListingCard
}

// Card returns the member for a hotel. It is nil, and so omitted, if no cards were composed.
func (d Deck) Card(hotel id.Property) *Carded {
	if d.cards == nil {
		return nil
	}
	return &Carded{d.cards[hotel]}
}

// Cards composes the cards of hotels, with one call to each service for all hotels together.
func (s *Searches) Cards(ctx context.Context, l locale.Tag, t Trip, hotels []id.Property) Deck {
	d := Deck{cards: map[id.Property]*ListingCard{}}
	if len(hotels) == 0 {
		return d
	}
	ctx, cancel := compositionContext(ctx)
	defer cancel()
	ctx = s.prefetch(ctx)
	found, state, err := s.selections.Of(ctx, hotels)
	d.add("search", state, err)
	for _, card := range s.decorate(ctx, l, t, found, &d.Composition) {
		d.cards[card.Property] = &card
	}
	return d
}
