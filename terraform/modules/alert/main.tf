# One alert: a condition, whom it is told, and what to do, which is told with it.
variable "name" {
  description = "What is wrong, as a sentence's beginning."
  type        = string
}

variable "playbook" {
  description = "What to do about it, in Markdown."
  type        = string

  validation {
    condition     = length(trimspace(var.playbook)) > 80 && length(var.playbook) < 8000
    error_message = "An alert says what to do, in more than a word and fewer than 8000 characters."
  }
}

variable "page" {
  description = "Whether somebody is woken."
  type        = bool
}

variable "channels" {
  description = "Whom it is told."
  type        = list(string)

  validation {
    condition     = length(var.channels) > 0
    error_message = "An alert that nobody is told is none."
  }
}

variable "condition" {
  description = "What is measured and when it is too much, or a PromQL query that finds what is wrong."
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
    error_message = "Either a filter with what is too much of it, or a query."
  }
}

variable "labels" {
  description = "The alert's labels."
  type        = map(string)
}

resource "google_monitoring_alert_policy" "this" {
  display_name          = var.name
  combiner              = "OR"
  severity              = var.page ? "CRITICAL" : "WARNING"
  notification_channels = var.channels
  user_labels           = var.labels

  # What counts nothing any more has no values either: the alert would stay open for a week, and be silent about the next time.
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

    # The metric is there before its first value, which is when Google looks for it.
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
  description = "The alert as it was made."
  value       = google_monitoring_alert_policy.this
}
