// Package cloudsql dials Cloud SQL with the function's IAM identity. Only binaries that run there link it.
package cloudsql

import (
	"context"
	"fmt"
	"net"

	"cloud.google.com/go/cloudsqlconn"

	"melmastoon.ghasi.io/shared/platform/env"
)

// Dial is a postgres.Dialer: mutual TLS with a certificate of the instance, and an IAM token as the password. The certificate is
// renewed when a connection needs it, because no background work runs between requests.
func Dial(ctx context.Context, e env.Env, instance string) (net.Conn, error) {
	dialer, err := env.Once(e, "cloudsql", func() (*cloudsqlconn.Dialer, error) { return open(ctx, e) })
	if err != nil {
		return nil, fmt.Errorf("cloudsql: %w", err)
	}
	return dialer.Dial(ctx, instance)
}

func open(ctx context.Context, e env.Env) (*cloudsqlconn.Dialer, error) {
	var c struct {
		PrivateIP bool `env:"CLOUDSQL_PRIVATE_IP,default=true"`
	}
	if err := e.Load(&c); err != nil {
		return nil, err
	}
	options := []cloudsqlconn.Option{cloudsqlconn.WithIAMAuthN(), cloudsqlconn.WithLazyRefresh()}
	if c.PrivateIP {
		options = append(options, cloudsqlconn.WithDefaultDialOptions(cloudsqlconn.WithPrivateIP()))
	}
	// The dialer outlives the request that opened it.
	d, err := cloudsqlconn.NewDialer(context.WithoutCancel(ctx), options...)
	if err != nil {
		return nil, err
	}
	e.OnClose(func(context.Context) error { return d.Close() })
	return d, nil
}
