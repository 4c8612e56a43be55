# One function's subscription: what is published to a topic is pushed to it, in order per key, signed, as a CloudEvent whose
# attributes are headers; what it never accepts goes to a dead-letter topic.
variable "name" {
  description = "What the subscription is called: as its function."
  type        = string
}

variable "topic" {
  description = "The full id of the topic."
  type        = string
}

variable "endpoint" {
  description = "The URL that is pushed to."
  type        = string
}

variable "audience" {
  description = "What the tokens of pushes are made out to."
  type        = string

  validation {
    condition     = startswith(var.audience, "https://")
    error_message = "An audience is an https URL."
  }
}

variable "signer" {
  description = "The e-mail of the service account that pushes are signed as."
  type        = string
}

variable "agent" {
  description = "Pub/Sub's own service agent, which moves what is dead."
  type        = string
}

variable "dead_letter" {
  description = "The full id of the dead-letter topic."
  type        = string
}

variable "filter" {
  description = "Which messages are wanted, in Pub/Sub's language; empty wants all."
  type        = string
}

variable "attempts" {
  description = "Pushes after which a message is dead."
  type        = number

  validation {
    condition     = var.attempts >= 5 && var.attempts <= 100
    error_message = "Pub/Sub takes 5 to 100."
  }
}

variable "ack_deadline" {
  description = "Seconds within which the function answers."
  type        = number

  validation {
    condition     = var.ack_deadline >= 10 && var.ack_deadline <= 600
    error_message = "Pub/Sub takes 10 to 600."
  }
}

variable "backoff" {
  description = "Seconds between two pushes of a message: they double from min to max."
  type        = object({ min = number, max = number })
}

variable "labels" {
  description = "The subscription's labels."
  type        = map(string)
}

resource "google_pubsub_subscription" "this" {
  name                       = var.name
  topic                      = var.topic
  filter                     = var.filter == "" ? null : var.filter
  ack_deadline_seconds       = var.ack_deadline
  enable_message_ordering    = true
  message_retention_duration = "${7 * 24 * 60 * 60}s"
  labels                     = var.labels

  push_config {
    push_endpoint = var.endpoint

    oidc_token {
      service_account_email = var.signer
      audience              = var.audience
    }

    no_wrapper {
      write_metadata = true
    }
  }

  retry_policy {
    minimum_backoff = "${var.backoff.min}s"
    maximum_backoff = "${var.backoff.max}s"
  }

  dead_letter_policy {
    dead_letter_topic     = var.dead_letter
    max_delivery_attempts = var.attempts
  }

  expiration_policy {
    ttl = ""
  }
}

# To move a message, Pub/Sub acknowledges it here.
resource "google_pubsub_subscription_iam_member" "agent" {
  subscription = google_pubsub_subscription.this.name
  role         = "roles/pubsub.subscriber"
  member       = var.agent
}

output "subscription" {
  description = "The subscription as it was made."
  value       = google_pubsub_subscription.this
}
