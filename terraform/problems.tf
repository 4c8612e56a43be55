# The type of an error response is the address of a page about its code (RFC 9457). go run ./scripts/catalogue writes the pages.
locals {
  problems = var.error_pages ? jsondecode(file("${path.module}/problems.json")) : {}

  # The types name the second host. It is the first one if our domain is melmastoon.ghasi.io; otherwise it needs DNS and a certificate of
  # its own, as an entry of custom_domains.
  problem_hosts = distinct(["errors.${var.domain}", "errors.melmastoon.ghasi.io"])
}

resource "google_storage_bucket" "problems" {
  count = var.error_pages ? 1 : 0

  name                        = "${var.project}-problems"
  location                    = var.region
  uniform_bucket_level_access = true
  labels                      = var.labels

  website {
    main_page_suffix = "index.html"
    not_found_page   = "index.html"
  }

  depends_on = [google_project_service.api]
}

# Anyone may read a page, but not list the bucket.
resource "google_storage_bucket_iam_member" "problems" {
  count = var.error_pages ? 1 : 0

  bucket = google_storage_bucket.problems[0].name
  role   = "roles/storage.legacyObjectReader"
  member = "allUsers"
}

resource "google_storage_bucket_object" "problem" {
  for_each = local.problems

  bucket        = google_storage_bucket.problems[0].name
  name          = each.key
  content       = each.value
  content_type  = "text/html; charset=utf-8"
  cache_control = "public, max-age=300"
}

resource "google_compute_backend_bucket" "problems" {
  count = var.error_pages ? 1 : 0

  name        = "melmastoon-problems"
  bucket_name = google_storage_bucket.problems[0].name

  # Without pages, Terraform must change the URL map before it deletes the backend bucket.
  lifecycle {
    create_before_destroy = true
  }
}
