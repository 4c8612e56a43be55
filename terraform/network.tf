resource "google_compute_network" "main" {
  name                    = "melmastoon"
  auto_create_subnetworks = false

  depends_on = [google_project_service.api]
}

# An instance of a function takes an address here, and keeps it for a while after its end. Cloud Run reserves blocks of 16 addresses: there
# are 512 blocks, for the old and the new revision of every function and job of a release.
resource "google_compute_subnetwork" "functions" {
  name                     = "melmastoon-functions"
  region                   = var.region
  network                  = google_compute_network.main.id
  ip_cidr_range            = "10.8.0.0/19"
  private_ip_google_access = true
}

# Google's own networks, with the database and Memorystore in them, are reached at these addresses.
resource "google_compute_global_address" "services" {
  name          = "melmastoon-services"
  purpose       = "VPC_PEERING"
  address_type  = "INTERNAL"
  prefix_length = 20
  network       = google_compute_network.main.id
}

resource "google_service_networking_connection" "services" {
  network                 = google_compute_network.main.id
  service                 = "servicenetworking.googleapis.com"
  reserved_peering_ranges = [google_compute_global_address.services.name]
  deletion_policy         = "ABANDON" # Google refuses to delete it for days after the database; it goes with the network
}
