# Each function logs one line per call. What is counted here is counted from these lines.
locals {
  lines = "resource.type=\"cloud_run_revision\" AND jsonPayload.function:*"
}

resource "google_logging_metric" "calls" {
  name        = "melmastoon/calls"
  description = "Calls by function, status and problem code."
  filter      = local.lines

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"

    labels {
      key = "function"
    }

    labels {
      key = "status"
    }

    labels {
      key = "code"
    }
  }

  label_extractors = {
    function = "EXTRACT(jsonPayload.function)"
    status   = "EXTRACT(httpRequest.status)"
    code     = "EXTRACT(jsonPayload.code)"
  }

  depends_on = [google_project_service.api]
}

resource "google_logging_metric" "latency" {
  name            = "melmastoon/latency"
  description     = "How long calls took, in seconds."
  filter          = "${local.lines} AND httpRequest.latency:*"
  value_extractor = "REGEXP_EXTRACT(httpRequest.latency, \"([0-9.]+)\")"

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "DISTRIBUTION"
    unit        = "s"

    labels {
      key = "function"
    }
  }

  label_extractors = {
    function = "EXTRACT(jsonPayload.function)"
  }

  bucket_options {
    exponential_buckets {
      num_finite_buckets = 40
      growth_factor      = 1.35
      scale              = 0.001
    }
  }

  depends_on = [google_project_service.api]
}

# What needs a person as soon as there is one line of it. A relay counts the events that are parked, or have failed for more than five
# minutes; those of the retention class operational are counted apart. A process that cannot start answers no call, and Cloud Run answers 503 for it.
# Functions of the reservation service count steps of a booking that do not end, and guests who need a key by hand; the sweep of drafts counts
# payments without an outcome.
resource "google_logging_metric" "incidents" {
  for_each = {
    outbox_stuck = {
      description = "Ticks of a relay that found audit or regulated events in need of a person."
      filter      = "${local.lines} AND jsonPayload.outbox.stuck>0"
    }
    outbox_stuckOperational = {
      description = "Ticks of a relay that found operational events in need of a person."
      filter      = "${local.lines} AND jsonPayload.outbox.stuckOperational>0"
    }
    outbox_rows = {
      description = "Ticks of a relay that found more than 50 million rows in its outbox."
      filter      = "${local.lines} AND jsonPayload.outbox.rows>50000000"
    }
    saga_stuck = {
      description = "Ticks of the watcher in which a saga step failed after more than five attempts."
      filter      = "${local.lines} AND jsonPayload.counts.stuckSteps>0"
    }
    manual_keys = {
      description = "Calls that completed a check-in or a change of keys without an electronic key."
      filter      = "${local.lines} AND jsonPayload.counts.manualKeys>0"
    }
    rooms_without_alternative = {
      description = "Calls that found a guest whose room is out of order, and no other free room."
      filter      = "${local.lines} AND jsonPayload.counts.roomsWithoutAlternative>0"
    }
    drafts_stuck = {
      description = "Ticks of the sweep that found a draft whose payment has had no outcome for two hours."
      filter      = "${local.lines} AND jsonPayload.counts.stuckDrafts>0"
    }
    failed_starts = {
      description = "Starts of a function that failed."
      filter      = "resource.type=\"cloud_run_revision\" AND severity=CRITICAL AND jsonPayload.message=~\"does not start\""
    }
  }

  name        = "melmastoon/${each.key}"
  description = each.value.description
  filter      = each.value.filter

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"

    labels {
      key = "function"
    }
  }

  label_extractors = {
    function = "EXTRACT(jsonPayload.function)"
  }

  depends_on = [google_project_service.api]
}

# The daily run of the job keys prints a line for each key that is older than the limit of its keyring.
resource "google_logging_metric" "old_keys" {
  for_each = toset([for name, r in local.cadenced : name if local.jobs[r.job].keyrings])

  name        = "melmastoon/old_keys"
  description = "Keys that are older than the limit of their keyring."
  filter      = "resource.type=\"cloud_run_job\" AND resource.labels.job_name=\"${each.key}\" AND textPayload=~\"is older than its limit of\""

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"

    labels {
      key = "keyring"
    }
  }

  label_extractors = {
    keyring = "REGEXP_EXTRACT(textPayload, \"^([A-Z_]+): \")"
  }

  depends_on = [google_project_service.api]
}

