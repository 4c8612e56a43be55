# catalogue.go alone decides what is deployed: go run ./scripts/catalogue writes it for this folder.
locals {
  catalogue = jsondecode(file("${path.module}/catalogue.json"))

  services  = { for name, s in local.catalogue.services : name => s if var.demo || !s.standIn }
  functions = { for name, f in local.catalogue.functions : name => f if contains(keys(local.services), f.service) }
  routes    = [for r in local.catalogue.routes : r if contains(keys(local.functions), r.function)]

  called    = { for name, f in local.functions : name => f if f.kind == "http" }
  consumers = { for name, f in local.functions : name => f if f.kind == "event" }
  scheduled = { for name, f in local.functions : name => f if f.kind == "scheduled" }

  published  = toset(flatten([for f in local.functions : f.emits]))
  subscribed = toset([for f in local.consumers : f.event.subject])
  topics     = setunion(local.published, local.subscribed)
  # One dead-letter topic may serve several functions of a service.
  dead_letters = { for topic in toset([for f in local.consumers : f.event.deadLetter]) : topic => {
    service  = one(distinct([for f in local.consumers : f.service if f.event.deadLetter == topic]))
    accounts = distinct([for f in local.consumers : f.account if f.event.deadLetter == topic])
  } }

  # What is done at a cadence has a schedule of its own for each; other jobs run when they are asked to.
  # The probe needs a hotel that takes its bookings: in a demonstration the sandbox has one.
  # A demonstration has no guests whose sessions a rotation could end, and no account to spare for the job that rotates keys.
  jobs = { for name, j in local.catalogue.jobs : name => j if(j.service == "" || contains(keys(local.services), j.service)) && (name != "probe" || var.demo || var.probe_hotel != null) && !(j.keyrings && var.demo) }
  # reading: the accounts of jobs that read and remove dead letters. replaying: the accounts of jobs that publish them again.
  reading   = toset([for name, j in local.jobs : "serviceAccount:jobs-${name}@${local.domain_of_accounts}" if j.letters])
  replaying = toset([for name, j in local.jobs : "serviceAccount:jobs-${name}@${local.domain_of_accounts}" if j.replays])
  # A job with byHand also exists without a cadence, for runs by a person: their failure must not raise the alert of the scheduled runs.
  runs = merge({ for name, j in local.jobs : name => { job = name, archive = j.archive, cadence = null } if j.byHand }, [for name, j in local.jobs : length(j.cadences) == 0 ? { (name) = { job = name, archive = j.archive, cadence = null } } :
    { for cadence in j.cadences : "${name}-${cadence}" => { job = name, archive = j.archive, cadence = cadence } }
  ]...)
}
