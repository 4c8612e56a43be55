package erase

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"melmastoon.ghasi.io/functions/consumer"
	"melmastoon.ghasi.io/shared/id"
	"melmastoon.ghasi.io/shared/platform/env"
)

// requests stores the erasure requests of guest sessions and erases what the service has.
type requests interface {
	List(ctx context.Context, after consumer.Erasure, limit int) ([]consumer.Erasure, error)
	Count(context.Context, []consumer.Erasure) (map[string]int64, error)
	DeleteDocuments(context.Context, consumer.Erasure) error
	DeleteRows(context.Context, []consumer.Erasure) error
	Record(ctx context.Context, place string, counts map[id.GuestSession]int64) error
	Complete(ctx context.Context, done []consumer.Erasure, warehouse string) (int, error)
	Completed(ctx context.Context, within string) ([]id.GuestSession, error)
}

// A sessionEraser erases guest sessions.
type sessionEraser struct {
	options
	requests    requests
	deadLetters deadLetters
	warehouse   Warehouse // nil if none is configured
	tables      []Table   // of the warehouse, with a column for guest sessions
	totals      map[string]int64
	closed      int
	open        int
}

func eraseSessions(ctx context.Context, e env.Env, o options) error {
	warehouse, _ := WarehouseKey.Get(e)
	return (&sessionEraser{options: o, requests: consumer.OpenErasures(e), deadLetters: deadLetters{e}, warehouse: warehouse, totals: map[string]int64{}}).run(ctx)
}

// run handles all requests in pages. A page whose step fails does not stop the others.
func (s *sessionEraser) run(ctx context.Context) error {
	var failed []error
	var after consumer.Erasure
	for {
		page, err := s.requests.List(ctx, after, s.most)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		if len(page) > 0 {
			after = page[len(page)-1]
			failed = append(failed, s.page(ctx, page))
		}
		if len(page) < s.most {
			return errors.Join(append(failed, s.report())...)
		}
	}
}

// page handles one page of requests.
func (s *sessionEraser) page(ctx context.Context, page []consumer.Erasure) error {
	s.open += len(page)
	if s.dry {
		return s.count(ctx, page)
	}
	var failed []error
	var ready []consumer.Erasure
	for _, r := range page {
		if err := s.requests.DeleteDocuments(ctx, r); err != nil {
			failed = append(failed, err)
			continue
		}
		ready = append(ready, r)
	}
	return errors.Join(append(failed, s.finish(ctx, ready))...)
}

// finish deletes the rows of requests whose documents are deleted, first in SQL, and closes the requests.
func (s *sessionEraser) finish(ctx context.Context, ready []consumer.Erasure) error {
	if len(ready) == 0 {
		return nil
	}
	if err := s.requests.DeleteRows(ctx, ready); err != nil {
		return err
	}
	if err := s.deleteDeadLetters(ctx, ready); err != nil {
		return err
	}
	name := noWarehouse
	if s.warehouse != nil {
		name = s.warehouse.Name()
		if err := s.openWarehouse(ctx); err != nil {
			return err
		}
	}
	for _, table := range s.tables {
		if err := s.deleteFrom(ctx, table, ready); err != nil {
			return err
		}
	}
	closed, err := s.requests.Complete(ctx, ready, name)
	s.closed += closed
	return err
}

// openWarehouse reads the names of its tables, once per run.
func (s *sessionEraser) openWarehouse(ctx context.Context) (err error) {
	if s.warehouse == nil || s.tables != nil {
		return nil
	}
	all, err := s.warehouse.Tables(ctx)
	if err != nil {
		return err
	}
	var tables []Table
	for _, t := range all {
		if slices.Contains(t.Columns, "guestSessionId") {
			tables = append(tables, t)
		}
	}
	if len(tables) == 0 {
		return fmt.Errorf("%s has no table with a column guestSessionId", s.warehouse.Name())
	}
	s.tables = tables
	return nil
}

func (s *sessionEraser) deleteFrom(ctx context.Context, table Table, ready []consumer.Erasure) error {
	sessions := namesOf(sessionsOf(ready))
	counts, err := s.warehouse.CountBy(ctx, table.Name, "guestSessionId", sessions)
	if err != nil || len(counts) == 0 {
		return err
	}
	if err := s.warehouse.Delete(ctx, table.Name, IDs{"guestSessionId": sessions}); err != nil {
		return err
	}
	return s.record(ctx, s.warehouse.Name()+"."+table.Name, counts)
}

// deleteDeadLetters deletes the dead letters of the sessions, also those of evidence: the consumer service keeps evidence in its own rows.
func (s *sessionEraser) deleteDeadLetters(ctx context.Context, ready []consumer.Erasure) error {
	counts, err := s.deadLetters.remove(ctx, namesOf(sessionsOf(ready)), true)
	if err != nil || len(counts) == 0 {
		return err
	}
	return s.record(ctx, placeDeadLetters, counts)
}

// record adds the numbers of one place to the receipts of the sessions. It parses the keys of counts as session ids.
func (s *sessionEraser) record(ctx context.Context, place string, counts map[string]int64) error {
	of := map[id.GuestSession]int64{}
	for name, n := range counts {
		session, err := id.Parse[id.GuestSession](name)
		if err != nil {
			return fmt.Errorf("erase: %s: %w", place, err)
		}
		of[session] = n
	}
	return s.requests.Record(ctx, place, of)
}

// count adds up what a run would delete.
func (s *sessionEraser) count(ctx context.Context, page []consumer.Erasure) error {
	counts, err := s.requests.Count(ctx, page)
	if err == nil {
		err = s.openWarehouse(ctx)
	}
	if err != nil {
		return err
	}
	for place, n := range counts {
		s.totals[place] += n
	}
	for _, table := range s.tables {
		rows, err := s.warehouse.Count(ctx, table.Name, IDs{"guestSessionId": namesOf(sessionsOf(page))})
		if err != nil {
			return err
		}
		s.totals[s.warehouse.Name()+"."+table.Name] += rows
	}
	found, err := s.deadLetters.remove(ctx, namesOf(sessionsOf(page)), false)
	s.totals[placeDeadLetters] += total(found)
	return err
}

// report writes totals only: the output of a job is kept, so it must not name sessions.
func (s *sessionEraser) report() error {
	if !s.dry {
		return s.say("guest sessions: %d of %d requests completed", s.closed, s.open)
	}
	failed := []error{s.say("guest sessions: would complete %d requests", s.open)}
	for _, place := range slices.Sorted(maps.Keys(s.totals)) {
		failed = append(failed, s.say("%s: would delete %d", place, s.totals[place]))
	}
	return errors.Join(failed...)
}

func sessionsOf(erasures []consumer.Erasure) (sessions []id.GuestSession) {
	for _, r := range erasures {
		sessions = append(sessions, r.Session)
	}
	return sessions
}
