# A tick that failed is not repeated: the next one is its retry.
resource "google_cloud_scheduler_job" "tick" {
  for_each = local.scheduled

  name             = each.key
  region           = var.region
  schedule         = each.value.schedule
  time_zone        = "Etc/UTC"
  attempt_deadline = "${max(15, each.value.timeoutSeconds + 5)}s"

  http_target {
    http_method = "POST"
    uri         = "${module.function[each.key].uri}${each.value.path}"

    oidc_token {
      service_account_email = google_service_account.helper["scheduler"].email
      audience              = local.services[each.value.service].audience
    }
  }

  # The second is Google's default. Without it what is stored would be empty, and a plan would show a change.
  retry_config {
    retry_count   = 0
    max_doublings = 5
  }
}

locals {
  # A run without success for longer than silent hours raises an alert.
  cadences = {
    # The alert of the probe looks for its progress by itself.
    frequent = { cron = "*/5 * * * *", silent = null, words = null }
    hourly   = { cron = "7 * * * *", silent = 3, words = "three hours" }
    daily    = { cron = "17 21 * * *", silent = 26, words = "26 hours" }
    weekly   = { cron = "27 22 * * 0", silent = 192, words = "eight days" }
  }
  cadenced = { for name, r in local.runs : name => r if r.cadence != null }
}

resource "google_cloud_scheduler_job" "run" {
  for_each = local.cadenced

  name             = each.key
  region           = var.region
  schedule         = local.cadences[each.value.cadence].cron
  time_zone        = "Etc/UTC"
  attempt_deadline = "60s"

  http_target {
    http_method = "POST"
    uri         = "https://run.googleapis.com/v2/${local.deployed_jobs[each.key].job.id}:run"

    oauth_token {
      service_account_email = google_service_account.helper["scheduler"].email
    }
  }

  retry_config {
    retry_count = 1
  }
}

resource "google_cloud_run_v2_job_iam_member" "scheduler" {
  for_each = local.cadenced

  name     = local.deployed_jobs[each.key].job.name
  location = var.region
  role     = "roles/run.invoker"
  member   = "serviceAccount:melmastoon-scheduler@${local.domain_of_accounts}"

  depends_on = [google_service_account.helper]
}
