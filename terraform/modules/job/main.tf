# One Cloud Run job: a program that runs by itself and ends.
variable "name" {
  description = "The job's name."
  type        = string
}

variable "region" {
  description = "Where it runs."
  type        = string
}

variable "image" {
  description = "Its image."
  type        = string
}

variable "args" {
  description = "What its program is called with."
  type        = list(string)
}

variable "account" {
  description = "The e-mail of the service account that it runs as."
  type        = string
}

variable "environment" {
  description = "Its variables."
  type        = map(string)
}

variable "secrets" {
  description = "The secret, and its version, that each of these variables is read from."
  type        = map(object({ secret = string, version = string }))
  default     = {}
}

variable "network" {
  description = "The network that it reaches the database through."
  type        = object({ network = string, subnetwork = string })
}

variable "timeout" {
  description = "Seconds after which a run is ended."
  type        = number
}

variable "run" {
  description = "A word that changes when the apply must run the job and wait for its success; null if the apply never runs it."
  type        = string
  default     = null
}

variable "labels" {
  description = "The job's labels."
  type        = map(string)
}

locals {
  retries = 1
}

# A job that runs during the apply is created anew for each run. If the run fails, Terraform marks the new job as tainted and the next
# apply repeats it. An update would have stored the token before the run, and the next apply would have skipped the run. The caller gives
# the job another name each time if the new job is created before the old one is removed.
resource "terraform_data" "run" {
  triggers_replace = var.run
}

resource "google_cloud_run_v2_job" "this" {
  name                = var.name
  location            = var.region
  deletion_protection = false # it keeps nothing
  labels              = var.labels
  run_execution_token = var.run

  template {
    task_count = 1

    template {
      service_account = var.account
      timeout         = "${var.timeout}s"
      max_retries     = local.retries

      containers {
        image = var.image
        args  = var.args

        resources {
          limits = { cpu = "1", memory = "512Mi" }
        }

        dynamic "env" {
          for_each = var.environment

          content {
            name  = env.key
            value = env.value
          }
        }

        dynamic "env" {
          for_each = var.secrets

          content {
            name = env.key

            value_source {
              secret_key_ref {
                secret  = env.value.secret
                version = env.value.version
              }
            }
          }
        }
      }

      vpc_access {
        egress = "PRIVATE_RANGES_ONLY"

        network_interfaces {
          network    = var.network.network
          subnetwork = var.network.subnetwork
        }
      }
    }
  }

  # The apply waits for a run and its retries, and ten minutes for what is around them.
  timeouts {
    create = "${var.timeout * (1 + local.retries) + 600}s"
    update = "${var.timeout * (1 + local.retries) + 600}s"
  }

  lifecycle {
    ignore_changes       = [name]
    replace_triggered_by = [terraform_data.run]
  }
}

output "job" {
  description = "The job as it was made."
  value       = google_cloud_run_v2_job.this
}
