# Tells when a month costs more than expected. Budgets belong to a billing account, and an apply needs roles/billing.costsManager there.
resource "google_billing_budget" "month" {
  for_each = toset(var.billing_account == "" ? [] : [var.billing_account])

  billing_account = each.value
  display_name    = "melmastoon ${var.project}"

  budget_filter {
    projects        = ["projects/${data.google_project.this.number}"]
    calendar_period = "MONTH"
  }

  amount {
    specified_amount {
      units = tostring(var.monthly_budget)
    }
  }

  dynamic "threshold_rules" {
    for_each = { half = 0.5, most = 0.9, all = 1 }

    content {
      threshold_percent = threshold_rules.value
    }
  }

  # The month will cost more, at its pace so far.
  threshold_rules {
    threshold_percent = 1.2
    spend_basis       = "FORECASTED_SPEND"
  }

  all_updates_rule {
    monitoring_notification_channels = [google_monitoring_notification_channel.email.id]
  }

  depends_on = [google_project_service.api]
}
