# Whether all that the catalogue has finds room: what one missing function would hide, so the catalogue is whole here.

mock_provider "google" {
  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
}

variables {
  project     = "hotels"
  domain      = "hotels.example"
  images      = "me-central1-docker.pkg.dev/hotels/melmastoon"
  alert_email = "oncall@hotels.example"

  upstreams = { for name in ["challenge", "inventory", "lock", "payment", "pricing", "property", "search", "tenant", "theme"] : name => {
    url = "https://${name}.platform.example/v1", audience = "https://${name}.platform.example"
  } }
}

run "archives" {
  command = apply

  module {
    source = "./tests/archives"
  }
}

run "everything" {
  command = plan

  variables {
    archives         = run.archives.all
    demo             = true
    backend_services = 130
  }

  assert {
    condition     = toset(keys(local.functions)) == toset(keys(run.archives.everything))
    error_message = "The functions differ from the catalogue."
  }

  assert {
    condition     = local.connections + var.database_reserve <= var.database_max_connections
    error_message = "The functions may open more connections than the database accepts."
  }

  assert {
    condition     = length(local.accounts) + length(local.job_accounts) + 3 <= 100
    error_message = "A project has a hundred service accounts at most."
  }

  assert {
    condition     = alltrue([for m in local.matches : length(m) <= 200])
    error_message = "There are more routes than a load balancer accepts for one host."
  }
}
