// Package melmastoon is the catalogue: one line for each function and job that is deployed. Whatever has to know what
// there is, the local cloud, the bundles, the infrastructure and the documents, derives it from here.
package melmastoon

import (
	"melmastoon.ghasi.io/jobs/command"
	"melmastoon.ghasi.io/jobs/database"
	"melmastoon.ghasi.io/jobs/erase"
	"melmastoon.ghasi.io/jobs/flags"
	"melmastoon.ghasi.io/jobs/furnish"
	"melmastoon.ghasi.io/jobs/keys"
	"melmastoon.ghasi.io/jobs/migrate"
	"melmastoon.ghasi.io/jobs/outbox"
	"melmastoon.ghasi.io/jobs/probe"
	"melmastoon.ghasi.io/jobs/prune"
	"melmastoon.ghasi.io/jobs/replay"
	"melmastoon.ghasi.io/jobs/timeline"
	"melmastoon.ghasi.io/shared/platform/fn"

	"melmastoon.ghasi.io/functions/consumer/addwish"
	consumerchangesession "melmastoon.ghasi.io/functions/consumer/changesession"
	"melmastoon.ghasi.io/functions/consumer/clearsession"
	"melmastoon.ghasi.io/functions/consumer/handoffconsumed"
	"melmastoon.ghasi.io/functions/consumer/handoffreplayed"
	"melmastoon.ghasi.io/functions/consumer/listingindexed"
	"melmastoon.ghasi.io/functions/consumer/listwishes"
	"melmastoon.ghasi.io/functions/consumer/minthandoff"
	consumerreadavailability "melmastoon.ghasi.io/functions/consumer/readavailability"
	"melmastoon.ghasi.io/functions/consumer/readhotel"
	"melmastoon.ghasi.io/functions/consumer/readsession"
	"melmastoon.ghasi.io/functions/consumer/recordclick"
	"melmastoon.ghasi.io/functions/consumer/recordfunnel"
	"melmastoon.ghasi.io/functions/consumer/recordpageview"
	consumerrelay "melmastoon.ghasi.io/functions/consumer/relay"
	"melmastoon.ghasi.io/functions/consumer/removewish"
	consumersearch "melmastoon.ghasi.io/functions/consumer/search"
	consumersearchmap "melmastoon.ghasi.io/functions/consumer/searchmap"
	"melmastoon.ghasi.io/functions/consumer/suggestdestinations"
	"melmastoon.ghasi.io/functions/consumer/sweepsessions"
	consumertenantreinstated "melmastoon.ghasi.io/functions/consumer/tenantreinstated"
	consumertenantsuspended "melmastoon.ghasi.io/functions/consumer/tenantsuspended"
	consumerthemepublished "melmastoon.ghasi.io/functions/consumer/themepublished"
	"melmastoon.ghasi.io/functions/demo/frontdesk/bookwalkin"
	"melmastoon.ghasi.io/functions/demo/frontdesk/changestay"
	frontdeskcheckin "melmastoon.ghasi.io/functions/demo/frontdesk/checkin"
	frontdeskcheckout "melmastoon.ghasi.io/functions/demo/frontdesk/checkout"
	"melmastoon.ghasi.io/functions/demo/frontdesk/endbooking"
	"melmastoon.ghasi.io/functions/demo/frontdesk/login"
	"melmastoon.ghasi.io/functions/demo/frontdesk/showrack"
	"melmastoon.ghasi.io/functions/demo/frontdesk/showreceipt"
	"melmastoon.ghasi.io/functions/demo/frontdesk/showreservation"
	"melmastoon.ghasi.io/functions/demo/frontdesk/showtoday"
	"melmastoon.ghasi.io/functions/demo/frontdesk/showwalkin"
	"melmastoon.ghasi.io/functions/demo/frontdesk/takecash"
	"melmastoon.ghasi.io/functions/demo/sandbox/authenticate"
	"melmastoon.ghasi.io/functions/demo/sandbox/clickrecorded"
	"melmastoon.ghasi.io/functions/demo/sandbox/collect"
	"melmastoon.ghasi.io/functions/demo/sandbox/commitrooms"
	"melmastoon.ghasi.io/functions/demo/sandbox/comparerates"
	"melmastoon.ghasi.io/functions/demo/sandbox/configuretenant"
	"melmastoon.ghasi.io/functions/demo/sandbox/expireintents"
	"melmastoon.ghasi.io/functions/demo/sandbox/finddestinations"
	"melmastoon.ghasi.io/functions/demo/sandbox/findsimilar"
	"melmastoon.ghasi.io/functions/demo/sandbox/holdexpired"
	"melmastoon.ghasi.io/functions/demo/sandbox/holdrooms"
	"melmastoon.ghasi.io/functions/demo/sandbox/indexlisting"
	"melmastoon.ghasi.io/functions/demo/sandbox/issuekey"
	"melmastoon.ghasi.io/functions/demo/sandbox/listbrands"
	"melmastoon.ghasi.io/functions/demo/sandbox/listintents"
	"melmastoon.ghasi.io/functions/demo/sandbox/listkeys"
	"melmastoon.ghasi.io/functions/demo/sandbox/listlistings"
	sandboxlistpolicies "melmastoon.ghasi.io/functions/demo/sandbox/listpolicies"
	"melmastoon.ghasi.io/functions/demo/sandbox/listproperties"
	"melmastoon.ghasi.io/functions/demo/sandbox/listrooms"
	"melmastoon.ghasi.io/functions/demo/sandbox/mintstafftoken"
	sandboxopenintent "melmastoon.ghasi.io/functions/demo/sandbox/openintent"
	sandboxpay "melmastoon.ghasi.io/functions/demo/sandbox/pay"
	"melmastoon.ghasi.io/functions/demo/sandbox/previewprices"
	"melmastoon.ghasi.io/functions/demo/sandbox/publishrateplan"
	"melmastoon.ghasi.io/functions/demo/sandbox/publishtheme"
	sandboxquote "melmastoon.ghasi.io/functions/demo/sandbox/quote"
	sandboxreadavailability "melmastoon.ghasi.io/functions/demo/sandbox/readavailability"
	"melmastoon.ghasi.io/functions/demo/sandbox/readcalendar"
	"melmastoon.ghasi.io/functions/demo/sandbox/readintent"
	"melmastoon.ghasi.io/functions/demo/sandbox/readjwks"
	"melmastoon.ghasi.io/functions/demo/sandbox/readpopularity"
	"melmastoon.ghasi.io/functions/demo/sandbox/readproperty"
	"melmastoon.ghasi.io/functions/demo/sandbox/readtenant"
	"melmastoon.ghasi.io/functions/demo/sandbox/readtheme"
	"melmastoon.ghasi.io/functions/demo/sandbox/reallocaterooms"
	"melmastoon.ghasi.io/functions/demo/sandbox/refund"
	"melmastoon.ghasi.io/functions/demo/sandbox/reinstatetenant"
	sandboxrelay "melmastoon.ghasi.io/functions/demo/sandbox/relay"
	"melmastoon.ghasi.io/functions/demo/sandbox/releaserooms"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationcancelled"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationcheckedout"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationconfirmed"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationearlycheckout"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationmodified"
	"melmastoon.ghasi.io/functions/demo/sandbox/reservationnoshow"
	"melmastoon.ghasi.io/functions/demo/sandbox/revokekeys"
	"melmastoon.ghasi.io/functions/demo/sandbox/revokesession"
	"melmastoon.ghasi.io/functions/demo/sandbox/rotatekeys"
	sandboxsearch "melmastoon.ghasi.io/functions/demo/sandbox/search"
	sandboxsearchmap "melmastoon.ghasi.io/functions/demo/sandbox/searchmap"
	"melmastoon.ghasi.io/functions/demo/sandbox/showcheckout"
	"melmastoon.ghasi.io/functions/demo/sandbox/showdocs"
	"melmastoon.ghasi.io/functions/demo/sandbox/suspendtenant"
	"melmastoon.ghasi.io/functions/demo/sandbox/takeroomout"
	"melmastoon.ghasi.io/functions/demo/sandbox/verifychallenge"
	"melmastoon.ghasi.io/functions/demo/storefront/acceptreturn"
	storefrontcancel "melmastoon.ghasi.io/functions/demo/storefront/cancel"
	storefrontchange "melmastoon.ghasi.io/functions/demo/storefront/change"
	"melmastoon.ghasi.io/functions/demo/storefront/choose"
	"melmastoon.ghasi.io/functions/demo/storefront/chooselanguage"
	"melmastoon.ghasi.io/functions/demo/storefront/findhotels"
	"melmastoon.ghasi.io/functions/demo/storefront/leave"
	"melmastoon.ghasi.io/functions/demo/storefront/offerrooms"
	storefrontpay "melmastoon.ghasi.io/functions/demo/storefront/pay"
	storefrontpaybalance "melmastoon.ghasi.io/functions/demo/storefront/paybalance"
	"melmastoon.ghasi.io/functions/demo/storefront/prefer"
	"melmastoon.ghasi.io/functions/demo/storefront/receiveguest"
	"melmastoon.ghasi.io/functions/demo/storefront/savehotel"
	"melmastoon.ghasi.io/functions/demo/storefront/sendguest"
	storefrontsetguest "melmastoon.ghasi.io/functions/demo/storefront/setguest"
	"melmastoon.ghasi.io/functions/demo/storefront/showbooking"
	"melmastoon.ghasi.io/functions/demo/storefront/showcancellation"
	"melmastoon.ghasi.io/functions/demo/storefront/showchanges"
	"melmastoon.ghasi.io/functions/demo/storefront/showconfirmation"
	"melmastoon.ghasi.io/functions/demo/storefront/showhotel"
	"melmastoon.ghasi.io/functions/reservation/addspecialrequest"
	reservationallocationcommitted "melmastoon.ghasi.io/functions/reservation/allocationcommitted"
	"melmastoon.ghasi.io/functions/reservation/allocationfailed"
	"melmastoon.ghasi.io/functions/reservation/cancel"
	"melmastoon.ghasi.io/functions/reservation/changedates"
	reservationcheckin "melmastoon.ghasi.io/functions/reservation/checkin"
	reservationcheckout "melmastoon.ghasi.io/functions/reservation/checkout"
	"melmastoon.ghasi.io/functions/reservation/confirm"
	"melmastoon.ghasi.io/functions/reservation/expireholds"
	"melmastoon.ghasi.io/functions/reservation/find"
	reservationhold "melmastoon.ghasi.io/functions/reservation/hold"
	"melmastoon.ghasi.io/functions/reservation/keyfailed"
	"melmastoon.ghasi.io/functions/reservation/keyissued"
	"melmastoon.ghasi.io/functions/reservation/modify"
	"melmastoon.ghasi.io/functions/reservation/noshow"
	"melmastoon.ghasi.io/functions/reservation/paymentcaptured"
	"melmastoon.ghasi.io/functions/reservation/paymentfailed"
	"melmastoon.ghasi.io/functions/reservation/paymentrefunded"
	reservationquote "melmastoon.ghasi.io/functions/reservation/quote"
	"melmastoon.ghasi.io/functions/reservation/read"
	reservationrelay "melmastoon.ghasi.io/functions/reservation/relay"
	"melmastoon.ghasi.io/functions/reservation/roomoutoforder"
	reservationsetguest "melmastoon.ghasi.io/functions/reservation/setguest"
	"melmastoon.ghasi.io/functions/reservation/settingschanged"
	"melmastoon.ghasi.io/functions/reservation/sweepnoshows"
	"melmastoon.ghasi.io/functions/reservation/sweepoutages"
	"melmastoon.ghasi.io/functions/reservation/walkin"
	"melmastoon.ghasi.io/functions/reservation/watchoverstays"
	"melmastoon.ghasi.io/functions/reservation/watchsagas"
	"melmastoon.ghasi.io/functions/tenantbooking/abandondraft"
	tenantbookingallocationcommitted "melmastoon.ghasi.io/functions/tenantbooking/allocationcommitted"
	"melmastoon.ghasi.io/functions/tenantbooking/bootstrap"
	tenantbookingcancel "melmastoon.ghasi.io/functions/tenantbooking/cancel"
	"melmastoon.ghasi.io/functions/tenantbooking/change"
	tenantbookingchangesession "melmastoon.ghasi.io/functions/tenantbooking/changesession"
	"melmastoon.ghasi.io/functions/tenantbooking/configupdated"
	"melmastoon.ghasi.io/functions/tenantbooking/confirmcash"
	"melmastoon.ghasi.io/functions/tenantbooking/confirmpayment"
	"melmastoon.ghasi.io/functions/tenantbooking/consumehandoff"
	tenantbookinghold "melmastoon.ghasi.io/functions/tenantbooking/hold"
	tenantbookinglistpolicies "melmastoon.ghasi.io/functions/tenantbooking/listpolicies"
	tenantbookinglistproperties "melmastoon.ghasi.io/functions/tenantbooking/listproperties"
	tenantbookingopenintent "melmastoon.ghasi.io/functions/tenantbooking/openintent"
	tenantbookingpaybalance "melmastoon.ghasi.io/functions/tenantbooking/paybalance"
	tenantbookingquote "melmastoon.ghasi.io/functions/tenantbooking/quote"
	"melmastoon.ghasi.io/functions/tenantbooking/rateplanpublished"
	tenantbookingreadavailability "melmastoon.ghasi.io/functions/tenantbooking/readavailability"
	"melmastoon.ghasi.io/functions/tenantbooking/readconfirmation"
	"melmastoon.ghasi.io/functions/tenantbooking/readdraft"
	"melmastoon.ghasi.io/functions/tenantbooking/readlink"
	tenantbookingrelay "melmastoon.ghasi.io/functions/tenantbooking/relay"
	"melmastoon.ghasi.io/functions/tenantbooking/sessionrevoked"
	"melmastoon.ghasi.io/functions/tenantbooking/setguest"
	"melmastoon.ghasi.io/functions/tenantbooking/sweepdrafts"
	tenantbookingtenantreinstated "melmastoon.ghasi.io/functions/tenantbooking/tenantreinstated"
	tenantbookingtenantsuspended "melmastoon.ghasi.io/functions/tenantbooking/tenantsuspended"
	tenantbookingthemepublished "melmastoon.ghasi.io/functions/tenantbooking/themepublished"
)

