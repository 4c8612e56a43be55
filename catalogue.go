// Package melmastoon is the catalogue: one line for each function and job that is deployed. Whatever has to know what
// there is, the local cloud, the bundles, the infrastructure and the documents, derives it from here.
package melmastoon

import (
	"melmastoon.ghasi.io/jobs/migrate"
	"melmastoon.ghasi.io/shared/fn"

	reservationallocationcommitted "melmastoon.ghasi.io/functions/reservation/allocationcommitted"
	"melmastoon.ghasi.io/functions/reservation/allocationfailed"
	"melmastoon.ghasi.io/functions/reservation/cancel"
	"melmastoon.ghasi.io/functions/reservation/confirm"
	"melmastoon.ghasi.io/functions/reservation/expireholds"
	"melmastoon.ghasi.io/functions/reservation/find"
	reservationhold "melmastoon.ghasi.io/functions/reservation/hold"
	"melmastoon.ghasi.io/functions/reservation/nameguest"
	"melmastoon.ghasi.io/functions/reservation/paymentcaptured"
	"melmastoon.ghasi.io/functions/reservation/paymentfailed"
	reservationquote "melmastoon.ghasi.io/functions/reservation/quote"
	"melmastoon.ghasi.io/functions/reservation/read"
	reservationrelay "melmastoon.ghasi.io/functions/reservation/relay"
	sandboxavailability "melmastoon.ghasi.io/functions/sandbox/availability"
	"melmastoon.ghasi.io/functions/sandbox/checkout"
	"melmastoon.ghasi.io/functions/sandbox/commitrooms"
	"melmastoon.ghasi.io/functions/sandbox/comparerates"
	"melmastoon.ghasi.io/functions/sandbox/configuretenant"
	"melmastoon.ghasi.io/functions/sandbox/expireintents"
	"melmastoon.ghasi.io/functions/sandbox/holdexpired"
	"melmastoon.ghasi.io/functions/sandbox/holdrooms"
	"melmastoon.ghasi.io/functions/sandbox/listpolicies"
	"melmastoon.ghasi.io/functions/sandbox/listproperties"
	sandboxopenintent "melmastoon.ghasi.io/functions/sandbox/openintent"
	"melmastoon.ghasi.io/functions/sandbox/pay"
	"melmastoon.ghasi.io/functions/sandbox/price"
	"melmastoon.ghasi.io/functions/sandbox/publishrateplan"
	"melmastoon.ghasi.io/functions/sandbox/publishtheme"
	"melmastoon.ghasi.io/functions/sandbox/readintent"
	"melmastoon.ghasi.io/functions/sandbox/readproperty"
	"melmastoon.ghasi.io/functions/sandbox/readtenant"
	"melmastoon.ghasi.io/functions/sandbox/readtheme"
	"melmastoon.ghasi.io/functions/sandbox/refund"
	"melmastoon.ghasi.io/functions/sandbox/reinstatetenant"
	sandboxrelay "melmastoon.ghasi.io/functions/sandbox/relay"
	"melmastoon.ghasi.io/functions/sandbox/releaserooms"
	"melmastoon.ghasi.io/functions/sandbox/reservationcancelled"
	"melmastoon.ghasi.io/functions/sandbox/sitebooking"
	"melmastoon.ghasi.io/functions/sandbox/sitechoose"
	"melmastoon.ghasi.io/functions/sandbox/siteconfirmation"
	"melmastoon.ghasi.io/functions/sandbox/siteguest"
	"melmastoon.ghasi.io/functions/sandbox/siteleave"
	"melmastoon.ghasi.io/functions/sandbox/sitepay"
	"melmastoon.ghasi.io/functions/sandbox/siteprefer"
	"melmastoon.ghasi.io/functions/sandbox/sitereturn"
	"melmastoon.ghasi.io/functions/sandbox/siterooms"
	"melmastoon.ghasi.io/functions/sandbox/suspendtenant"
	tenantbookingallocationcommitted "melmastoon.ghasi.io/functions/tenantbooking/allocationcommitted"
	tenantbookingavailability "melmastoon.ghasi.io/functions/tenantbooking/availability"
	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	"melmastoon.ghasi.io/functions/tenantbooking/changesession"
	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/confirmcash"
	"melmastoon.ghasi.io/functions/tenantbooking/consumehandoff"
	"melmastoon.ghasi.io/functions/tenantbooking/dropdraft"
	tenantbookinghold "melmastoon.ghasi.io/functions/tenantbooking/hold"
	tenantbookingopenintent "melmastoon.ghasi.io/functions/tenantbooking/openintent"
	"melmastoon.ghasi.io/functions/tenantbooking/patchdraft"
	"melmastoon.ghasi.io/functions/tenantbooking/payreturn"
	"melmastoon.ghasi.io/functions/tenantbooking/policies"
	tenantbookingquote "melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/rateplanpublished"
	"melmastoon.ghasi.io/functions/tenantbooking/readconfirmation"
	"melmastoon.ghasi.io/functions/tenantbooking/readdraft"
	tenantbookingrelay "melmastoon.ghasi.io/functions/tenantbooking/relay"
	"melmastoon.ghasi.io/functions/tenantbooking/sweepdrafts"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantreinstated"
	"melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
	"melmastoon.ghasi.io/functions/tenantbooking/themepublished"
)

// Functions are all deployed functions.
var Functions = []fn.Function{
	reservationallocationcommitted.Function,
	allocationfailed.Function,
	cancel.Function,
	confirm.Function,
	expireholds.Function,
	find.Function,
	reservationhold.Function,
	nameguest.Function,
	paymentcaptured.Function,
	paymentfailed.Function,
	reservationquote.Function,
	read.Function,
	reservationrelay.Function,

	tenantbookingallocationcommitted.Function,
	tenantbookingavailability.Function,
	bootstrap.Function,
	changesession.Function,
	configupdated.Function,
	confirmcash.Function,
	consumehandoff.Function,
	dropdraft.Function,
	tenantbookinghold.Function,
	tenantbookingopenintent.Function,
	patchdraft.Function,
	payreturn.Function,
	policies.Function,
	tenantbookingquote.Function,
	rateplanpublished.Function,
	readconfirmation.Function,
	readdraft.Function,
	tenantbookingrelay.Function,
	sweepdrafts.Function,
	tenantreinstated.Function,
	tenantsuspended.Function,
	themepublished.Function,

	sandboxavailability.Function,
	checkout.Function,
	commitrooms.Function,
	comparerates.Function,
	configuretenant.Function,
	expireintents.Function,
	holdexpired.Function,
	holdrooms.Function,
	listpolicies.Function,
	listproperties.Function,
	sandboxopenintent.Function,
	pay.Function,
	price.Function,
	publishrateplan.Function,
	publishtheme.Function,
	readintent.Function,
	readproperty.Function,
	readtenant.Function,
	readtheme.Function,
	refund.Function,
	reinstatetenant.Function,
	sandboxrelay.Function,
	releaserooms.Function,
	reservationcancelled.Function,
	sitebooking.Function,
	sitechoose.Function,
	siteconfirmation.Function,
	siteguest.Function,
	siteleave.Function,
	sitepay.Function,
	siteprefer.Function,
	sitereturn.Function,
	siterooms.Function,
	suspendtenant.Function,
}

// Jobs are all deployed Cloud Run jobs.
var Jobs = []fn.Job{
	migrate.Job,
}
