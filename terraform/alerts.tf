# Alerts. The documentation of each alert is its page in playbooks/, with the placeholders of this deployment filled in.
resource "google_monitoring_notification_channel" "email" {
  display_name = "melmastoon"
  type         = "email"

  labels = {
    email_address = var.alert_email
  }

  depends_on = [google_project_service.api]
}

locals {
  playbooks = { for page in fileset("${path.module}/playbooks", "*.md") :
    trimsuffix(page, ".md") => replace(replace(replace(file("${path.module}/playbooks/${page}"), "<project>", var.project), "<region>", var.region), "<domain>", var.domain)
  }

  by_function = ["metric.label.function"]

  # The machine with two processors is meant for 200 written rows per second and 100 GB. A larger machine has larger limits, so that the
  # alerts end when their page has been followed.
  processors = try(tonumber(regex("^db-custom-([0-9]+)-", var.database_tier)[0]), 2)
  outgrown   = { bytes = 50000000000 * local.processors, writes = 100 * local.processors }

  # The objective: of a month's calls, so many may fail. A burn rate says how much faster than evenly the budget of failures is spent: at
  # 14.4, an hour spends 2 % of the month's budget (14.4 / 720); at 6, six hours spend 5 %. A page must also hold for the last five minutes,
  # so that it ends soon after the trouble. Fewer than ten failures in the window are too few to judge by, and raise nothing.
  objective = 0.999
  burns = {
    fast = { rate = 14.4, window = "1h", recent = "5m", words = "2 % of the month's error budget in an hour", page = true, suffix = "" }
    slow = { rate = 6, window = "6h", recent = "30m", words = "5 % of the month's error budget in six hours", page = false, suffix = "-slow" }
  }
  least_failures = 10

  # The responses of a service to callers and Pub/Sub, as counted by Cloud Run, and the calls by our own count: selectors of all, and what
  # selects the failed ones besides.
  indicators = merge(
    { for service in keys(local.services) : "errors-${service}" => {
      name = "${service}: calls fail", playbook = "errors", about = { service = service }
      calls = join(",", concat(
        ["monitored_resource=\"cloud_run_revision\"", "service_name=~\"${service}-.*\""],
        length([for f in local.scheduled : f if f.service == service]) == 0 ? [] : ["service_name!~\"${join("|", [for name, f in local.scheduled : name if f.service == service])}\""],
      ))
      metric = "run_googleapis_com:request_count", failed = "response_code=~\"5..\",response_code!=\"503\""
    } },
    { for what, u in {
      store     = { code = "GENERAL.UNAVAILABLE", name = "a store is unavailable", playbook = "store-unavailable", ticks = true }
      neighbour = { code = "BFF.UPSTREAM_UNAVAILABLE", name = "an upstream service is unavailable", playbook = "upstream-unavailable", ticks = false } # ticks that wait for a service have alerts of their own
      } : "away-${what}" => {
      name  = u.name, playbook = u.playbook, about = { service = "<service>" }
      calls = "monitored_resource=\"cloud_run_revision\"${u.ticks ? "" : ",function!~\"${join("|", keys(local.scheduled))}\""}", metric = local.calls_summed, failed = "code=\"${u.code}\""
    } },
  )
  burning = merge([for key, i in local.indicators : { for b in values(local.burns) : "${key}${b.suffix}" => {
    name = "${i.name}: ${b.words}", playbook = i.playbook, about = i.about, page = b.page
    condition = { query = join(" and ", concat(
      [for window in [b.window, b.recent] : join(" > ", [
        "sum(increase(${i.metric}{${i.calls},${i.failed}}[${window}]))",
        "${format("%.4f", b.rate * (1 - local.objective))} * sum(increase(${i.metric}{${i.calls}}[${window}]))",
      ])],
      ["sum(increase(${i.metric}{${i.calls},${i.failed}}[${b.window}])) > ${local.least_failures}"],
    )) }
  } }]...)

  # Latency targets of single routes in seconds, for 95 % of calls. The target of all other routes is two seconds.
  promises = {
    "GET /bff/tenant-booking/v1/*/availability" = 0.6
    "GET /bff/tenant-booking/v1/*/bootstrap"    = 0.35
    "POST /bff/tenant-booking/v1/*/hold"        = 0.6
  }
  promised = { for r in local.routes : r.function => local.promises["${r.method} ${r.template}"] if contains(keys(local.promises), "${r.method} ${r.template}") }

  alerts = merge(
    # One cause, one page: scheduled functions have progress alerts, and 503 (a store or an upstream service is unavailable) has its own alert.
    local.burning,
    { starts = {
      name      = "a function does not start", playbook = "function-start", page = true
      condition = { filter = local.counted.starts, by = local.by_function, above = 0 }
    } },
    { for service in keys(local.services) : "latency-${service}" => {
      name = "${service}: calls are slow", playbook = "latency", page = false, about = { name = service }
      condition = {
        filter  = "${local.counted.latency} AND metric.labels.function=starts_with(\"${service}-\")"
        reducer = "REDUCE_PERCENTILE_95", above = 2, lasting = 600
      }
    } },
    { for name, seconds in local.promised : "latency-${name}" => {
      name = "${name} misses its latency target", playbook = "latency", page = false, about = { name = name }
      condition = {
        filter  = "${local.counted.latency} AND metric.labels.function=\"${name}\""
        reducer = "REDUCE_PERCENTILE_95", above = seconds, lasting = 600
      }
    } },
    { for topic, d in local.dead_letters : "dead-${topic}" => {
      name = "dead letters in ${topic}", playbook = "dead-letters", page = false, about = { topic = topic }
      condition = {
        filter  = "metric.type=\"pubsub.googleapis.com/subscription/num_undelivered_messages\" AND resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=\"${topic}\""
        aligner = "ALIGN_MAX", above = 0
      }
    } },
    { for service in toset([for d in local.dead_letters : d.service]) : "dead-many-${service}" => {
      name = "many dead letters of ${service}", playbook = "dead-letters", page = true
      condition = {
        filter  = "metric.type=\"pubsub.googleapis.com/subscription/num_undelivered_messages\" AND resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=one_of(${join(", ", [for topic, d in local.dead_letters : "\"${topic}\"" if d.service == service])})"
        aligner = "ALIGN_MAX", reducer = "REDUCE_MAX", above = local.dead_letters_of[service].page_above
      }
    } },
    { backlog = {
      name = "events are not delivered", playbook = "backlog", page = true
      condition = {
        filter  = "metric.type=\"pubsub.googleapis.com/subscription/oldest_unacked_message_age\" AND resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=one_of(${join(", ", [for f in values(local.consumers) : "\"${f.event.subscription}\""])})"
        aligner = "ALIGN_MAX", reducer = "REDUCE_MAX", by = ["resource.label.subscription_id"], above = 900, lasting = 300
      }
    } },
    # The retention class decides: audit and regulated events are evidence of an act.
    { outbox = {
      name      = "outbox: audit or regulated events are parked or failing", playbook = "outbox", page = true
      condition = { filter = local.counted.stuck.stuck, by = local.by_function, above = 0 }
    } },
    { outbox-operational = {
      name      = "outbox: operational events are parked or failing", playbook = "outbox-operational", page = false
      condition = { filter = local.counted.stuck.stuckOperational, by = local.by_function, above = 0 }
    } },
    # The number of rows at which the table should be partitioned.
    { outbox-rows = {
      name      = "outbox: more than 50 million rows", playbook = "outbox-rows", page = false
      condition = { filter = local.counted.rows, by = local.by_function, above = 0 }
    } },
    # One watcher repeats the steps of all tenants, so one alert is open for any number of stuck steps.
    { saga-stuck = {
      name      = "reservation: a saga step does not end", playbook = "saga-stuck", page = true
      condition = { filter = local.counted.saga, above = 0 }
    } },
    # One sweep visits the drafts of all tenants.
    { draft-stuck = {
      name      = "tenantbooking: a payment has no outcome", playbook = "draft-stuck", page = true
      condition = { filter = local.counted.drafts, above = 0 }
    } },
    { manual-keys = {
      name      = "reservation: guests need a key by hand", playbook = "manual-keys", page = false
      condition = { filter = local.counted.manual, above = 0 }
    } },
    { rooms-without-alternative = {
      name      = "reservation: a room is out of order and no other is free", playbook = "rooms-without-alternative", page = false
      condition = { filter = local.counted.rooms, above = 0 }
    } },
    # More than one event in a hundred waited for more than thirty seconds, or for ninety if it was deferred. A single event that a cold
    # instance leaves to the relay does not last long enough to raise the alert.
    { outbox-lag = {
      name      = "outbox: events are published late", playbook = "outbox-lag", page = false
      condition = { query = "${local.summed.late} > 0.01 * ${local.summed.published}", lasting = 900 }
    } },
    # A schedule that was stopped or never started causes no errors, so the alert looks for successful ticks. A tick that responds with 503
    # counts, because an unavailable store has its own alert.
    { for name, f in local.scheduled : "progress-${name}" => {
      name = "${name}: no success for 20 minutes", playbook = "progress", page = true, about = { function = name }
      condition = {
        query   = "(sum(increase(${local.calls_summed}{monitored_resource=\"cloud_run_revision\",function=\"${name}\",status=~\"2..|503\"}[10m])) or vector(0)) < 1"
        lasting = 600
      }
    } },
    # The probe does what a guest does, so it notices what no counter shows: an unreachable site, or wrong responses with a good status. Three runs
    # in a row have failed or are missing.
    { for name, r in local.cadenced : "probe" => {
      name = "a guest cannot book", playbook = "probe", page = true, about = { job = name }
      condition = {
        query   = "(sum(increase(run_googleapis_com:job_completed_execution_count{monitored_resource=\"cloud_run_job\",job_name=\"${name}\",result=\"succeeded\"}[15m])) or vector(0)) < 1"
        lasting = 120
      }
    } if r.job == "probe" },
    # A job that has never run, or never succeeded, causes no failed run. A PromQL condition may look back two years. Its duration of an
    # hour is part of the time without success.
    { for name, r in local.cadenced : "progress-${name}" => {
      name = "${name}: no success for ${local.cadences[r.cadence].words}", playbook = "job-progress", page = false, about = { job = name }
      condition = {
        query   = "(sum(increase(run_googleapis_com:job_completed_execution_count{monitored_resource=\"cloud_run_job\",job_name=\"${name}\",result=\"succeeded\"}[${local.cadences[r.cadence].silent - 1}h])) or vector(0)) < 1"
        lasting = 3600
      }
    } if r.job != "probe" },
    { for name, r in local.cadenced : "job-${name}" => {
      name = "${name}: a run failed", playbook = "job-failed", page = false, about = { job = name }
      condition = {
        filter = "metric.type=\"run.googleapis.com/job/completed_execution_count\" AND resource.type=\"cloud_run_job\" AND resource.labels.job_name=\"${name}\" AND metric.labels.result=\"failed\""
        above  = 0
      }
    } if r.job != "probe" },
    { for metric in google_logging_metric.old_keys : "keys-old" => {
      name = "a key is too old", playbook = "keys-old", page = false
      condition = {
        filter = "metric.type=\"logging.googleapis.com/user/${metric.name}\" AND resource.type=\"cloud_run_job\""
        by     = ["metric.label.keyring"], above = 0
      }
    } },
    { for what, c in {
      connections = { metric = "postgresql/num_backends", above = floor(0.85 * var.database_max_connections), name = "the database runs out of connections", playbook = "database-connections" }
      disk        = { metric = "disk/utilization", above = 0.85, name = "the database disk fills", playbook = "database-disk" }
      cpu         = { metric = "cpu/utilization", above = 0.9, name = "the database CPU is saturated", playbook = "database-cpu" }
      size        = { metric = "disk/bytes_used", above = local.outgrown.bytes, name = "the database has outgrown its machine: storage", playbook = "database-size" }
      writes      = { metric = "postgresql/tuples_processed_count", above = local.outgrown.writes, aligner = "ALIGN_RATE", lasting = 3600, name = "the database has outgrown its machine: writes", playbook = "database-writes" }
      } : "database-${what}" => {
      name = c.name, playbook = c.playbook, page = contains(["connections", "cpu"], what)
      condition = {
        filter  = "metric.type=\"cloudsql.googleapis.com/database/${c.metric}\" AND resource.type=\"cloudsql_database\" AND resource.labels.database_id=\"${var.project}:${google_sql_database_instance.main.name}\""
        aligner = try(c.aligner, "ALIGN_MEAN"), above = c.above, lasting = try(c.lasting, 600)
      }
    } },
    { for name in var.documents == "redis" ? ["melmastoon"] : [] : "documents" => {
      name = "Memorystore runs out of memory", playbook = "documents", page = true
      condition = {
        filter  = "metric.type=\"redis.googleapis.com/stats/memory/usage_ratio\" AND resource.type=\"redis_instance\" AND resource.labels.instance_id=\"projects/${var.project}/locations/${var.region}/instances/${name}\""
        aligner = "ALIGN_MEAN", reducer = "REDUCE_MAX", above = 0.8, lasting = 600
      }
    } },
    # If no request reaches us, no function fails. Only a check from outside detects it.
    { edge = {
      name = "the site is unreachable", playbook = "edge", page = true
      condition = {
        filter  = "metric.type=\"monitoring.googleapis.com/uptime_check/check_passed\" AND resource.type=\"uptime_url\" AND metric.labels.check_id=\"${google_monitoring_uptime_check_config.edge.uptime_check_id}\""
        aligner = "ALIGN_NEXT_OLDER", reducer = "REDUCE_COUNT_FALSE", every = 1200, above = 1, lasting = 300
      }
    } },
  )
}

