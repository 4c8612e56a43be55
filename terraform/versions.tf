terraform {
  required_version = ">= 1.9, < 2.0"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 7.45"
    }
  }

  # The location of the state is given at init: terraform init -backend-config=bucket=…
  backend "gcs" {
    prefix = "melmastoon"
  }
}

provider "google" {
  project = var.project
  region  = var.region
}
