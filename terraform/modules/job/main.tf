# One Cloud Run job: a program that runs by itself and ends.
variable "name" {
  description = "Name of the job."
  type        = string
}

variable "region" {
  description = "Region."
  type        = string
}

variable "image" {
  description = "Image of the job."
  type        = string
}

variable "args" {
  description = "Arguments of the program."
  type        = list(string)
}

variable "account" {
  description = "E-mail address of the service account of the job."
  type        = string
}

variable "environment" {
  description = "Environment variables."
  type        = map(string)
}

variable "secrets" {
  description = "Environment variables from secrets, with secret and version."
  type        = map(object({ secret = string, version = string }))
  default     = {}
}

variable "network" {
  description = "Network for the connection to the database."
  type        = object({ network = string, subnetwork = string })
}

variable "timeout" {
  description = "Timeout of a run in seconds."
  type        = number
}

variable "run" {
  description = "Token whose change makes the apply run the job and wait for its success; null if the apply never runs it."
  type        = string
  default     = null
}

variable "labels" {
  description = "Labels of the job."
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
  description = "The job resource."
  value       = google_cloud_run_v2_job.this
}
