package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"melmastoon.ghasi.io/functions/demo/sandbox/demo"
	migrations "melmastoon.ghasi.io/schemas/postgres"
	"melmastoon.ghasi.io/shared/local/cluster"
	"melmastoon.ghasi.io/shared/local/setup"
	"melmastoon.ghasi.io/shared/platform/env"
)

// login is the functions' role in the local database: a member of the services' roles without further rights.
const login = "melmastoon"

// A database is the PostgreSQL server of this folder.
type database struct {
	cluster *cluster.Cluster
}

func openDatabase(ctx context.Context, home *folder) (*database, error) {
	c, err := cluster.Start(ctx, cluster.Config{Dir: home.at("postgres"), Durable: true})
	if errors.Is(err, cluster.ErrDamaged) {
		return nil, plainly("%w. Start again with --fresh, which forgets the data of earlier runs.", err)
	}
	if err != nil {
		return nil, err
	}
	return &database{c}, nil
}

func (d *database) stop() error { return d.cluster.Stop() }

// url returns the functions' connection URL. The server listens on loopback only, and the password belongs to this
// folder.
func (d *database) url() string { return d.cluster.LoginURL(login, d.cluster.Password(), "postgres") }

// prepare migrates the database, moves its clock and adds the sandbox's hotels. It returns the offset of the clock from
// real time.
func (d *database) prepare(ctx context.Context, move time.Duration, hotels int) (offset time.Duration, err error) {
	conn, err := pgx.Connect(ctx, d.cluster.URL("postgres"))
	if err != nil {
		return 0, fmt.Errorf("database: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if err := setup.Database(ctx, conn, migrations.Files, login, d.cluster.Password()); err != nil {
		return 0, err
	}
	if offset, err = setup.MoveClock(ctx, conn, move); err != nil {
		return 0, err
	}
	e := env.Of(map[string]string{"DATABASE_URL": d.url()})
	e.Advance(offset)
	return offset, errors.Join(furnish(ctx, e, hotels), e.Close(ctx))
}

// furnish adds the predefined hotels, and generated ones up to the requested number.
func furnish(ctx context.Context, e env.Env, hotels int) error {
	named, err := demo.Named()
	if err != nil {
		return err
	}
	return demo.Furnish(ctx, e, max(named, hotels))
}
