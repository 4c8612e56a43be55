# Hot documents: Firestore, or Memorystore. They can be lost: they are computed again, and bookings are elsewhere.
resource "google_firestore_database" "hot" {
  count = var.documents == "firestore" ? 1 : 0

  name                    = "(default)"
  location_id             = var.region
  type                    = "FIRESTORE_NATIVE"
  delete_protection_state = var.deletion_protection ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy         = "DELETE"

  depends_on = [google_project_service.api]
}

# All documents are of one collection group. Nothing is ever queried, so nothing is indexed.
resource "google_firestore_field" "unindexed" {
  count = var.documents == "firestore" ? 1 : 0

  database   = google_firestore_database.hot[0].name
  collection = "documents"
  field      = "*"

  index_config {}
}

# Firestore deletes what is over within a day; until then the code does not see it.
resource "google_firestore_field" "expires" {
  count = var.documents == "firestore" ? 1 : 0

  database   = google_firestore_database.hot[0].name
  collection = "documents"
  field      = "expiresAt"

  index_config {}
  ttl_config {}
}

# One Memorystore instance (decision 185) is created by a person, as keyrings are, and so is the secret with its address and password: the provider would write the
# password into the state.
locals {
  redis_secret = "melmastoon-redis-url"
}

resource "google_secret_manager_secret_iam_binding" "redis_url" {
  count = var.documents == "redis" ? 1 : 0

  project   = var.project
  secret_id = local.redis_secret
  role      = "roles/secretmanager.secretAccessor"
  members   = [for account in local.with_documents : "serviceAccount:${account}@${local.domain_of_accounts}"]

  depends_on = [google_service_account.function, google_service_account.job]
}

locals {
  # The settings of programs that use documents, and which of them is a secret.
  of_documents = (
    var.documents == "redis"
    ? { REDIS_CA = var.redis_ca, REDIS_PREFIX = "hot:" }
    : { FIRESTORE_DATABASE = google_firestore_database.hot[0].name }
  )
  secrets_of_documents = (
    var.documents == "redis"
    ? { REDIS_URL = { secret = local.redis_secret, version = "latest" } }
    : {}
  )
}
