# What is told to a person, and what that person is to do: the README's section of the alert's playbook comes with it.
resource "google_monitoring_notification_channel" "email" {
  display_name = "melmastoon"
  type         = "email"

  labels = {
    email_address = var.alert_email
  }

  depends_on = [google_project_service.api]
}

locals {
  # Each section of the README that is called after a playbook.
  playbooks = { for section in slice(split("\n### Playbook: ", file("${path.module}/README.md")), 1, length(split("\n### Playbook: ", file("${path.module}/README.md")))) :
    split("\n", section)[0] => split("\n## ", section)[0]
  }

  by_function = ["metric.label.function"]

  # What callers and the bus ask of a service, as Cloud Run counts it.
  answered = { for service in keys(local.services) : service => join(" AND ", concat(
    ["${local.counted.answers} AND resource.labels.service_name=starts_with(\"${service}-\")"],
    [for name, f in local.scheduled : "resource.labels.service_name!=\"${name}\"" if f.service == service],
  )) }

  # What is promised of single routes, in seconds; of all others that nineteen of twenty calls end within two.
  promises = {
    "GET /bff/tenant-booking/v1/*/availability" = 0.6
    "GET /bff/tenant-booking/v1/*/bootstrap"    = 0.35
    "POST /bff/tenant-booking/v1/*/hold"        = 0.6
  }
  promised = { for r in local.routes : r.function => local.promises["${r.method} ${r.template}"] if contains(keys(local.promises), "${r.method} ${r.template}") }

  alerts = merge(
    # One cause, one page: what is ticked is reported by its progress; 503 means that a store or a neighbour is away, which has its own alert.
    { for service in keys(local.services) : "errors-${service}" => {
      name = "${service} fails", playbook = "errors", page = true
      condition = {
        filter = "${local.answered[service]} AND metric.labels.response_code_class=\"5xx\" AND metric.labels.response_code!=\"503\""
        of     = local.answered[service]
        above  = 0.02, lasting = 300
      }
    } },
    { for what, code in { store = "GENERAL.UNAVAILABLE", neighbour = "BFF.UPSTREAM_UNAVAILABLE" } : "away-${what}" => {
      name                      = "a ${what} is away", playbook = "errors", page = true
      condition = {
        filter = "${local.counted.calls} AND metric.labels.code=\"${code}\""
        of     = local.counted.calls
        above  = 0.02, lasting = 300
      }
    } },
    { starts = {
      name      = "a function does not start", playbook = "errors", page = true
      condition = { filter = local.counted.starts, by = local.by_function, above = 0 }
    } },
    { for service in keys(local.services) : "latency-${service}" => {
      name = "${service} is slow", playbook = "latency", page = false
      condition = {
        filter  = "${local.counted.latency} AND metric.labels.function=starts_with(\"${service}-\")"
        reducer = "REDUCE_PERCENTILE_95", above = 2, lasting = 600
      }
    } },
    { for name, seconds in local.promised : "latency-${name}" => {
      name = "${name} is slower than promised", playbook = "latency", page = false
      condition = {
        filter  = "${local.counted.latency} AND metric.labels.function=\"${name}\""
        reducer = "REDUCE_PERCENTILE_95", above = seconds, lasting = 600
      }
    } },
    { for topic, d in local.dead_letters : "dead-${topic}" => {
      name = "dead letters in ${topic}", playbook = "dead letters", page = false
      condition = {
        filter  = "metric.type=\"pubsub.googleapis.com/subscription/num_undelivered_messages\" AND resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=\"${topic}\""
        aligner = "ALIGN_MAX", above = 0
      }
    } },
    { for service in toset([for d in local.dead_letters : d.service]) : "dead-many-${service}" => {
      name = "many dead letters of ${service}", playbook = "dead letters", page = true
      condition = {
        filter  = "metric.type=\"pubsub.googleapis.com/subscription/num_undelivered_messages\" AND resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=one_of(${join(", ", [for topic, d in local.dead_letters : "\"${topic}\"" if d.service == service])})"
        aligner = "ALIGN_MAX", reducer = "REDUCE_MAX", above = local.dead_letters_of[service].page_above
      }
    } },
    { backlog = {
      name = "events are not delivered", playbook = "backlog", page = true
      condition = {
        filter  = "metric.type=\"pubsub.googleapis.com/subscription/oldest_unacked_message_age\" AND resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=one_of(${join(", ", [for name in keys(local.hearing) : "\"${name}\""])})"
        aligner = "ALIGN_MAX", reducer = "REDUCE_MAX", by = ["resource.label.subscription_id"], above = 900, lasting = 300
      }
    } },
    { outbox = {
      name      = "events wait in an outbox for a person", playbook = "outbox", page = true
      condition = { filter = local.counted.stuck.stuck, by = local.by_function, above = 0 }
    } },
    { outbox-telemetry = {
      name      = "telemetry waits in an outbox for a person", playbook = "outbox", page = false
      condition = { filter = local.counted.stuck.stuckTelemetry, by = local.by_function, above = 0 }
    } },
    # Of a hundred events more than one had waited for more than thirty seconds. A single one that a cold instance leaves to the relay is
    # over before this has lasted.
    { outbox-lag = {
      name      = "events leave an outbox late", playbook = "outbox lag", page = false
      condition = { query = "${local.summed.late} > 0.01 * ${local.summed.published}", lasting = 900 }
    } },
    # What is ticked must be seen to work: a schedule that has stopped, or was never started, fails nowhere. A tick that answers 503 has found
    # the store away.
    { for name, f in local.scheduled : "progress-${name}" => {
      name = "${name} does not run", playbook = "progress", page = true
      condition = {
        query   = "(sum(increase(${local.calls_summed}{monitored_resource=\"cloud_run_revision\",function=\"${name}\",status=~\"2..|503\"}[10m])) or vector(0)) < 1"
        lasting = 600
      }
    } },
    # An alert waits for less than a day, so what runs once a day cannot be missed.
    { for name, r in local.cadenced : "progress-${name}" => {
      name = "${name} does not run", playbook = "jobs", page = false
      condition = {
        query   = "(sum(increase(run_googleapis_com:job_completed_execution_count{monitored_resource=\"cloud_run_job\",job_name=\"${name}\",result=\"succeeded\"}[2h])) or vector(0)) < 1"
        lasting = 3600
      }
    } if r.cadence == "hourly" },
    { for name, r in local.cadenced : "job-${name}" => {
      name = "${name} fails", playbook = "jobs", page = false
      condition = {
        filter = "metric.type=\"run.googleapis.com/job/completed_execution_count\" AND resource.type=\"cloud_run_job\" AND resource.labels.job_name=\"${name}\" AND metric.labels.result=\"failed\""
        above  = 0
      }
    } },
    { for what, c in {
      connections = { metric = "postgresql/num_backends", above = floor(0.85 * var.database_max_connections), name = "the database runs out of connections" }
      disk        = { metric = "disk/utilization", above = 0.85, name = "the database's disk fills" }
      cpu         = { metric = "cpu/utilization", above = 0.9, name = "the database has no time" }
      } : "database-${what}" => {
      name = c.name, playbook = "database", page = what != "disk"
      condition = {
        filter  = "metric.type=\"cloudsql.googleapis.com/database/${c.metric}\" AND resource.type=\"cloudsql_database\" AND resource.labels.database_id=\"${var.project}:${google_sql_database_instance.main.name}\""
        aligner = "ALIGN_MEAN", above = c.above, lasting = 600
      }
    } },
    { for name in var.documents == "redis" ? ["melmastoon"] : [] : "documents" => {
      name = "hot documents run out of memory", playbook = "documents", page = true
      condition = {
        filter  = "metric.type=\"redis.googleapis.com/stats/memory/usage_ratio\" AND resource.type=\"redis_instance\" AND resource.labels.instance_id=\"projects/${var.project}/locations/${var.region}/instances/${name}\""
        aligner = "ALIGN_MEAN", reducer = "REDUCE_MAX", above = 0.8, lasting = 600
      }
    } },
    # Where nobody gets in nobody fails: that is seen from outside only.
    { edge = {
      name = "nobody gets in", playbook = "edge", page = true
      condition = {
        filter  = "metric.type=\"monitoring.googleapis.com/uptime_check/check_passed\" AND resource.type=\"uptime_url\" AND metric.labels.check_id=\"${google_monitoring_uptime_check_config.edge.uptime_check_id}\""
        aligner = "ALIGN_NEXT_OLDER", reducer = "REDUCE_COUNT_FALSE", every = 1200, above = 1, lasting = 300
      }
    } },
  )
}

# Whoever answers, be it that there is no such page, shows that name, certificate, load balancer and a function are there.
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

# A label has at most 63 characters. A longer key is cut, and a hash keeps it apart from others.
locals {
  labelled = { for key in keys(local.alerts) : key => length(key) <= 63 ? replace(key, "/[^a-z0-9_-]/", "-") : "${substr(replace(key, "/[^a-z0-9_-]/", "-"), 0, 54)}-${substr(sha256(key), 0, 8)}" }
}

module "alert" {
  source   = "./modules/alert"
  for_each = local.alerts

  name      = each.value.name
  playbook  = local.playbooks[each.value.playbook]
  page      = each.value.page
  channels  = concat([google_monitoring_notification_channel.email.id], each.value.page ? tolist(var.pager_channels) : [])
  condition = each.value.condition
  labels    = merge(var.labels, { alert = local.labelled[each.key] })
}