# Any response, also 404, shows that DNS name, certificate, load balancer and a function work.
resource "google_monitoring_uptime_check_config" "edge" {
  display_name = "melmastoon"
  period       = "300s"
  timeout      = "10s"

  http_check {
    path         = "/"
    port         = 443
    use_ssl      = true
    validate_ssl = true

    accepted_response_status_codes {
      status_class = "STATUS_CLASS_2XX"
    }

    accepted_response_status_codes {
      status_class = "STATUS_CLASS_3XX"
    }

    accepted_response_status_codes {
      status_value = 404
    }
  }

  monitored_resource {
    type   = "uptime_url"
    labels = { project_id = var.project, host = var.domain }
  }

  depends_on = [google_project_service.api]
}

# A label has at most 63 characters. A longer key is truncated and gets a hash to stay unique.
locals {
  labelled = { for key in keys(local.alerts) : key => length(key) <= 63 ? replace(key, "/[^a-z0-9_-]/", "-") : "${substr(replace(key, "/[^a-z0-9_-]/", "-"), 0, 54)}-${substr(sha256(key), 0, 8)}" }
}

# The page of each alert, with the names that the alert is about.
locals {
  documented = { for key, a in local.alerts : key => replace(replace(replace(replace(replace(local.playbooks[a.playbook],
    "<service>", try(a.about.service, "<service>")),
    "<function>", try(a.about.function, "<function>")),
    "<job>", try(a.about.job, "<job>")),
    "<topic>", try(a.about.topic, "<topic>")),
    "<name>", try(a.about.name, "<name>"))
  }
}

module "alert" {
  source   = "./modules/alert"
  for_each = local.alerts

  name      = each.value.name
  playbook  = local.documented[each.key]
  page      = each.value.page
  channels  = concat([google_monitoring_notification_channel.email.id], each.value.page ? tolist(var.pager_channels) : [])
  condition = each.value.condition
  labels    = merge(var.labels, { alert = local.labelled[each.key] })
}
