# One function. It is built from an archive, runs as an account that may do only what it needs, and checks by itself who calls.
variable "name" {
  description = "Name of the function and of its entry point."
  type        = string
}

variable "region" {
  description = "Region."
  type        = string
}

variable "archive" {
  description = "Bucket and object of the source archive."
  type        = object({ bucket = string, object = string })
}

variable "builder" {
  description = "Full name of the service account of the build."
  type        = string
}

variable "account" {
  description = "E-mail address of the service account of the function."
  type        = string
}

variable "at_the_edge" {
  description = "Whether the load balancer routes to it. Other functions are reachable from inside the project only."
  type        = bool
}

variable "environment" {
  description = "Environment variables."
  type        = map(string)
}

variable "secrets" {
  description = "Environment variables from secrets, with secret and version."
  type        = map(object({ secret = string, version = string }))
}

variable "network" {
  description = "Network for private addresses; null if not needed."
  type        = object({ network = string, subnetwork = string })
}

variable "scaling" {
  description = "Instances, concurrent calls per instance, and memory."
  type        = object({ min_instances = number, max_instances = number, concurrency = number, memory_mb = number })

  validation {
    condition     = var.scaling.min_instances <= var.scaling.max_instances && var.scaling.max_instances >= 1
    error_message = "The maximum must be at least 1 and at least the minimum."
  }
}

variable "timeout" {
  description = "Timeout of a call in seconds. The function itself responds earlier."
  type        = number
}

variable "labels" {
  description = "Labels of the function."
  type        = map(string)
}

locals {
  # Go's collector hurries when the memory is nearly full, and not long before: most instances never fill it. What is left over is for
  # what the collector does not count.
  runtime = {
    GOGC       = "400"
    GOMEMLIMIT = "${floor(var.scaling.memory_mb * 0.8)}MiB"
  }
}

resource "google_cloudfunctions2_function" "this" {
  name     = var.name
  location = var.region
  labels   = var.labels

  build_config {
    runtime         = "go126"
    entry_point     = var.name
    service_account = var.builder

    environment_variables = {
      GOOGLE_GOLDFLAGS = "-s -w"
    }

    source {
      storage_source {
        bucket = var.archive.bucket
        object = var.archive.object
      }
    }
  }

  service_config {
    service_account_email            = var.account
    environment_variables            = merge(var.environment, local.runtime)
    ingress_settings                 = var.at_the_edge ? "ALLOW_INTERNAL_AND_GCLB" : "ALLOW_INTERNAL_ONLY"
    all_traffic_on_latest_revision   = true
    available_cpu                    = "1"
    available_memory                 = "${var.scaling.memory_mb}Mi"
    max_instance_request_concurrency = var.scaling.concurrency
    min_instance_count               = var.scaling.min_instances
    max_instance_count               = var.scaling.max_instances
    timeout_seconds                  = var.timeout
    direct_vpc_egress                = var.network == null ? null : "VPC_EGRESS_PRIVATE_RANGES_ONLY"

    dynamic "direct_vpc_network_interface" {
      for_each = var.network == null ? [] : [var.network]

      content {
        network    = direct_vpc_network_interface.value.network
        subnetwork = direct_vpc_network_interface.value.subnetwork
      }
    }

    dynamic "secret_environment_variables" {
      for_each = var.secrets

      content {
        key        = secret_environment_variables.key
        project_id = split("/", var.builder)[1]
        secret     = secret_environment_variables.value.secret
        version    = secret_environment_variables.value.version
      }
    }
  }
}

# Cloud Run's own check of callers is off, because it removes the signature of the token, and the function, which knows its callers,
# could not verify the token. The function rejects a caller without a token for it.
resource "google_cloud_run_v2_service_iam_member" "invoker" {
  name     = google_cloudfunctions2_function.this.name
  location = var.region
  role     = "roles/run.invoker"
  member   = "allUsers"
}

output "uri" {
  description = "URL of the function."
  value       = google_cloudfunctions2_function.this.service_config[0].uri
}

output "service" {
  description = "Name of its Cloud Run service. A reader of this output waits until the service accepts calls."
  value       = google_cloudfunctions2_function.this.name

  # The provider rewrites the names in IAM resources, so no expression reads one.
  depends_on = [google_cloud_run_v2_service_iam_member.invoker]
}

output "function" {
  description = "The function resource."
  value       = google_cloudfunctions2_function.this
}
