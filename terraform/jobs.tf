locals {
  schemas = sort([for s in local.services : s.schema if s.schema != ""])

  # A job's image is tagged with the hash in the name of its archive, so that code and image cannot get out of step.
  hashes = { for name, r in local.runs : name => try(regex("-([0-9a-f]+)\\.zip$", local.archives[r.archive])[0], "unknown") }

  # The logins that migrate admits, as <schema>:<login>: functions to the schema of their service, jobs to the schemas that they work on,
  # or only as monitor.
  logins = concat(
    distinct([for f in local.functions : "${local.services[f.service].schema}:${f.account}@${var.project}.iam" if f.postgres]),
    flatten([for name, j in local.jobs : [for schema in(j.monitor ? ["monitor"] : j.service == "" ? local.schemas : [local.services[j.service].schema]) :
      "${schema}:jobs-${name}@${var.project}.iam"
    ] if j.postgres && name != "migrate"]),
  )

  programs = { for name, r in local.runs : name => {
    image   = "${var.images}/${r.job}:${local.hashes[name]}"
    account = "jobs-${r.job}@${local.domain_of_accounts}"
    args = (
      r.job == "prune" ? [r.cadence] :
      r.job == "migrate" ? concat(["platform"], local.schemas) :
      r.job == "probe" && var.probe_hotel != null ? [for name in ["tenant", "property", "slug", "city"] : "-${name}=${var.probe_hotel[name]}"] : []
    )
    # What the apply runs: migrate when it or its logins change, and what furnishes a demonstration.
    run = (
      r.job == "migrate" ? substr(sha256(join(" ", concat([local.hashes[name]], local.logins))), 0, 12) :
      r.job == "furnish" ? substr(local.hashes[name], 0, 12) : null
    )
    environment = merge(
      { GOOGLE_CLOUD_PROJECT = var.project },
      local.jobs[r.job].postgres ? {
        CLOUDSQL_INSTANCE = google_sql_database_instance.main.connection_name
        CLOUDSQL_NAME     = google_sql_database.main.name
        CLOUDSQL_USER     = "jobs-${r.job}@${var.project}.iam"
      } : {},
      local.jobs[r.job].documents ? local.of_documents : {},
      local.jobs[r.job].warehouse && var.warehouse_dataset != "" ? { WAREHOUSE_DATASET = var.warehouse_dataset } : {},
      r.job == "probe" ? { PROBE_URL = "https://${var.domain}" } : {},
      { for u in local.jobs[r.job].upstreams : "UPSTREAM_${upper(u)}_URL" => local.upstreams[u].url },
      { for u in local.jobs[r.job].upstreams : "UPSTREAM_${upper(u)}_AUDIENCE" => local.upstreams[u].audience },
      # The subscriptions with their subjects and dead-letter topics.
      local.jobs[r.job].letters || local.jobs[r.job].replays ? { DEAD_LETTERS = join(",", [for f in values(local.consumers) : "${f.event.subscription}:${f.event.subject}:${f.event.deadLetter}"]) } : {},
      # Roles are made by a role that may: an IAM login has the right only while it acts as that one.
      r.job == "migrate" ? { DATABASE_LOGINS = join(",", local.logins), PGOPTIONS = "-c role=cloudsqlsuperuser" } : {},
    )
    secrets = local.jobs[r.job].documents ? local.secrets_of_documents : {}
  } }
}

module "migrate" {
  source = "./modules/job"

  name        = "migrate-${formatdate("YYYYMMDDhhmmss", plantimestamp())}" # what leads to functions is created before its predecessor is removed, and so is this
  region      = var.region
  labels      = var.labels
  image       = local.programs["migrate"].image
  args        = local.programs["migrate"].args
  account     = local.programs["migrate"].account
  network     = { network = google_compute_network.main.id, subnetwork = google_compute_subnetwork.functions.id }
  timeout     = 3600
  run         = local.programs["migrate"].run
  environment = local.programs["migrate"].environment

  depends_on = [
    google_project_iam_member.database,
    google_sql_user.function,
    google_sql_user.job,
  ]
}

module "job" {
  source   = "./modules/job"
  for_each = { for name, p in local.programs : name => p if name != "migrate" && !local.jobs[local.runs[name].job].keyrings }

  name        = each.key
  region      = var.region
  labels      = var.labels
  image       = each.value.image
  args        = each.value.args
  account     = each.value.account
  network     = { network = google_compute_network.main.id, subnetwork = google_compute_subnetwork.functions.id }
  timeout     = startswith(each.key, "probe-") ? 240 : 3600 # the next probe starts after five minutes
  run         = each.value.run
  environment = each.value.environment
  secrets     = each.value.secrets

  # They need tables and logins.
  depends_on = [module.migrate, google_project_iam_member.documents, google_secret_manager_secret_iam_binding.redis_url]
}

# These jobs know which versions of the keyrings the functions have, so they are changed after the functions.
module "keys" {
  source   = "./modules/job"
  for_each = { for name, p in local.programs : name => p if local.jobs[local.runs[name].job].keyrings }

  name        = each.key
  region      = var.region
  labels      = var.labels
  image       = each.value.image
  args        = each.value.args
  account     = each.value.account
  network     = { network = google_compute_network.main.id, subnetwork = google_compute_subnetwork.functions.id }
  timeout     = 600
  environment = merge(each.value.environment, { KEYRINGS = join(",", [for variable, r in terraform_data.rolled_out : "${variable}=${r.output.version}@${r.output.since}"]) })

  depends_on = [google_secret_manager_secret_iam_binding.accessor, google_secret_manager_secret_iam_binding.rotation]
}

locals {
  deployed_jobs = merge(module.job, module.keys)
}
