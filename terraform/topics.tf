# A topic has the name of its subject. Bindings are complete: an account that is not listed here cannot publish.
resource "google_pubsub_topic" "subject" {
  for_each = local.topics

  name   = each.value
  labels = var.labels

  # What was published can be asked for again for a week, by a subscription that is new or was broken.
  # The services that keep events longer, such as analytics-service, create their own subscriptions and apply the period of x-retention.
  message_retention_duration = "${7 * 24 * 60 * 60}s"

  # Wherever it is published from, it lies here only: events say of themselves where their data must stay.
  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_project_service.api]
}

locals {
  # A function that emits an event publishes the outbox lanes of its rows, which other functions of its service share.
  emitted = { for service in keys(local.services) : service => toset(flatten([for f in local.functions : f.emits if f.service == service])) }
  publishers = { for topic in local.topics : topic => setunion(
    [for f in local.functions : "serviceAccount:${f.account}@${local.domain_of_accounts}" if length(f.emits) > 0 && contains(local.emitted[f.service], topic)],
    contains(local.published, topic) ? [] : var.platform_publishers,
    contains(local.subscribed, topic) ? local.replaying : [],
  ) }
}

resource "google_pubsub_topic_iam_binding" "publisher" {
  for_each = { for topic, members in local.publishers : topic => members if length(members) > 0 }

  topic   = google_pubsub_topic.subject[each.key].name
  role    = "roles/pubsub.publisher"
  members = each.value

  depends_on = [google_service_account.function, google_service_account.job]
}

locals {
  # How long dead letters are kept, and the number above which an alert notifies.
  dead_letters_of = merge({ for service in keys(local.services) : service => { days = 31, page_above = 0 } }, {
    consumer      = { days = 31, page_above = 100 }
    sandbox       = { days = 7, page_above = 1000 }
    tenantbooking = { days = 7, page_above = 50 }
  })
}

resource "google_pubsub_topic" "dead_letter" {
  for_each = local.dead_letters

  name   = each.key
  labels = var.labels

  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_project_service.api]
}

# Pub/Sub puts a message there that was refused too often, a function one that it knows it will never accept.
resource "google_pubsub_topic_iam_binding" "dead_letter" {
  for_each = local.dead_letters

  topic   = google_pubsub_topic.dead_letter[each.key].name
  role    = "roles/pubsub.publisher"
  members = setunion([local.pubsub_agent], [for account in each.value.accounts : "serviceAccount:${account}@${local.domain_of_accounts}"])

  depends_on = [google_service_account.function]
}

# Without a subscription a dead letter would be lost, and without this policy an idle subscription would expire.
resource "google_pubsub_subscription" "dead_letter" {
  for_each = local.dead_letters

  name                       = each.key
  topic                      = google_pubsub_topic.dead_letter[each.key].id
  ack_deadline_seconds       = 60
  message_retention_duration = "${local.dead_letters_of[each.value.service].days * 24 * 60 * 60}s"
  labels                     = var.labels

  expiration_policy {
    ttl = ""
  }
}

# Only these jobs pull dead letters, because a pulled message is hidden from other readers for minutes.
resource "google_pubsub_subscription_iam_binding" "dead_letter" {
  for_each = length(local.reading) > 0 ? local.dead_letters : {}

  subscription = google_pubsub_subscription.dead_letter[each.key].name
  role         = "roles/pubsub.subscriber"
  members      = local.reading

  depends_on = [google_service_account.job]
}

module "subscription" {
  source   = "./modules/subscription"
  for_each = local.consumers

  name        = each.value.event.subscription
  topic       = google_pubsub_topic.subject[each.value.event.subject].id
  endpoint    = "${module.function[each.key].uri}${each.value.path}"
  audience    = local.services[each.value.service].audience
  signer      = google_service_account.helper["push"].email
  agent       = local.pubsub_agent
  dead_letter = google_pubsub_topic.dead_letter[each.value.event.deadLetter].id
  labels      = var.labels

  filter       = each.value.event.filter
  attempts     = each.value.event.attempts
  ack_deadline = each.value.event.ackDeadlineSeconds
  backoff      = { min = each.value.event.minBackoffSeconds, max = each.value.event.maxBackoffSeconds }
}
