package consumer

import (
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
)

// Base is the path prefix of every route of this service.
const Base = search.Base

// Schema is the SQL schema of this service.
const Schema = session.Schema

// FlagsIn is the document collection of this service's flags.
const FlagsIn = session.FlagsIn

// Sampling says which events are always published and which are sampled.
var Sampling = session.Sampling
