# What the tests hold the configuration to: the catalogue as it is written, and an archive of everything in it.
locals {
  catalogue = jsondecode(file("${path.module}/../../catalogue.json"))
}

output "all" {
  description = "The archive of each function and job, by name."
  value = { for name in concat([for f in local.catalogue.functions : f.archive], [for j in local.catalogue.jobs : j.archive]) :
    name => "${name}-0123456789abcdef.zip"
  }
}

output "functions" {
  description = "The functions of a production deployment."
  value       = { for name, f in local.catalogue.functions : name => f if !local.catalogue.services[f.service].standIn }
}

output "everything" {
  description = "The functions of a demonstration."
  value       = local.catalogue.functions
}

output "services" {
  description = "The services."
  value       = local.catalogue.services
}
