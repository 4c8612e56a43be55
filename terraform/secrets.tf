# Keyrings are made by people, before the first apply, and rotated by people: their values are never seen here, so they are in no
# state, and what destroys this deployment destroys no key. Here is only said who may read them.
locals {
  secrets = { for variable in toset(flatten([for f in local.functions : f.secrets])) : variable => "melmastoon-${lower(replace(variable, "_", "-"))}" }
}

resource "google_secret_manager_secret_iam_binding" "accessor" {
  for_each = local.secrets

  project   = var.project
  secret_id = each.value
  role      = "roles/secretmanager.secretAccessor"
  members   = toset([for f in local.functions : "serviceAccount:${f.account}@${local.domain_of_accounts}" if contains(f.secrets, each.key)])

  depends_on = [google_project_service.api, google_service_account.function]
}
