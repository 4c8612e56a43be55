# What a demonstration adds, and what is refused.

mock_provider "google" {
  mock_resource "google_service_account" {
    defaults = {
      name  = "projects/hotels-demo/serviceAccounts/somebody@hotels-demo.iam.gserviceaccount.com"
      email = "somebody@hotels-demo.iam.gserviceaccount.com"
    }
  }

  mock_resource "google_sql_database_instance" {
    defaults = { connection_name = "hotels-demo:me-central1:melmastoon" }
  }

  mock_resource "google_compute_network" {
    defaults = { id = "projects/hotels-demo/global/networks/melmastoon" }
  }

  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
}

variables {
  project     = "hotels-demo"
  domain      = "demo.hotels.example"
  images      = "me-central1-docker.pkg.dev/hotels-demo/melmastoon"
  alert_email = "oncall@hotels.example"
  demo        = true

  backend_services = 130
}

run "archives" {
  command = apply

  module {
    source = "./tests/archives"
  }
}

run "demo" {
  command = plan

  variables {
    archives  = run.archives.all
    documents = "redis"
    redis_ca  = "-----BEGIN CERTIFICATE-----\n"
  }

  assert {
    condition     = toset(keys(module.function)) == toset(keys(run.archives.everything))
    error_message = "The functions differ from the catalogue."
  }

  assert {
    condition     = alltrue([for name in keys(run.archives.everything) : local.environment[name].FORWARD_HEADER == "X-Sandbox-Scenario"])
    error_message = "A function does not forward the sandbox's scenarios."
  }

  assert {
    condition     = length(google_service_account.function) + length(google_service_account.job) + length(google_service_account.helper) <= 100
    error_message = "A project has a hundred service accounts at most."
  }

  assert {
    condition = alltrue([for name, f in run.archives.everything : alltrue([for u in f.upstreams : contains(["consumer", "reservation", "tenantbooking"], u) || (
      lookup(local.environment[name], "UPSTREAM_${upper(u)}_URL", "") == "https://api.demo.hotels.example/sandbox/${u}/v1"
      && lookup(local.environment[name], "UPSTREAM_${upper(u)}_AUDIENCE", "") == run.archives.services["sandbox"].audience
    )])])
    error_message = "A function calls an upstream at another URL than the sandbox's."
  }

  assert {
    condition = alltrue([for name, f in run.archives.everything : local.environment[name].IDENTITY_CALLERS == join(",", sort(distinct([
      for g in run.archives.everything : "${g.account}@hotels-demo.iam.gserviceaccount.com" if contains(g.upstreams, f.answers)
    ]))) if f.access == "internal"])
    error_message = "A function of the sandbox admits a caller that does not list it as an upstream."
  }

  assert {
    condition = (module.job["furnish-daily"].job.run_execution_token != null && length(local.programs["furnish-daily"].args) == 0
      && contains(local.logins, "sandbox:jobs-furnish@hotels-demo.iam") && !anytrue([for login in local.logins : strcontains(login, "jobs-furnish") && !startswith(login, "sandbox:")])
    && contains(keys(google_cloud_scheduler_job.run), "furnish-daily"))
    error_message = "The demonstration has no hotels, or soon no nights on sale."
  }

  assert {
    condition     = contains(keys(local.programs["flags"].secrets), "REDIS_URL") && !contains(keys(local.programs["migrate"].secrets), "REDIS_URL") && contains(keys(module.alert), "documents")
    error_message = "A job uses another document store than the functions, or there is no alert for a full Memorystore."
  }

  assert {
    condition     = local.lost == "storefront-offerrooms"
    error_message = "A path without a function has no page in a browser, although the demonstration has sites."
  }

  assert {
    condition     = length(google_billing_budget.month) == 0 && length(google_monitoring_dashboard.service) == length(run.archives.services)
    error_message = "There is a budget without a billing account, or a service without a dashboard."
  }

  assert {
    condition     = length(google_firestore_database.hot) == 0 && length(google_project_iam_member.documents) == 0
    error_message = "There are two stores of hot documents."
  }

  assert {
    condition = toset(google_secret_manager_secret_iam_binding.redis_url[0].members) == toset([for account in concat([for f in run.archives.everything : f.account if f.documents], ["jobs-erase", "jobs-flags", "jobs-probe"]) :
      "serviceAccount:${account}@hotels-demo.iam.gserviceaccount.com"
    ])
    error_message = "An account may read the password of Memorystore without need, or lacks the permission."
  }

  assert {
    condition = alltrue([for name, f in run.archives.everything : f.documents == (
      contains(keys(local.environment[name]), "REDIS_CA") && contains(keys(local.environment[name]), "REDIS_PREFIX")
      && contains([for s in module.function[name].function.service_config[0].secret_environment_variables : s.key], "REDIS_URL")
    ) && !contains(keys(local.environment[name]), "REDIS_URL")])
    error_message = "A function has the settings of a store that it does not use, or lacks those of one that it uses, or its configuration shows the password."
  }
}

run "refuses_more_connections_than_there_are" {
  command = plan

  variables {
    archives                 = run.archives.all
    database_pool            = 8
    database_max_connections = 50
  }

  expect_failures = [google_sql_database_instance.main]
}

run "refuses_to_deploy_without_archives" {
  command = plan

  variables {
    bundles  = "tests/nowhere"
    archives = { for name, archive in run.archives.all : name => archive if name != "jobs-prune" }
  }

  expect_failures = [google_storage_bucket.archives]
}

run "refuses_neighbours_that_nobody_names" {
  command = plan

  variables {
    archives = run.archives.all
    demo     = false
  }

  expect_failures = [google_storage_bucket_object.archive]
}

run "refuses_values_of_the_wrong_form" {
  command = plan

  variables {
    archives            = run.archives.all
    project             = "Hotels"
    domain              = "https://hotels.example"
    images              = "melmastoon"
    alert_email         = "oncall"
    documents           = "pg"
    platform_publishers = ["allUsers"]
    rate_limits         = { session = "many" }
    pages               = { ours = "https://hotels.example" }
    keyrings            = { HANDOFF_KEY = "2" }
    scaling             = { consumer-serach = { max_instances = 9 } }
  }

  expect_failures = [var.project, var.domain, var.images, var.alert_email, var.documents, var.platform_publishers, var.rate_limits, var.pages, var.keyrings, var.scaling]
}
