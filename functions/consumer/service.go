package consumer

import (
	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/functions/consumer/internal/bots"
	"melmastoon.ghasi.io/functions/consumer/internal/search"
	"melmastoon.ghasi.io/functions/consumer/internal/session"
	"melmastoon.ghasi.io/shared/platform/env"
)

// Base is the path prefix of every route of this service.
const Base = search.Base

// Schema is the SQL schema of this service.
const Schema = session.Schema

// FlagsIn is the document collection of this service's flags.
const FlagsIn = session.FlagsIn

// Sampling says which events are always published and which are sampled.
var Sampling = session.Sampling

// BotRules is the stored form of the rules of bot detection, in the collection FlagsIn at the key BotRulesKey.
type BotRules = bots.Document

// BotRulesKey is the key of the rules of bot detection.
var BotRulesKey = bots.Key

// CheckBotRules rejects rules that functions would ignore, in whole or in part.
func CheckBotRules(text []byte) error {
	_, err := bots.Parse(text, json.RejectUnknownMembers(true))
	return err
}

// An Erasure is the request of a guest to erase a session.
type Erasure = session.Erasure

// OpenErasures opens the store of erasure requests, for jobs/erase.
func OpenErasures(e env.Env) *session.Erasures { return session.OpenErasures(e) }

// DocumentsPlace is the name of the hot documents on the receipt of an erasure.
const DocumentsPlace = session.DocumentsPlace
