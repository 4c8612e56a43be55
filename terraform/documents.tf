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

resource "google_redis_instance" "hot" {
  count = var.documents == "redis" ? 1 : 0

  name               = "melmastoon"
  region             = var.region
  tier               = "STANDARD_HA"
  memory_size_gb     = var.redis_memory_gb
  redis_version      = "REDIS_7_2"
  connect_mode       = "PRIVATE_SERVICE_ACCESS"
  authorized_network = google_compute_network.main.id
  labels             = var.labels

  redis_configs = {
    maxmemory-policy = "volatile-lru"
  }

  depends_on = [google_project_service.api, google_service_networking_connection.services]
}

locals {
  redis_url = try("redis://${google_redis_instance.hot[0].host}:${google_redis_instance.hot[0].port}/0", "")
}
