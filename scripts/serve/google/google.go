// Package google runs the local cloud on Google's emulators: documents in Firestore, events through Pub/Sub.
package google

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/shared/local/emulated"
	"melmastoon.ghasi.io/shared/local/emulators"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/firestore"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
)

// Emulators holds the addresses of Google's emulators, and a project for this cloud only.
type Emulators struct {
	Project   string
	Firestore string
	PubSub    string
}

// On returns the configuration of a cloud on the emulators. It keeps a document store that is configured already.
func On(c cloud.Config, at Emulators) cloud.Config {
	e := c.Env.
		With("GOOGLE_CLOUD_PROJECT", at.Project).
		With("FIRESTORE_EMULATOR_HOST", at.Firestore).
		With("PUBSUB_EMULATOR_HOST", at.PubSub).
		With("DOCUMENT_TIMEOUT", "5s") // the emulator is a Java program, which is slow after its start
	if _, given := document.StoreKey.Get(e); !given {
		e = document.StoreKey.With(e, firestore.Open(e))
	}
	c.Env = topic.PullerKey.With(e, pubsub.Open(e)) // for the dead letters of the console
	c.Messages = func(e env.Env) (cloud.Messages, error) { return emulated.Open(e) }
	return c
}

// Servers are the running emulators.
type Servers struct{ firestore, pubsub *emulators.Server }

// Start starts both emulators concurrently.
func Start(ctx context.Context) (*Servers, error) {
	var s Servers
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { s.firestore, err = emulators.Firestore(ctx); return err })
	group.Go(func() (err error) { s.pubsub, err = emulators.PubSub(ctx); return err })
	if err := group.Wait(); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return &s, nil
}

// At returns the emulators' addresses. They lose their data when they exit, so one project is enough.
func (s *Servers) At() Emulators {
	return Emulators{Project: "melmastoon-local", Firestore: s.firestore.Address(), PubSub: s.pubsub.Address()}
}

// Gone returns a channel that is closed when an emulator has exited.
func (s *Servers) Gone() <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-s.firestore.Done():
		case <-s.pubsub.Done():
		}
	}()
	return gone
}

// Stop stops the emulators.
func (s *Servers) Stop() error {
	var errs []error
	for _, server := range []*emulators.Server{s.firestore, s.pubsub} {
		if server != nil {
			errs = append(errs, server.Stop())
		}
	}
	return errors.Join(errs...)
}
