// Package events embeds the JSON Schemas of the events. In an archive this file embeds only those that the function
// publishes or consumes; scripts/bundle writes it.
package events

import "embed"

// Files holds <subject>.json, one JSON Schema per subject and version.
//
//go:embed *.json
var Files embed.FS
