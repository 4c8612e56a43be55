# What must outlive a mistake, each with its id. The plan is refused if one of them would be destroyed or replaced: hotels' own DNS leads
# to the address, and dead letters are evidence. Google's own protection would refuse when the rest is gone already.
locals {
  kept = var.deletion_protection ? merge(
    {
      address           = google_compute_global_address.edge.id
      certificate       = google_certificate_manager_certificate.domain.id
      certificate_map   = google_certificate_manager_certificate_map.edge.id
      dns_authorization = google_certificate_manager_dns_authorization.domain.id
      database          = google_sql_database_instance.main.id
      tables            = google_sql_database.main.id # a database that is replaced is empty
    },
    { for database in google_firestore_database.hot : "documents" => database.id },
    { for host, certificate in google_certificate_manager_certificate.custom : "certificate ${host}" => certificate.id },
    { for topic, subscription in google_pubsub_subscription.dead_letter : "dead letters ${topic}" => subscription.id },
  ) : {}
}

resource "terraform_data" "kept" {
  for_each = local.kept

  triggers_replace = each.value

  lifecycle {
    prevent_destroy = true
  }
}
