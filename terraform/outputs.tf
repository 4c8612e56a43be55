output "address" {
  description = "Where the DNS of the domain, of *.domain and of hotels' own domains leads to."
  value       = google_compute_global_address.edge.address
}

output "dns_authorization" {
  description = "The record that proves the domain to be ours, without which there is no certificate."
  value       = google_certificate_manager_dns_authorization.domain.dns_resource_record
}

output "functions" {
  description = "Where each function is called directly."
  value       = { for name, f in module.function : name => f.uri }
}

output "connections" {
  description = "How many connections all instances together may open, of how many the database takes."
  value       = { most = local.connections, of = var.database_max_connections }
}

output "migrate" {
  description = "The name of the job that runs the migrations."
  value       = module.migrate.job.name
}
