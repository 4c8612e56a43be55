// Package melmastoon is the catalogue: one line for each function and job that is deployed. Whatever has to know what
// there is, the local cloud, the bundles, the infrastructure and the documents, derives it from here.
package melmastoon

import (
	"melmastoon.ghasi.io/jobs/migrate"
	"melmastoon.ghasi.io/jobs/prune"
	"melmastoon.ghasi.io/shared/fn"

	"melmastoon.ghasi.io/functions/consumer/addwish"
	consumeravailability "melmastoon.ghasi.io/functions/consumer/availability"
	consumerchangesession "melmastoon.ghasi.io/functions/consumer/changesession"
	"melmastoon.ghasi.io/functions/consumer/clearsession"
	"melmastoon.ghasi.io/functions/consumer/handoffconsumed"
	"melmastoon.ghasi.io/functions/consumer/handoffreplayed"
	"melmastoon.ghasi.io/functions/consumer/listingindexed"
	"melmastoon.ghasi.io/functions/consumer/listwishes"
	"melmastoon.ghasi.io/functions/consumer/minthandoff"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/recordclick"
	"melmastoon.ghasi.io/functions/consumer/recordfunnel"
	"melmastoon.ghasi.io/functions/consumer/recordpageview"
	consumerrelay "melmastoon.ghasi.io/functions/consumer/relay"
	"melmastoon.ghasi.io/functions/consumer/removewish"
	consumersearch "melmastoon.ghasi.io/functions/consumer/search"
	"melmastoon.ghasi.io/functions/consumer/searchmap"
	"melmastoon.ghasi.io/functions/consumer/sweepsessions"
	consumertenantreinstated "melmastoon.ghasi.io/functions/consumer/tenantreinstated"
	consumertenantsuspended "melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	consumerthemepublished "melmastoon.ghasi.io/functions/consumer/themepublished"
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
	"melmastoon.ghasi.io/functions/sandbox/brands"
	"melmastoon.ghasi.io/functions/sandbox/calendar"
	"melmastoon.ghasi.io/functions/sandbox/checkout"
	"melmastoon.ghasi.io/functions/sandbox/clickrecorded"
	"melmastoon.ghasi.io/functions/sandbox/commitrooms"
	"melmastoon.ghasi.io/functions/sandbox/comparerates"
	"melmastoon.ghasi.io/functions/sandbox/configuretenant"
	"melmastoon.ghasi.io/functions/sandbox/expireintents"
	"melmastoon.ghasi.io/functions/sandbox/holdexpired"
	"melmastoon.ghasi.io/functions/sandbox/holdrooms"
	"melmastoon.ghasi.io/functions/sandbox/indexlisting"
	"melmastoon.ghasi.io/functions/sandbox/listpolicies"
	"melmastoon.ghasi.io/functions/sandbox/listproperties"
	sandboxopenintent "melmastoon.ghasi.io/functions/sandbox/openintent"
	"melmastoon.ghasi.io/functions/sandbox/pay"
	"melmastoon.ghasi.io/functions/sandbox/pins"
	"melmastoon.ghasi.io/functions/sandbox/previews"
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
	"melmastoon.ghasi.io/functions/sandbox/revokesession"
	sandboxsearch "melmastoon.ghasi.io/functions/sandbox/search"
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
	tenantbookingchangesession "melmastoon.ghasi.io/functions/tenantbooking/changesession"
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
	"melmastoon.ghasi.io/functions/tenantbooking/sessionrevoked"
	"melmastoon.ghasi.io/functions/tenantbooking/sweepdrafts"
	tenantbookingtenantreinstated "melmastoon.ghasi.io/functions/tenantbooking/tenantreinstated"
	tenantbookingtenantsuspended "melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
	tenantbookingthemepublished "melmastoon.ghasi.io/functions/tenantbooking/themepublished"
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
	tenantbookingchangesession.Function,
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
	sessionrevoked.Function,
	sweepdrafts.Function,
	tenantbookingtenantreinstated.Function,
	tenantbookingtenantsuspended.Function,
	tenantbookingthemepublished.Function,

	addwish.Function,
	consumeravailability.Function,
	consumerchangesession.Function,
	clearsession.Function,
	handoffconsumed.Function,
	handoffreplayed.Function,
	listingindexed.Function,
	listwishes.Function,
	minthandoff.Function,
	readhotel.Function,
	readsession.Function,
	recordclick.Function,
	recordfunnel.Function,
	recordpageview.Function,
	consumerrelay.Function,
	removewish.Function,
	consumersearch.Function,
	searchmap.Function,
	sweepsessions.Function,
	consumertenantreinstated.Function,
	consumertenantsuspended.Function,
	consumerthemepublished.Function,

	sandboxavailability.Function,
	brands.Function,
	calendar.Function,
	checkout.Function,
	clickrecorded.Function,
	commitrooms.Function,
	comparerates.Function,
	configuretenant.Function,
	expireintents.Function,
	holdexpired.Function,
	holdrooms.Function,
	indexlisting.Function,
	listpolicies.Function,
	listproperties.Function,
	sandboxopenintent.Function,
	pay.Function,
	pins.Function,
	previews.Function,
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
	revokesession.Function,
	sandboxsearch.Function,
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
	prune.Job,
}
