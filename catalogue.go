// Package melmastoon is the catalogue: one line for each function and job that is deployed. Whatever has to know what
// there is, the local cloud, the bundles, the infrastructure and the documents, derives it from here.
package melmastoon

import (
	"melmastoon.ghasi.io/jobs/migrate"
	"melmastoon.ghasi.io/shared/fn"

	"melmastoon.ghasi.io/functions/reservation/allocationcommitted"
	"melmastoon.ghasi.io/functions/reservation/allocationfailed"
	"melmastoon.ghasi.io/functions/reservation/confirm"
	"melmastoon.ghasi.io/functions/reservation/expireholds"
	"melmastoon.ghasi.io/functions/reservation/find"
	"melmastoon.ghasi.io/functions/reservation/hold"
	"melmastoon.ghasi.io/functions/reservation/paymentcaptured"
	"melmastoon.ghasi.io/functions/reservation/paymentfailed"
	"melmastoon.ghasi.io/functions/reservation/quote"
	"melmastoon.ghasi.io/functions/reservation/read"
	reservationrelay "melmastoon.ghasi.io/functions/reservation/relay"
	"melmastoon.ghasi.io/functions/sandbox/availability"
	"melmastoon.ghasi.io/functions/sandbox/checkout"
	"melmastoon.ghasi.io/functions/sandbox/commitrooms"
	"melmastoon.ghasi.io/functions/sandbox/expireintents"
	"melmastoon.ghasi.io/functions/sandbox/holdexpired"
	"melmastoon.ghasi.io/functions/sandbox/holdrooms"
	"melmastoon.ghasi.io/functions/sandbox/listproperties"
	"melmastoon.ghasi.io/functions/sandbox/openintent"
	"melmastoon.ghasi.io/functions/sandbox/pay"
	"melmastoon.ghasi.io/functions/sandbox/price"
	"melmastoon.ghasi.io/functions/sandbox/readintent"
	"melmastoon.ghasi.io/functions/sandbox/readproperty"
	"melmastoon.ghasi.io/functions/sandbox/readtenant"
	"melmastoon.ghasi.io/functions/sandbox/refund"
	sandboxrelay "melmastoon.ghasi.io/functions/sandbox/relay"
	"melmastoon.ghasi.io/functions/sandbox/releaserooms"
	"melmastoon.ghasi.io/functions/sandbox/reservationcancelled"
)

// Functions are all deployed functions.
var Functions = []fn.Function{
	allocationcommitted.Function,
	allocationfailed.Function,
	confirm.Function,
	expireholds.Function,
	find.Function,
	hold.Function,
	paymentcaptured.Function,
	paymentfailed.Function,
	quote.Function,
	read.Function,
	reservationrelay.Function,

	availability.Function,
	checkout.Function,
	commitrooms.Function,
	expireintents.Function,
	holdexpired.Function,
	holdrooms.Function,
	listproperties.Function,
	openintent.Function,
	pay.Function,
	price.Function,
	readintent.Function,
	readproperty.Function,
	readtenant.Function,
	refund.Function,
	sandboxrelay.Function,
	releaserooms.Function,
	reservationcancelled.Function,
}

// Jobs are all deployed Cloud Run jobs.
var Jobs = []fn.Job{
	migrate.Job,
}
