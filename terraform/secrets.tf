# Keyrings are created by people, before the first apply. A rotation adds versions to them, made by the job keys when a person asks for it.
# Terraform never reads their values, so they are in no state, and destroying this deployment destroys no key.
locals {
  rotating = [for name, j in local.jobs : "serviceAccount:jobs-${name}@${local.domain_of_accounts}" if j.keyrings]

  secrets = { for variable in toset(flatten([for f in local.functions : f.secrets])) : variable => "melmastoon-${lower(replace(variable, "_", "-"))}" }
}

resource "google_secret_manager_secret_iam_binding" "accessor" {
  for_each = local.secrets

  project   = var.project
  secret_id = each.value
  role      = "roles/secretmanager.secretAccessor"
  members   = toset(concat([for f in local.functions : "serviceAccount:${f.account}@${local.domain_of_accounts}" if contains(f.secrets, each.key)], local.rotating))

  depends_on = [google_project_service.api, google_service_account.function, google_service_account.job]
}

# The job keys lists versions, adds one for a step of a rotation, and disables it if another run was first.
resource "google_secret_manager_secret_iam_binding" "rotation" {
  for_each = length(local.rotating) == 0 ? {} : local.secrets

  project   = var.project
  secret_id = each.value
  role      = "roles/secretmanager.secretVersionManager"
  members   = toset(local.rotating)

  depends_on = [google_project_service.api, google_service_account.job]
}

# The version of each keyring that all functions have, and the time at which the last of them had it. It is created after the functions,
# and again if the version changes.
resource "terraform_data" "rolled_out" {
  for_each = local.secrets

  triggers_replace = lookup(var.keyrings, each.key, "latest")
  input            = { version = lookup(var.keyrings, each.key, "latest"), since = timestamp() }

  lifecycle {
    ignore_changes = [input]
  }

  depends_on = [module.function]
}
