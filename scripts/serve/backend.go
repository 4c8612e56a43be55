package main

import (
	"context"
	"errors"
	"fmt"

	"melmastoon.ghasi.io/scripts/serve/cloud"
	"melmastoon.ghasi.io/scripts/serve/google"
)

// choose sets the backend by its name.
func (o *options) choose(backend string) error {
	if backend != "embedded" && backend != "emulators" {
		return errors.New("choose embedded or emulators")
	}
	o.emulators = backend == "emulators"
	return nil
}

// A backend provides documents and events: the database (the zero backend), or Google's emulators.
type backend struct{ google *google.Servers }

func openBackend(ctx context.Context, emulators bool) (b backend, err error) {
	if !emulators {
		return b, nil
	}
	if b.google, err = google.Start(ctx); err != nil {
		return b, plainly("Google's emulators do not start: %w.", err)
	}
	fmt.Println("Documents and events are on Google's emulators, which forget them when they end; bookings stay.")
	return b, nil
}

// under configures a cloud for the backend.
func (b backend) under(c cloud.Config) cloud.Config {
	if b.google == nil {
		return c
	}
	return google.On(c, b.google.At())
}

// variables returns shell variables with the addresses of Google's emulators, if they run.
func (b backend) variables() string {
	if b.google == nil {
		return ""
	}
	at := b.google.At()
	return fmt.Sprintf("GOOGLE_CLOUD_PROJECT=%s\nPUBSUB_EMULATOR_HOST=%s\n", at.Project, at.PubSub)
}

// gone returns a channel that is closed when an emulator has exited.
func (b backend) gone() <-chan struct{} {
	if b.google == nil {
		return nil
	}
	return b.google.Gone()
}

func (b backend) stop() error {
	if b.google == nil {
		return nil
	}
	return b.google.Stop()
}
