locals {
  schemas = sort([for s in local.services : s.schema if s.schema != ""])

  # A job's image is tagged with the hash in the name of its archive, so that code and image cannot get out of step.
  hashes = { for name, r in local.runs : name => try(regex("-([0-9a-f]+)\\.zip$", local.archives[r.archive])[0], "unknown") }

  # Whom migrate lets in, and as whom: functions to their service, prune to all of them.
  logins = concat(
    distinct([for f in local.functions : "${local.services[f.service].schema}:${f.account}@${var.project}.iam" if f.postgres]),
    [for schema in local.schemas : "${schema}:jobs-prune@${var.project}.iam"],
  )

  args = { for name, r in local.runs : name => r.cadence != null ? [r.cadence] :
    r.job == "migrate" ? concat(["platform"], local.schemas) : []
  }
}

module "job" {
  source   = "./modules/job"
  for_each = local.runs

  name    = each.key
  region  = var.region
  labels  = var.labels
  image   = "${var.images}/${each.value.job}:${local.hashes[each.key]}"
  args    = local.args[each.key]
  account = "jobs-${each.value.job}@${local.domain_of_accounts}"
  network = { network = google_compute_network.main.id, subnetwork = google_compute_subnetwork.functions.id }
  timeout = 3600
  run     = each.value.job == "migrate" ? substr(sha256(join(" ", concat([local.hashes[each.key]], local.logins))), 0, 12) : null

  environment = merge(
    {
      GOOGLE_CLOUD_PROJECT = var.project
      CLOUDSQL_INSTANCE    = google_sql_database_instance.main.connection_name
      CLOUDSQL_NAME        = google_sql_database.main.name
      CLOUDSQL_USER        = "jobs-${each.value.job}@${var.project}.iam"
    },
    # Roles are made by a role that may: an IAM login has the right only while it acts as that one.
    each.value.job == "migrate" ? { DATABASE_LOGINS = join(",", local.logins), PGOPTIONS = "-c role=cloudsqlsuperuser" } : {},
  )

  depends_on = [
    google_project_iam_member.database,
    google_sql_user.function,
    google_sql_user.job,
  ]
}
