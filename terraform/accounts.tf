# Who is who. What an account may do follows from what its functions say that they use and tell.
locals {
  domain_of_accounts = "${var.project}.iam.gserviceaccount.com"
  accounts           = toset([for f in local.functions : f.account])
  job_accounts       = toset(keys(local.jobs))
  run_by             = { for account in local.accounts : account => [for name, f in local.functions : name if f.account == account] }

  with_postgres  = toset([for f in local.functions : f.account if f.postgres])
  with_documents = toset(concat([for f in local.functions : f.account if f.documents], [for name, j in local.jobs : "jobs-${name}" if j.documents]))
  pubsub_agent   = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}

resource "google_service_account" "function" {
  for_each = local.accounts

  account_id   = each.value
  display_name = each.value
  description  = length(local.run_by[each.value]) == 1 ? "Runs ${local.run_by[each.value][0]}." : "Runs ${length(local.run_by[each.value])} functions, ${local.run_by[each.value][0]} among them."

  depends_on = [google_project_service.api]
}

resource "google_service_account" "job" {
  for_each = local.job_accounts

  account_id   = "jobs-${each.value}"
  display_name = "jobs-${each.value}"

  depends_on = [google_project_service.api]
}

resource "google_service_account" "helper" {
  for_each = {
    builder   = "Builds functions from their archives."
    push      = "Signs what Pub/Sub pushes."
    scheduler = "Signs what the scheduler calls."
  }

  account_id   = "melmastoon-${each.key}"
  display_name = "melmastoon-${each.key}"
  description  = each.value

  depends_on = [google_project_service.api]
}

# The builder reads the archives and what Cloud Functions copies from them, and no other bucket: the state is in one.
locals {
  sources = join(" || ", [for bucket in ["${var.project}-archives", "gcf-v2-sources-${data.google_project.this.number}-${var.region}"] :
    "resource.name.startsWith(\"projects/_/buckets/${bucket}/objects/\")"
  ])
}

resource "google_project_iam_member" "builder" {
  for_each = {
    "roles/artifactregistry.writer" = null
    "roles/logging.logWriter"       = null
    "roles/storage.objectViewer"    = local.sources
  }

  project = var.project
  role    = each.key
  member  = "serviceAccount:melmastoon-builder@${local.domain_of_accounts}"

  dynamic "condition" {
    for_each = each.value == null ? [] : [each.value]

    content {
      title      = "sources-only"
      expression = condition.value
    }
  }

  depends_on = [google_service_account.helper]
}

# To log in to the database takes two roles: one to reach the instance, one to be a user there. Which tables a login may touch is
# the database's own affair.
resource "google_project_iam_member" "database" {
  for_each = { for pair in setproduct(
    setunion(local.with_postgres, [for name, j in local.jobs : "jobs-${name}" if j.postgres]),
    ["roles/cloudsql.client", "roles/cloudsql.instanceUser"],
  ) : "${pair[0]} ${pair[1]}" => { account = pair[0], role = pair[1] } }

  project = var.project
  role    = each.value.role
  member  = "serviceAccount:${each.value.account}@${local.domain_of_accounts}"

  depends_on = [google_service_account.function, google_service_account.job]
}

resource "google_project_iam_member" "documents" {
  for_each = var.documents == "firestore" ? local.with_documents : toset([])

  project = var.project
  role    = "roles/datastore.user"
  member  = "serviceAccount:${each.value}@${local.domain_of_accounts}"

  depends_on = [google_service_account.function, google_service_account.job]
}

# The lines of the functions' log have neither a guest nor a payload.
resource "google_project_iam_member" "logs" {
  for_each = toset([for name, j in local.jobs : "jobs-${name}" if j.logs])

  project = var.project
  role    = "roles/logging.viewer"
  member  = "serviceAccount:${each.value}@${local.domain_of_accounts}"

  depends_on = [google_service_account.job]
}

# To delete from the warehouse takes two roles: one to run queries, one to change the dataset.
locals {
  erasing = var.warehouse_dataset == "" ? {} : { for name, j in local.jobs : name => {
    project = split(".", var.warehouse_dataset)[0]
    dataset = split(".", var.warehouse_dataset)[1]
    member  = "serviceAccount:jobs-${name}@${local.domain_of_accounts}"
  } if j.warehouse }
}

resource "google_project_iam_member" "warehouse" {
  for_each = local.erasing

  project = each.value.project
  role    = "roles/bigquery.jobUser"
  member  = each.value.member

  depends_on = [google_service_account.job]
}

resource "google_bigquery_dataset_iam_member" "warehouse" {
  for_each = local.erasing

  project    = each.value.project
  dataset_id = each.value.dataset
  role       = "roles/bigquery.dataEditor"
  member     = each.value.member

  depends_on = [google_service_account.job]
}

# Pub/Sub signs its pushes in the name of an account of ours.
resource "google_service_account_iam_member" "push" {
  service_account_id = google_service_account.helper["push"].name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = local.pubsub_agent
}
