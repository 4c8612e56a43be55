# One alert: a condition, its notification channels and its playbook as documentation.
variable "name" {
  description = "Title of the alert."
  type        = string
}

variable "playbook" {
  description = "Page of the playbook, in Markdown."
  type        = string

  validation {
    condition     = length(trimspace(var.playbook)) > 80 && length(var.playbook) < 8000
    error_message = "The playbook of an alert must have between 80 and 8000 characters."
  }
}

variable "page" {
  description = "Whether the alert pages on-call (CRITICAL) or sends an e-mail only (WARNING)."
  type        = bool
}

variable "channels" {
  description = "Notification channels."
  type        = list(string)

  validation {
    condition     = length(var.channels) > 0
    error_message = "An alert needs at least one notification channel."
  }
}

variable "condition" {
  description = "A metric filter with its threshold, or a PromQL query that returns the faulty series."
  type = object({
    query   = optional(string)
    filter  = optional(string)
    of      = optional(string)
    aligner = optional(string, "ALIGN_DELTA")
    reducer = optional(string, "REDUCE_SUM")
    by      = optional(list(string), [])
    every   = optional(number, 300)
    above   = optional(number)
    lasting = optional(number, 0)
  })

  validation {
    condition     = (var.condition.query == null) == (var.condition.filter != null && var.condition.above != null)
    error_message = "Give either a filter with a threshold (above), or a query."
  }
}

variable "labels" {
  description = "Labels of the alert."
  type        = map(string)
}

resource "google_monitoring_alert_policy" "this" {
  display_name          = var.name
  combiner              = "OR"
  severity              = var.page ? "CRITICAL" : "WARNING"
  notification_channels = var.channels
  user_labels           = var.labels

  # A counter without events has no values. Without this setting the alert would stay open for a week and hide the next incident.
  alert_strategy {
    auto_close = "3600s"
  }

  documentation {
    subject   = var.name
    mime_type = "text/markdown"
    content   = var.playbook
  }

  conditions {
    display_name = var.name

    dynamic "condition_threshold" {
      for_each = var.condition.above == null ? [] : [var.condition]

      content {
        filter             = condition_threshold.value.filter
        denominator_filter = condition_threshold.value.of
        comparison         = "COMPARISON_GT"
        threshold_value    = condition_threshold.value.above
        duration           = "${condition_threshold.value.lasting}s"

        aggregations {
          alignment_period     = "${condition_threshold.value.every}s"
          per_series_aligner   = condition_threshold.value.aligner
          cross_series_reducer = condition_threshold.value.reducer
          group_by_fields      = condition_threshold.value.by
        }

        dynamic "denominator_aggregations" {
          for_each = condition_threshold.value.of == null ? [] : [condition_threshold.value]

          content {
            alignment_period     = "${denominator_aggregations.value.every}s"
            per_series_aligner   = denominator_aggregations.value.aligner
            cross_series_reducer = denominator_aggregations.value.reducer
            group_by_fields      = denominator_aggregations.value.by
          }
        }
      }
    }

    # Google would reject the query as long as the metric has no values.
    dynamic "condition_prometheus_query_language" {
      for_each = var.condition.query == null ? [] : [var.condition]

      content {
        query                     = condition_prometheus_query_language.value.query
        duration                  = "${condition_prometheus_query_language.value.lasting}s"
        evaluation_interval       = "60s"
        disable_metric_validation = true
      }
    }
  }
}

output "policy" {
  description = "The alert policy resource."
  value       = google_monitoring_alert_policy.this
}
