# One function's subscription: what is published to a topic is pushed to it, in order per key, signed, as a CloudEvent whose
# attributes are headers; what it never accepts goes to a dead-letter topic.
variable "name" {
  description = "Name of the subscription."
  type        = string
}

variable "topic" {
  description = "Full id of the topic."
  type        = string
}

variable "endpoint" {
  description = "URL of the push endpoint."
  type        = string
}

variable "audience" {
  description = "Audience of the push tokens."
  type        = string

  validation {
    condition     = startswith(var.audience, "https://")
    error_message = "An audience is an https URL."
  }
}

variable "signer" {
  description = "E-mail address of the service account that signs pushes."
  type        = string
}

variable "agent" {
  description = "Pub/Sub's service agent, which publishes dead letters."
  type        = string
}

variable "dead_letter" {
  description = "Full id of the dead-letter topic."
  type        = string
}

variable "filter" {
  description = "Pub/Sub filter of the messages; empty accepts all."
  type        = string
}

variable "attempts" {
  description = "Number of pushes after which a message is dead-lettered."
  type        = number

  validation {
    condition     = var.attempts >= 5 && var.attempts <= 100
    error_message = "Pub/Sub accepts 5 to 100."
  }
}

variable "ack_deadline" {
  description = "Acknowledgement deadline in seconds."
  type        = number

  validation {
    condition     = var.ack_deadline >= 10 && var.ack_deadline <= 600
    error_message = "Pub/Sub accepts 10 to 600."
  }
}

variable "backoff" {
  description = "Backoff between two pushes in seconds, doubling from min to max."
  type        = object({ min = number, max = number })
}

variable "labels" {
  description = "Labels of the subscription."
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

  # A subscription that is replaced, such as one with a new name, must not miss events in between.
  lifecycle {
    create_before_destroy = true
  }
}

# To move a message, Pub/Sub acknowledges it here.
resource "google_pubsub_subscription_iam_member" "agent" {
  subscription = google_pubsub_subscription.this.name
  role         = "roles/pubsub.subscriber"
  member       = var.agent
}

output "subscription" {
  description = "The subscription resource."
  value       = google_pubsub_subscription.this
}
