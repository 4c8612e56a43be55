locals {
  # The defaults of each kind. The scheduler sends one request at a time; Pub/Sub repeats a push that was rejected.
  usual = {
    http      = { min_instances = 0, max_instances = 3, concurrency = 40, memory_mb = 256 }
    event     = { min_instances = 0, max_instances = 2, concurrency = 10, memory_mb = 256 }
    scheduled = { min_instances = 0, max_instances = 1, concurrency = 1, memory_mb = 256 }
  }

  # The settings of this deployment take precedence over those of the function, and those over the defaults of its kind.
  scaling = { for name, f in local.functions : name => {
    min_instances = coalesce(try(var.scaling[name].min_instances, null), local.usual[f.kind].min_instances)
    max_instances = coalesce(try(var.scaling[name].max_instances, null), f.maxInstances > 0 ? f.maxInstances : local.services[f.service].standIn ? 1 : local.usual[f.kind].max_instances)
    concurrency   = coalesce(try(var.scaling[name].concurrency, null), local.usual[f.kind].concurrency)
    memory_mb     = coalesce(try(var.scaling[name].memory_mb, null), local.usual[f.kind].memory_mb)
  } }

  api = "https://api.${var.domain}"

  # The stand-ins answer for several services, each under a path of its own.
  stand_ins = toset([for f in local.called : f.answers if f.answers != "" && local.services[f.service].standIn])
  upstreams = merge(
    { reservation = { url = "${local.api}/api/v1/reservations", audience = local.services["reservation"].audience } },
    { for name in local.stand_ins : name => { url = "${local.api}/sandbox/${name}/v1", audience = local.services["sandbox"].audience } },
    var.upstreams,
  )

  # The only accounts that may call a function: functions and jobs that declare its service as an upstream, front-desk and notification
  # software, the account of push subscriptions, or the scheduler.
  callers = { for name, f in local.functions : name => sort(distinct(concat(
    [for g in local.functions : "${g.account}@${local.domain_of_accounts}" if f.answers != "" && contains(g.upstreams, f.answers)],
    [for name, j in local.jobs : "jobs-${name}@${local.domain_of_accounts}" if contains(j.upstreams, f.answers)],
    f.access == "desk" ? tolist(var.desk_callers) : [],
    startswith(f.path, "/internal/tenant-booking/") && endswith(f.path, "/link") ? tolist(var.notification_callers) : [], # no other internal function
    f.kind == "event" ? ["melmastoon-push@${local.domain_of_accounts}"] : [],
    f.kind == "scheduled" ? ["melmastoon-scheduler@${local.domain_of_accounts}"] : [],
  ))) }

  of_all    = { GOOGLE_CLOUD_PROJECT = var.project, SITE_DOMAIN = var.domain }
  of_a_demo = var.demo ? { FORWARD_HEADER = "X-Sandbox-Scenario" } : {}
  of_public = { for key, value in {
    FORWARDED_HOPS     = "2" # the load balancer appends the client's address and its own
    RATE_LIMIT_SESSION = var.rate_limits.session
    RATE_LIMIT_ADDRESS = var.rate_limits.address
    RATE_LIMIT_TENANT  = var.rate_limits.tenant
  } : key => value if value != null }
  # In a demonstration the stand-ins sign staff tokens.
  of_stand_ins = { issuer = "https://${var.domain}/sandbox/iam/v1", keys = "https://${var.domain}/sandbox/iam/v1/jwks" }
  staff        = var.staff != null || !var.demo ? var.staff : local.of_stand_ins
  of_desk = merge(
    length(var.desk_callers) == 0 ? {} : { DESK_CALLERS = join(",", sort(tolist(var.desk_callers))) },
    local.staff == null ? {} : { STAFF_ISSUER = local.staff.issuer, STAFF_KEYS = local.staff.keys },
  )
  of_service = {
    consumer = merge(
      { TENANT_SITE_URL = coalesce(var.tenant_site_url, var.demo ? "https://${var.domain}/site/{slug}" : "https://{host}/") },
      var.challenge_site_key == null ? {} : { CHALLENGE_SITE_KEY = var.challenge_site_key },
    )
    frontdesk  = { PUBLIC_URL = "https://${var.domain}" }
    sandbox    = { PUBLIC_URL = "https://${var.domain}" }
    storefront = { PUBLIC_URL = "https://${var.domain}" }
    tenantbooking = {
      TENANT_RETURN_URL       = coalesce(var.tenant_return_url, var.demo ? "https://${var.domain}/site/{slug}/return/{draftId}" : "https://{site}/return/{draftId}")
      TENANT_CONFIRMATION_URL = coalesce(var.tenant_confirmation_url, var.demo ? "https://${var.domain}/site/{slug}/confirmations/{reservationId}" : "https://{site}/confirmations/{reservationId}")
    }
  }

  environment = { for name, f in local.functions : name => merge(
    local.of_all, local.of_a_demo, lookup(local.of_service, f.service, {}),
    f.postgres ? {
      CLOUDSQL_INSTANCE = google_sql_database_instance.main.connection_name
      CLOUDSQL_NAME     = google_sql_database.main.name
      CLOUDSQL_USER     = "${f.account}@${var.project}.iam"
      DATABASE_POOL     = tostring(var.database_pool)
    } : {},
    f.documents ? local.of_documents : {},
    f.access == "public" ? local.of_public : {
      IDENTITY_ISSUER  = "https://accounts.google.com"
      IDENTITY_KEYS    = "https://www.googleapis.com/oauth2/v3/certs"
      IDENTITY_CALLERS = join(",", local.callers[name])
    },
    f.access == "desk" ? local.of_desk : {},
    { for u in f.upstreams : "UPSTREAM_${upper(u)}_URL" => local.upstreams[u].url if contains(keys(local.upstreams), u) },
    { for u in f.upstreams : "UPSTREAM_${upper(u)}_AUDIENCE" => local.upstreams[u].audience if contains(keys(local.upstreams), u) },
  ) }
}

module "function" {
  source   = "./modules/function"
  for_each = local.functions

  name        = each.key
  region      = var.region
  labels      = merge(var.labels, { service = each.value.service, kind = each.value.kind })
  archive     = { bucket = google_storage_bucket.archives.name, object = google_storage_bucket_object.archive[each.key].name }
  builder     = "projects/${var.project}/serviceAccounts/${google_service_account.helper["builder"].email}"
  account     = "${each.value.account}@${local.domain_of_accounts}"
  at_the_edge = each.value.kind == "http"
  environment = local.environment[each.key]
  secrets = merge(
    { for variable in each.value.secrets : variable => { secret = local.secrets[variable], version = lookup(var.keyrings, variable, "latest") } },
    each.value.documents ? local.secrets_of_documents : {},
  )
  network = each.value.postgres || (each.value.documents && var.documents == "redis") ? { network = google_compute_network.main.id, subnetwork = google_compute_subnetwork.functions.id } : null
  scaling = local.scaling[each.key]
  timeout = each.value.timeoutSeconds + 5

  # The database is brought up to date first, and whatever a function needs at its start is granted before.
  depends_on = [
    google_project_iam_member.builder,
    google_project_iam_member.database,
    google_project_iam_member.documents,
    google_secret_manager_secret_iam_binding.accessor,
    google_secret_manager_secret_iam_binding.redis_url,
    google_service_account.function,
    module.migrate,
  ]
}