# How many events a call published, and how many of them had lain in the outbox for more than thirty seconds, deferred ones for more than
# ninety. A relay publishes thousands in one call, so what a percentile of lines says is not what one of events does: the alert divides the
# sums of both.
resource "google_logging_metric" "outbox" {
  for_each = {
    published = "Events that a call published."
    late      = "Of them, those that had waited for more than thirty seconds, deferred ones for more than ninety."
  }

  name            = "melmastoon/outbox_${each.key}"
  description     = each.value
  filter          = "${local.lines} AND jsonPayload.outbox.published>0"
  value_extractor = "EXTRACT(jsonPayload.outbox.${each.key})"

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "DISTRIBUTION"
    unit        = "1"

    labels {
      key = "service"
    }
  }

  label_extractors = {
    service = "REGEXP_EXTRACT(jsonPayload.function, \"^([a-z]+)-\")"
  }

  bucket_options {
    exponential_buckets {
      num_finite_buckets = 20
      growth_factor      = 2
      scale              = 1
    }
  }

  depends_on = [google_project_service.api]
}

# Cloud Run writes a line of its own about each call, with the caller's address and the whole URL: in its query are tokens that let a
# guest in, and the codes of reservations. The function's line has none of these, so that of Cloud Run is not kept.
resource "google_logging_project_exclusion" "requests" {
  name        = "melmastoon-requests"
  description = "Calls as Cloud Run sees them: addresses and tokens."
  filter      = "resource.type=\"cloud_run_revision\" AND logName=\"projects/${var.project}/logs/run.googleapis.com%2Frequests\""

  depends_on = [google_project_service.api]
}

# A line of the load balancer is kept if a security policy refused the call, or would have refused it outside preview, unless the call or
# its referrer has a query: tokens of guests are in queries.
resource "google_logging_project_exclusion" "edge" {
  for_each = {
    undecided = "NOT jsonPayload.previewSecurityPolicy.outcome=\"DENY\" AND NOT jsonPayload.enforcedSecurityPolicy.outcome=\"DENY\""
    queries   = "(httpRequest.requestUrl:\"?\" OR httpRequest.referer:\"?\")"
  }

  name        = "melmastoon-edge-${each.key}"
  description = "Calls as the load balancer sees them: ${each.key}."
  filter      = "resource.type=\"http_load_balancer\" AND ${each.value}"

  depends_on = [google_project_service.api]
}

# Metrics that alerts read are there some time before the first line is counted.
locals {
  logged = { for name, metric in merge({ calls = google_logging_metric.calls, latency = google_logging_metric.latency }, google_logging_metric.incidents) :
    name => "metric.type=\"logging.googleapis.com/user/${metric.name}\" AND resource.type=\"cloud_run_revision\""
  }

  counted = {
    drafts  = local.logged.drafts_stuck
    latency = local.logged.latency
    starts  = local.logged.failed_starts
    manual  = local.logged.manual_keys
    rooms   = local.logged.rooms_without_alternative
    rows    = local.logged.outbox_rows
    saga    = local.logged.saga_stuck
    stuck   = { stuck = local.logged.outbox_stuck, stuckOperational = local.logged.outbox_stuckOperational }
  }

  # As PromQL calls them. An absence that PromQL finds needs no earlier value: what has never worked is noticed too.
  calls_summed = "logging_googleapis_com:user_${replace(google_logging_metric.calls.name, "/", "_")}"

  latency_summed = "logging_googleapis_com:user_${replace(google_logging_metric.latency.name, "/", "_")}"

  # The sums of the last ten minutes by service, as PromQL calls them.
  summed = { for what, metric in google_logging_metric.outbox :
    what => "sum by (service) (increase(logging_googleapis_com:user_${replace(metric.name, "/", "_")}_sum{monitored_resource=\"cloud_run_revision\"}[10m]))"
  }
}
