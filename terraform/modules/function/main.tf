# One function. It is built from an archive, runs as an account that may do only what it needs, and checks by itself who calls.
variable "name" {
  description = "The function's name, which is its entry point too."
  type        = string
}

variable "region" {
  description = "Where it runs."
  type        = string
}

variable "archive" {
  description = "The bucket and the object with its source."
  type        = object({ bucket = string, object = string })
}

variable "builder" {
  description = "The full name of the service account that builds it."
  type        = string
}

variable "account" {
  description = "The e-mail of the service account that it runs as."
  type        = string
}

variable "at_the_edge" {
  description = "Whether the load balancer leads to it. What does not stand there is reached from inside the project only."
  type        = bool
}

variable "environment" {
  description = "Its variables."
  type        = map(string)
}

variable "secrets" {
  description = "The secret, and its version, that each of these variables is read from."
  type        = map(object({ secret = string, version = string }))
}

variable "network" {
  description = "The network it reaches private addresses through; null where it needs none."
  type        = object({ network = string, subnetwork = string })
}

variable "scaling" {
  description = "How many instances there are, how many calls each takes at once, and its memory."
  type        = object({ min_instances = number, max_instances = number, concurrency = number, memory_mb = number })

  validation {
    condition     = var.scaling.min_instances <= var.scaling.max_instances && var.scaling.max_instances >= 1
    error_message = "There is at least one instance at most, and not fewer than the least."
  }
}

variable "timeout" {
  description = "Seconds after which the cloud gives a call up. The function itself has answered before."
  type        = number
}

variable "labels" {
  description = "The function's labels."
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

# Cloud Run's own check of callers is off, for it takes the signature off the token that it has checked, and the function, which
# knows of each caller, could check nothing any more. The function refuses whoever has no token for it.
resource "google_cloud_run_v2_service_iam_member" "invoker" {
  name     = google_cloudfunctions2_function.this.name
  location = var.region
  role     = "roles/run.invoker"
  member   = "allUsers"
}

output "uri" {
  description = "Where it is called directly."
  value       = google_cloudfunctions2_function.this.service_config[0].uri
}

output "service" {
  description = "The name of its Cloud Run service. A reader waits until the service accepts calls."
  value       = google_cloudfunctions2_function.this.name

  # The provider rewrites the names in IAM resources, so no expression reads one.
  depends_on = [google_cloud_run_v2_service_iam_member.invoker]
}

output "function" {
  description = "The function as it was made."
  value       = google_cloudfunctions2_function.this
}
