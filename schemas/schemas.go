// Package schemas embeds the contracts between services: events, HTTP and tables.
package schemas

import "embed"

// Events holds events/<subject>.json, one JSON Schema per subject and version.
//
//go:embed events/*.json
var Events embed.FS

// HTTP holds http/<service>.yaml, one OpenAPI document per service.
//
//go:embed http/*.yaml
var HTTP embed.FS

// Derived holds the files that scripts/catalogue derives for readers: asyncapi.json and errors.json.
//
//go:embed asyncapi.json errors.json
var Derived embed.FS

// Postgres holds postgres/<service>/NNNN_name.{up,down}.sql, and further schemas for local runs and tests.
//
//go:embed postgres
var Postgres embed.FS
