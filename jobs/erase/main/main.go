// Command main is the deployed job erase, with the Cloud SQL dialler, the hot document store of the functions, Pub/Sub, and BigQuery if
// WAREHOUSE_DATASET names a dataset.
package main

import (
	"context"
	"fmt"
	"os"

	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/erase"
	"melmastoon.ghasi.io/jobs/erase/bigquery"
	"melmastoon.ghasi.io/shared/platform/document"
	"melmastoon.ghasi.io/shared/platform/document/firestore"
	"melmastoon.ghasi.io/shared/platform/document/redis"
	"melmastoon.ghasi.io/shared/platform/env"
	"melmastoon.ghasi.io/shared/platform/postgres"
	"melmastoon.ghasi.io/shared/platform/postgres/cloudsql"
	"melmastoon.ghasi.io/shared/platform/topic"
	"melmastoon.ghasi.io/shared/platform/topic/pubsub"
)

func main() {
	e := postgres.DialerKey.With(env.System(), cloudsql.Dial)
	client := pubsub.Open(e)
	e = topic.PullerKey.With(topic.PublisherKey.With(e, client), client)
	e, err := withStores(context.Background(), e)
	if err != nil {
		fmt.Fprintf(os.Stderr, "erase: %v\n", err)
		os.Exit(1)
	}
	os.Exit(command.Run(context.Background(), erase.Job, e, os.Args[1:], os.Stderr))
}

// withStores adds the document store, Redis if it is configured and else Firestore, and the warehouse if one is configured.
func withStores(ctx context.Context, e env.Env) (env.Env, error) {
	var c struct {
		Redis   string `env:"REDIS_URL"`
		Dataset string `env:"WAREHOUSE_DATASET"`
	}
	if err := e.Load(&c); err != nil {
		return e, err
	}
	if c.Redis != "" {
		e = document.StoreKey.With(e, document.Store(redis.Open(e)))
	} else {
		e = document.StoreKey.With(e, document.Store(firestore.Open(e)))
	}
	if c.Dataset == "" {
		return e, nil
	}
	dataset, err := bigquery.Open(ctx, c.Dataset)
	if err != nil {
		return e, err
	}
	return erase.WarehouseKey.With(e, erase.Warehouse(dataset)), nil
}
