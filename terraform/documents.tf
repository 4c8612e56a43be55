# Hot documents: Firestore, or Memorystore. Whatever is lost here is made again; nobody loses a booking.
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

# Guests' sessions are in it: who reaches its address needs the password besides, and nobody on the way reads along.
resource "google_redis_instance" "hot" {
  count = var.documents == "redis" ? 1 : 0

  name                    = "melmastoon"
  region                  = var.region
  tier                    = "STANDARD_HA"
  memory_size_gb          = var.redis_memory_gb
  redis_version           = "REDIS_7_2"
  connect_mode            = "PRIVATE_SERVICE_ACCESS"
  authorized_network      = google_compute_network.main.id
  auth_enabled            = true
  transit_encryption_mode = "SERVER_AUTHENTICATION"
  labels                  = var.labels

  redis_configs = {
    maxmemory-policy = "volatile-lru"
  }

  depends_on = [google_project_service.api, google_service_networking_connection.services]
}

# Google makes the password, so it is in the state. Functions and jobs read it from here, in the address.
resource "google_secret_manager_secret" "redis_url" {
  count = var.documents == "redis" ? 1 : 0

  secret_id = "melmastoon-redis-url"
  labels    = var.labels

  replication {
    auto {}
  }

  depends_on = [google_project_service.api]
}

resource "google_secret_manager_secret_version" "redis_url" {
  count = var.documents == "redis" ? 1 : 0

  secret      = google_secret_manager_secret.redis_url[0].id
  secret_data = "rediss://:${google_redis_instance.hot[0].auth_string}@${google_redis_instance.hot[0].host}:${google_redis_instance.hot[0].port}/0"

  # Instances that run have read the older one and go on with it until the last function is rolled out.
  lifecycle {
    create_before_destroy = true
  }
}

resource "google_secret_manager_secret_iam_binding" "redis_url" {
  count = var.documents == "redis" ? 1 : 0

  project   = var.project
  secret_id = google_secret_manager_secret.redis_url[0].secret_id
  role      = "roles/secretmanager.secretAccessor"
  members   = [for account in local.with_documents : "serviceAccount:${account}@${local.domain_of_accounts}"]

  depends_on = [google_service_account.function, google_service_account.job]
}

locals {
  # What whoever uses documents is told, and which of it is a secret.
  of_documents = (
    var.documents == "redis"
    ? { REDIS_CA = join("", google_redis_instance.hot[0].server_ca_certs[*].cert), REDIS_PREFIX = "hot:" }
    : { FIRESTORE_DATABASE = google_firestore_database.hot[0].name }
  )
  secrets_of_documents = (
    var.documents == "redis"
    ? { REDIS_URL = { secret = google_secret_manager_secret.redis_url[0].secret_id, version = google_secret_manager_secret_version.redis_url[0].version } }
    : {}
  )
}
