output "address" {
  description = "Address for the DNS records of the domain, of *.domain and of the hotels' own domains."
  value       = google_compute_global_address.edge.address
}

output "dns_authorization" {
  description = "DNS record that proves ownership of the domain. It is required for the certificate."
  value       = google_certificate_manager_dns_authorization.domain.dns_resource_record
}

output "functions" {
  description = "URL of each function."
  value       = { for name, f in module.function : name => f.uri }
}

output "connections" {
  description = "Connections that all instances together may open, and the limit of the database."
  value       = { most = local.connections, of = var.database_max_connections }
}

output "migrate" {
  description = "Name of the job that runs the migrations."
  value       = module.migrate.job.name
}
