# An archive is named by the hash of what is in it: it is uploaded, and its function built anew, when and only when that changes.
locals {
  archives = var.archives != null ? var.archives : try(jsondecode(file("${var.bundles}/bundles.json")), {})
  deployed = setunion([for f in local.functions : f.archive], [for r in local.runs : r.archive])
}

resource "google_storage_bucket" "archives" {
  name                        = "${var.project}-archives"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  labels                      = var.labels

  lifecycle {
    precondition {
      condition     = length(setsubtract(local.deployed, keys(local.archives))) == 0
      error_message = "There is no archive of: ${join(", ", setsubtract(local.deployed, keys(local.archives)))}. Make them with: go run ./scripts/bundle --all"
    }
  }

  depends_on = [google_project_service.api]
}

resource "google_storage_bucket_object" "archive" {
  for_each = local.functions

  bucket = google_storage_bucket.archives.name
  name   = local.archives[each.value.archive]
  source = "${var.bundles}/${local.archives[each.value.archive]}"

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [source, detect_md5hash] # the name is the hash of the content, so another folder has the same object

    # Of a service of our own nothing need be said.
    precondition {
      condition     = alltrue([for u in each.value.upstreams : contains(keys(local.upstreams), u) || contains(keys(local.services), u)])
      error_message = "${each.key} calls ${join(", ", each.value.upstreams)}: name each in upstreams, or deploy a demo."
    }
  }
}
