# Who read keys, documents or the database. Reads of documents by the functions and jobs themselves are left out. Google keeps changes for
# 400 days on its own, but logs no reads unless they are switched on here. datastore stands for Firestore too.
locals {
  audited = { for service, exempted in {
    cloudsql      = []
    datastore     = [for account in local.with_documents : "serviceAccount:${account}@${local.domain_of_accounts}"] # each call of a guest reads documents
    secretmanager = []
  } : "${service}.googleapis.com" => exempted }
}

resource "google_project_iam_audit_config" "reads" {
  for_each = local.audited

  project = var.project
  service = each.key

  dynamic "audit_log_config" {
    for_each = toset(["ADMIN_READ", "DATA_READ", "DATA_WRITE"])

    content {
      log_type         = audit_log_config.value
      exempted_members = each.value
    }
  }

  depends_on = [google_service_account.function, google_service_account.job]
}

# All other lines are kept for 30 days.
resource "google_logging_project_bucket_config" "audit" {
  project        = var.project
  location       = var.region
  bucket_id      = "melmastoon-audit"
  retention_days = 400
  description    = "Who read keys, documents or the database."

  depends_on = [google_project_service.api]
}

resource "google_logging_project_sink" "audit" {
  name                   = "melmastoon-audit"
  destination            = "logging.googleapis.com/${google_logging_project_bucket_config.audit.id}"
  filter                 = "log_id(\"cloudaudit.googleapis.com/data_access\")"
  unique_writer_identity = true
}