// Functions are all deployed functions, in the order of their names.
var Functions = []fn.Function{
	addwish.Function,
	consumerchangesession.Function,
	clearsession.Function,
	handoffconsumed.Function,
	handoffreplayed.Function,
	listingindexed.Function,
	listwishes.Function,
	minthandoff.Function,
	consumerreadavailability.Function,
	readhotel.Function,
	readsession.Function,
	recordclick.Function,
	recordfunnel.Function,
	recordpageview.Function,
	consumerrelay.Function,
	removewish.Function,
	consumersearch.Function,
	consumersearchmap.Function,
	suggestdestinations.Function,
	sweepsessions.Function,
	consumertenantreinstated.Function,
	consumertenantsuspended.Function,
	consumerthemepublished.Function,

	bookwalkin.Function,
	changestay.Function,
	frontdeskcheckin.Function,
	frontdeskcheckout.Function,
	endbooking.Function,
	login.Function,
	showrack.Function,
	showreceipt.Function,
	showreservation.Function,
	showtoday.Function,
	showwalkin.Function,
	takecash.Function,

	addspecialrequest.Function,
	reservationallocationcommitted.Function,
	allocationfailed.Function,
	cancel.Function,
	changedates.Function,
	reservationcheckin.Function,
	reservationcheckout.Function,
	confirm.Function,
	expireholds.Function,
	find.Function,
	reservationhold.Function,
	keyfailed.Function,
	keyissued.Function,
	modify.Function,
	noshow.Function,
	paymentcaptured.Function,
	paymentfailed.Function,
	paymentrefunded.Function,
	reservationquote.Function,
	read.Function,
	reservationrelay.Function,
	roomoutoforder.Function,
	reservationsetguest.Function,
	settingschanged.Function,
	sweepnoshows.Function,
	sweepoutages.Function,
	walkin.Function,
	watchoverstays.Function,
	watchsagas.Function,

	authenticate.Function,
	clickrecorded.Function,
	collect.Function,
	commitrooms.Function,
	comparerates.Function,
	configuretenant.Function,
	expireintents.Function,
	finddestinations.Function,
	findsimilar.Function,
	holdexpired.Function,
	holdrooms.Function,
	indexlisting.Function,
	issuekey.Function,
	listbrands.Function,
	listintents.Function,
	listkeys.Function,
	listlistings.Function,
	sandboxlistpolicies.Function,
	listproperties.Function,
	listrooms.Function,
	mintstafftoken.Function,
	sandboxopenintent.Function,
	sandboxpay.Function,
	previewprices.Function,
	publishrateplan.Function,
	publishtheme.Function,
	sandboxquote.Function,
	sandboxreadavailability.Function,
	readcalendar.Function,
	readintent.Function,
	readjwks.Function,
	readpopularity.Function,
	readproperty.Function,
	readtenant.Function,
	readtheme.Function,
	reallocaterooms.Function,
	refund.Function,
	reinstatetenant.Function,
	sandboxrelay.Function,
	releaserooms.Function,
	reservationcancelled.Function,
	reservationcheckedout.Function,
	reservationconfirmed.Function,
	reservationearlycheckout.Function,
	reservationmodified.Function,
	reservationnoshow.Function,
	revokekeys.Function,
	revokesession.Function,
	rotatekeys.Function,
	sandboxsearch.Function,
	sandboxsearchmap.Function,
	showcheckout.Function,
	showdocs.Function,
	suspendtenant.Function,
	takeroomout.Function,
	verifychallenge.Function,

	acceptreturn.Function,
	storefrontcancel.Function,
	storefrontchange.Function,
	choose.Function,
	chooselanguage.Function,
	findhotels.Function,
	leave.Function,
	offerrooms.Function,
	storefrontpay.Function,
	storefrontpaybalance.Function,
	prefer.Function,
	receiveguest.Function,
	savehotel.Function,
	sendguest.Function,
	storefrontsetguest.Function,
	showbooking.Function,
	showcancellation.Function,
	showchanges.Function,
	showconfirmation.Function,
	showhotel.Function,

	abandondraft.Function,
	tenantbookingallocationcommitted.Function,
	bootstrap.Function,
	tenantbookingcancel.Function,
	change.Function,
	tenantbookingchangesession.Function,
	configupdated.Function,
	confirmcash.Function,
	confirmpayment.Function,
	consumehandoff.Function,
	tenantbookinghold.Function,
	tenantbookinglistpolicies.Function,
	tenantbookinglistproperties.Function,
	tenantbookingopenintent.Function,
	tenantbookingpaybalance.Function,
	tenantbookingquote.Function,
	rateplanpublished.Function,
	tenantbookingreadavailability.Function,
	readconfirmation.Function,
	readdraft.Function,
	readlink.Function,
	tenantbookingrelay.Function,
	sessionrevoked.Function,
	setguest.Function,
	sweepdrafts.Function,
	tenantbookingtenantreinstated.Function,
	tenantbookingtenantsuspended.Function,
	tenantbookingthemepublished.Function,
}

// Jobs are all deployed Cloud Run jobs.
var Jobs = []command.Job{
	database.Job,
	erase.Job,
	flags.Job,
	furnish.Job,
	keys.Job,
	migrate.Job,
	outbox.Job,
	probe.Job,
	prune.Job,
	replay.Job,
	timeline.Job,
}
