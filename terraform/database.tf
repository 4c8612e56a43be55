locals {
  # If every instance of every function had filled its pool.
  connections = sum([for name, f in local.functions : f.postgres ? local.scaling[name].max_instances * var.database_pool : 0])
}

resource "google_sql_database_instance" "main" {
  name                = "melmastoon"
  region              = var.region
  database_version    = "POSTGRES_15"
  deletion_protection = var.deletion_protection

  settings {
    tier                        = var.database_tier
    edition                     = "ENTERPRISE"
    availability_type           = var.database_availability
    disk_type                   = "PD_SSD"
    disk_autoresize             = true
    deletion_protection_enabled = var.deletion_protection
    connector_enforcement       = "REQUIRED" # a client must show a certificate and an identity
    user_labels                 = var.labels

    ip_configuration {
      ipv4_enabled    = false
      private_network = google_compute_network.main.id
      ssl_mode        = "TRUSTED_CLIENT_CERTIFICATE_REQUIRED"
    }

    backup_configuration {
      enabled                        = true
      location                       = var.region # by default the closest multi-region, which may be on another continent
      start_time                     = "21:00"    # the night begins at the hotels
      point_in_time_recovery_enabled = true
      transaction_log_retention_days = 7

      backup_retention_settings {
        retained_backups = 30
      }
    }

    database_flags {
      name  = "cloudsql.iam_authentication"
      value = "on"
    }

    database_flags {
      name  = "max_connections"
      value = tostring(var.database_max_connections)
    }

    # Waits for locks and sorts on disk, in the log of the database. Slow statements are not logged: their parameters are guests' data.
    database_flags {
      name  = "log_lock_waits"
      value = "on"
    }

    database_flags {
      name  = "log_temp_files"
      value = "0"
    }

    maintenance_window {
      day          = 2
      hour         = 22
      update_track = "stable"
    }

    insights_config {
      query_insights_enabled  = true
      record_application_tags = true
    }
  }

  lifecycle {
    precondition {
      condition     = local.connections + var.database_reserve <= var.database_max_connections
      error_message = "All instances together may open ${local.connections} connections, and ${var.database_reserve} are kept free: more than the ${var.database_max_connections} that the database takes. Lower max_instances or database_pool, or raise database_max_connections with its tier."
    }
  }

  depends_on = [google_service_networking_connection.services]
}

resource "google_sql_database" "main" {
  name     = "melmastoon"
  instance = google_sql_database_instance.main.name
}

# A login for each account, without a password. It may do nothing until migrate admits it to the roles of its service.
resource "google_sql_user" "function" {
  for_each = local.with_postgres

  instance = google_sql_database_instance.main.name
  name     = "${each.value}@${var.project}.iam"
  type     = "CLOUD_IAM_SERVICE_ACCOUNT"

  depends_on = [google_service_account.function]
}

# Migrations make schemas and roles; the other jobs are admitted as functions are.
resource "google_sql_user" "job" {
  for_each = toset([for name, j in local.jobs : name if j.postgres])

  instance       = google_sql_database_instance.main.name
  name           = "jobs-${each.value}@${var.project}.iam"
  type           = "CLOUD_IAM_SERVICE_ACCOUNT"
  database_roles = each.value == "migrate" ? ["cloudsqlsuperuser"] : null

  depends_on = [google_service_account.job]
}
