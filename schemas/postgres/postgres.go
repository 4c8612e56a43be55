// Package postgres embeds the tables of the services as migrations.
package postgres

import "embed"

// Files holds <service>/NNNN_name.{up,down}.sql, and further schemas for local runs and tests.
//
//go:embed */*.sql
var Files embed.FS
