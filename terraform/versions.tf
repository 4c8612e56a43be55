terraform {
  required_version = ">= 1.9, < 2.0"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 7.45"
    }
  }

  # Where the state is kept is said at init: terraform init -backend-config=bucket=…
  backend "gcs" {
    prefix = "melmastoon"
  }
}

provider "google" {
  project = var.project
  region  = var.region
}
