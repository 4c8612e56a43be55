// Package schemas embeds the contracts that are shown to readers: HTTP and what is derived. Its folders events and
// postgres are packages of their own, so that an edit of one contract does not change the archives of all functions.
package schemas

import "embed"

// HTTP holds http/<service>.yaml, one OpenAPI document per service.
//
//go:embed http/*.yaml
var HTTP embed.FS

// Derived holds the files that scripts/catalogue derives for readers: asyncapi.json and errors.json.
//
//go:embed asyncapi.json errors.json
var Derived embed.FS
