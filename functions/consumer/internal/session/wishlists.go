package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/shared/fault"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/fn"
	"melmastoon.ghasi.io/shared/platform/postgres"
)

// Wishlists stores the wishlists of guests. A wishlist is accessible only by its session.
type Wishlists struct {
	db        *postgres.DB
	publisher *Publisher
}

// OpenWishlists opens the store.
func OpenWishlists(e env.Env) Wishlists { return Wishlists{postgres.Open(e, Schema), OpenPublisher(e)} }

const wishColumns = `wishlist_id AS id, property_id AS property, tenant_id AS tenant, added_at, source, coalesce(note, '') AS note`

const listWishes = `
	SELECT ` + wishColumns + `
	FROM bff_consumer.wishlist
	WHERE guest_session_id = @session
	ORDER BY added_at DESC, wishlist_id DESC`

// List returns the session's wishlist, the newest first.
func (w Wishlists) List(ctx context.Context, session id.GuestSession) (wishes []Wish, err error) {
	err = w.db.InTx(ctx, func(tx postgres.Tx) error {
		rows, _ := tx.Last().Query(ctx, listWishes, pgx.StrictNamedArgs{"session": session})
		wishes, err = pgx.CollectRows(rows, pgx.RowToStructByName[Wish])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("wishlists: list of %s: %w", session, err)
	}
	return wishes, nil
}

// ListFor is List, and sets the consents of the session to those of its row, in the same round trip.
func (w Wishlists) ListFor(ctx context.Context, session *Session) (wishes []Wish, err error) {
	err = w.db.InTx(ctx, func(tx postgres.Tx) error {
		var batch pgx.Batch
		batch.Queue(`
			SELECT consent_telemetry, consent_marketing
			FROM bff_consumer.guest_sessions
			WHERE guest_session_id = @session`, pgx.StrictNamedArgs{"session": session.ID}).Query(func(rows pgx.Rows) error {
			consents, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Consent])
			if len(consents) > 0 { // the session of a first call is not stored
				session.Consent = consents[0]
			}
			return err
		})
		batch.Queue(listWishes, pgx.StrictNamedArgs{"session": session.ID}).Query(func(rows pgx.Rows) (err error) {
			wishes, err = pgx.CollectRows(rows, pgx.RowToStructByName[Wish])
			return err
		})
		return tx.Last().SendBatch(ctx, &batch)
	})
	if err != nil {
		return nil, fmt.Errorf("wishlists: list of %s: %w", session.ID, err)
	}
	return wishes, nil
}

// Add puts a hotel on the visitor's wishlist, and reports whether it was added. If the hotel is already on the list, only its
// note changes, if one is given; an empty note deletes it. Add returns ErrWishlistFull if the list is full.
func (w Wishlists) Add(ctx context.Context, v Visitor, wish Wish, note fn.Maybe[Note]) (kept Wish, added bool, err error) {
	wish.Note = string(note.Or(""))
	_, noted := note.Get()
	err = w.db.InTx(ctx, func(tx postgres.Tx) error {
		size, err := lockWishes(ctx, tx, &v.Session)
		if err != nil {
			return err
		}
		kept, err = updateNote(ctx, tx, v.Session.ID, wish, noted)
		if !errors.Is(err, pgx.ErrNoRows) {
			added = kept.ID == wish.ID // a retried act finds its own wish
			return err
		}
		if size >= MaxWishes {
			return ErrWishlistFull
		}
		kept, added = wish, true
		queueWish(tx, v.Session.ID, wish)
		return w.publisher.Append(ctx, tx, v.Session, v.wishAddedEvent(wish, size+1))
	})
	if err != nil {
		return Wish{}, false, fmt.Errorf("wishlists: add for %s: %w", v.Session.ID, err)
	}
	return kept, added, nil
}

// lockWishes locks the session's wishlist until the transaction ends, and returns its size. It sets the session's consent to
// telemetry to that of its row. It returns fault.ErrVersionConflict if the session has ended meanwhile.
func lockWishes(ctx context.Context, tx postgres.Tx, session *Session) (size int, err error) {
	err = tx.QueryRow(ctx, `
		SELECT consent_telemetry
		FROM bff_consumer.guest_sessions
		WHERE guest_session_id = @session AND ended_at IS NULL
		FOR NO KEY UPDATE`, pgx.StrictNamedArgs{"session": session.ID}).Scan(&session.Consent.Telemetry)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fault.ErrVersionConflict
	}
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `
		SELECT count(*)
		FROM bff_consumer.wishlist
		WHERE guest_session_id = @session`, pgx.StrictNamedArgs{"session": session.ID}).Scan(&size)
	return size, err
}

// updateNote updates the note of an existing wish for the same hotel, if noted is set, and returns the wish. It returns
// pgx.ErrNoRows if there is no such wish.
func updateNote(ctx context.Context, tx postgres.Tx, session id.GuestSession, wish Wish, noted bool) (Wish, error) {
	rows, _ := tx.Query(ctx, `
		UPDATE bff_consumer.wishlist
		SET note = CASE WHEN @noted THEN nullif(@note, '') ELSE note END
		WHERE guest_session_id = @session AND property_id = @property
		RETURNING `+wishColumns, pgx.StrictNamedArgs{"session": session, "property": wish.Property, "note": wish.Note, "noted": noted})
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Wish])
}

func queueWish(tx postgres.Tx, session id.GuestSession, w Wish) {
	tx.Queue(`
		INSERT INTO bff_consumer.wishlist (wishlist_id, guest_session_id, property_id, tenant_id, added_at, source, note)
		VALUES (@wish, @session, @property, @tenant, @added, @source, nullif(@note, ''))`,
		pgx.StrictNamedArgs{"wish": w.ID, "session": session, "property": w.Property, "tenant": w.Tenant, "added": w.AddedAt,
			"source": w.Source, "note": w.Note})
}

// Remove takes a hotel off the visitor's wishlist. It does nothing if the hotel is not on the list.
func (w Wishlists) Remove(ctx context.Context, v Visitor, property id.Property, now time.Time) error {
	err := w.db.InTx(ctx, func(tx postgres.Tx) error {
		size, err := lockWishes(ctx, tx, &v.Session)
		if err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, `
			DELETE FROM bff_consumer.wishlist
			WHERE guest_session_id = @session AND property_id = @property
			RETURNING `+wishColumns, pgx.StrictNamedArgs{"session": v.Session.ID, "property": property})
		gone, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Wish])
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return w.publisher.Append(ctx, tx, v.Session, v.wishRemovedEvent(gone, size-1, now))
	})
	if err != nil {
		return fmt.Errorf("wishlists: remove for %s: %w", v.Session.ID, err)
	}
	return nil
}
