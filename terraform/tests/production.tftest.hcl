# What a production deployment is: held to the catalogue, not to what these files make of it. It is applied, for a plan leaves
# out what the provider checks of values that are not known yet.

mock_provider "google" {
  mock_resource "google_service_account" {
    defaults = {
      name  = "projects/hotels-prod/serviceAccounts/somebody@hotels-prod.iam.gserviceaccount.com"
      email = "somebody@hotels-prod.iam.gserviceaccount.com"
    }
  }

  mock_resource "google_sql_database_instance" {
    defaults = { connection_name = "hotels-prod:me-central1:melmastoon" }
  }

  mock_resource "google_compute_network" {
    defaults = { id = "projects/hotels-prod/global/networks/melmastoon" }
  }

  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
}

variables {
  project              = "hotels-prod"
  domain               = "hotels.example"
  images               = "me-central1-docker.pkg.dev/hotels-prod/melmastoon"
  alert_email          = "oncall@hotels.example"
  pager_channels       = ["projects/hotels-prod/notificationChannels/1"]
  platform_publishers  = ["serviceAccount:events@platform.iam.gserviceaccount.com"]
  desk_callers         = ["desk@desk-software.iam.gserviceaccount.com"]
  notification_callers = ["mail@notifications.iam.gserviceaccount.com"]
  custom_domains       = ["kabul-grand.example"]
  pages                = { hotels = "projects/hotels-prod/global/backendBuckets/sites" }
  keyrings             = { GUEST_SALT_KEYS = "2" }
  deletion_protection  = false # so that the test can clean up
  billing_account      = "012345-6789AB-CDEF01"
  monthly_budget       = 750
  probe_hotel          = { tenant = "tnt_01J8KABG000000000000000TNT", property = "ppt_01J8KABG000000000000000PPT", slug = "probe-hotel", city = "Kabul" }
  staff                = { issuer = "https://iam.platform.example", keys = "https://iam.platform.example/jwks" }

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

run "production" {
  command = apply

  variables {
    archives = run.archives.all
  }

  # --- what there is

  assert {
    condition     = toset(keys(module.function)) == toset(keys(run.archives.functions))
    error_message = "The functions differ from the catalogue."
  }

  assert {
    condition     = alltrue([for name, f in module.function : f.function.build_config[0].entry_point == name && f.function.build_config[0].source[0].storage_source[0].object == "${name}-0123456789abcdef.zip"])
    error_message = "A function is built from the archive of another one, or started as another one."
  }

  assert {
    condition     = toset(keys(google_pubsub_topic.subject)) == setunion(flatten([for f in run.archives.functions : concat(f.emits, f.event == null ? [] : [f.event.subject])]))
    error_message = "The topics are not those of the published and consumed events."
  }

  assert {
    condition     = toset(keys(local.deployed_jobs)) == toset(["database", "erase", "erase-daily", "flags", "keys", "keys-daily", "outbox", "probe-frequent", "prune-daily", "prune-hourly", "prune-weekly", "replay", "timeline"])
    error_message = "The jobs beside migrate are not database, erase and keys (by hand and daily), flags, outbox, probe, replay, timeline, and prune by cadence."
  }

  assert {
    condition     = module.migrate.job.run_execution_token != null && alltrue([for j in local.deployed_jobs : j.job.run_execution_token == null])
    error_message = "The apply runs migrate, and nothing else."
  }

  assert {
    condition     = alltrue([for name, j in merge(local.deployed_jobs, { migrate = module.migrate }) : j.job.template[0].template[0].containers[0].image == "${var.images}/${split("-", name)[0]}:0123456789abcdef"])
    error_message = "An image is not built from its archive."
  }

  assert {
    condition     = alltrue([for f in module.function : tonumber(trimsuffix(f.function.service_config[0].environment_variables["GOMEMLIMIT"], "MiB")) < 0.9 * tonumber(trimsuffix(f.function.service_config[0].available_memory, "Mi"))])
    error_message = "A function's GOMEMLIMIT is not below 90 % of its memory."
  }

  # --- the sandbox is left out

  assert {
    condition     = alltrue([for f in module.function : lookup(f.function.service_config[0].environment_variables, "FORWARD_HEADER", null) == null])
    error_message = "A function forwards the sandbox's scenarios."
  }

  assert {
    condition     = !anytrue([for name in concat(keys(google_service_account.function), keys(google_cloud_scheduler_job.tick), keys(google_pubsub_topic.dead_letter), module.migrate.job.template[0].template[0].containers[0].args) : strcontains(name, "sandbox") || strcontains(name, "storefront") || strcontains(name, "frontdesk")])
    error_message = "A function of the sandbox is deployed."
  }

  assert {
    condition     = alltrue([for name, f in run.archives.functions : alltrue([for u in f.upstreams : contains(keys(module.function[name].function.service_config[0].environment_variables), "UPSTREAM_${upper(u)}_URL")])])
    error_message = "A function has no URL of an upstream that it uses."
  }

  assert {
    condition = (google_compute_backend_bucket.problems[0].bucket_name == google_storage_bucket.problems[0].name && length(google_storage_bucket_object.problem) > 40
    && alltrue([for o in google_storage_bucket_object.problem : o.bucket == google_storage_bucket.problems[0].name]))
    error_message = "The types of problems have no pages."
  }

  # --- least privilege

  assert {
    condition     = length(google_service_account.function) == length(run.archives.functions)
    error_message = "Two functions share an account."
  }

  assert {
    condition     = alltrue([for name, f in module.function : f.function.service_config[0].service_account_email == "${run.archives.functions[name].account}@hotels-prod.iam.gserviceaccount.com"])
    error_message = "A function runs as another account than its own."
  }

  assert {
    condition = alltrue([for topic, b in google_pubsub_topic_iam_binding.publisher : b.members == toset(concat(
      [for f in run.archives.functions : "serviceAccount:${f.account}@hotels-prod.iam.gserviceaccount.com" if length(f.emits) > 0 && contains(flatten([for g in run.archives.functions : g.emits if g.service == f.service]), topic)],
      contains(flatten([for f in run.archives.functions : f.emits]), topic) ? [] : tolist(var.platform_publishers),
      contains([for f in run.archives.functions : f.event.subject if f.event != null], topic) ? ["serviceAccount:jobs-outbox@hotels-prod.iam.gserviceaccount.com", "serviceAccount:jobs-replay@hotels-prod.iam.gserviceaccount.com"] : [],
    ))])
    error_message = "An account may publish without need, or lacks a permission to publish."
  }

  assert {
    condition     = alltrue([for topic, b in google_pubsub_topic_iam_binding.publisher : !anytrue([for m in b.members : startswith(m, "serviceAccount:consumer-") || startswith(m, "serviceAccount:tenantbooking-")]) if startswith(topic, "melmastoon.payment.") || startswith(topic, "melmastoon.reservation.")])
    error_message = "A BFF may publish events of payment or reservation."
  }

  assert {
    condition = toset([for m in google_project_iam_member.database : "${m.member} ${m.role}"]) == toset(flatten([for account in concat([for f in run.archives.functions : f.account if f.postgres], ["jobs-database", "jobs-erase", "jobs-migrate", "jobs-outbox", "jobs-prune", "jobs-timeline"]) :
      [for role in ["roles/cloudsql.client", "roles/cloudsql.instanceUser"] : "serviceAccount:${account}@hotels-prod.iam.gserviceaccount.com ${role}"]
    ]))
    error_message = "An account may connect to the database without need, or lacks the permission."
  }

  assert {
    condition     = toset([for m in google_project_iam_member.documents : "${m.member} ${m.role}"]) == toset([for account in concat([for f in run.archives.functions : f.account if f.documents], ["jobs-erase", "jobs-flags", "jobs-probe"]) : "serviceAccount:${account}@hotels-prod.iam.gserviceaccount.com roles/datastore.user"])
    error_message = "An account may read documents without need, or lacks the permission."
  }

  assert {
    condition = toset(flatten([for variable, b in google_secret_manager_secret_iam_binding.accessor : [for m in b.members : "${m} ${variable}"]])) == toset(flatten([for f in concat(values(run.archives.functions), [{ account = "jobs-keys", secrets = keys(local.secrets) }]) :
      [for variable in f.secrets : "serviceAccount:${f.account}@hotels-prod.iam.gserviceaccount.com ${variable}"]
    ]))
    error_message = "An account may read a keyring without need, or lacks the permission."
  }

  assert {
    condition     = alltrue(flatten([for f in module.function : [for s in f.function.service_config[0].secret_environment_variables : s.version == (s.key == "GUEST_SALT_KEYS" ? "2" : "latest")]]))
    error_message = "A function is rolled out with another version of a keyring than the configured one."
  }

  assert {
    condition = (toset(keys(google_secret_manager_secret_iam_binding.rotation)) == toset(keys(local.secrets)) && length(local.secrets) > 0
    && alltrue([for b in google_secret_manager_secret_iam_binding.rotation : b.role == "roles/secretmanager.secretVersionManager" && b.members == toset(["serviceAccount:jobs-keys@hotels-prod.iam.gserviceaccount.com"])]))
    error_message = "Another account than that of the job keys may add keys, or the job may not."
  }

  assert {
    condition = alltrue([for name, j in module.keys : alltrue([for e in j.job.template[0].template[0].containers[0].env : (
      toset([for d in split(",", e.value) : split("@", d)[0]]) == toset([for variable in keys(local.secrets) : "${variable}=${variable == "GUEST_SALT_KEYS" ? "2" : "latest"}"])
      && alltrue([for d in split(",", e.value) : can(formatdate("YYYY", split("@", d)[1]))])
    ) if e.name == "KEYRINGS"]) && contains(j.job.template[0].template[0].containers[0].env[*].name, "KEYRINGS")]) && toset(keys(module.keys)) == toset(["keys", "keys-daily"])
    error_message = "The job keys does not get the versions that the functions have."
  }

  assert {
    condition = (google_logging_metric.old_keys["keys-daily"].filter == "resource.type=\"cloud_run_job\" AND resource.labels.job_name=\"keys-daily\" AND textPayload=~\"is older than its limit of\""
      && module.alert["keys-old"].policy.conditions[0].condition_threshold[0].filter == "metric.type=\"logging.googleapis.com/user/melmastoon/old_keys\" AND resource.type=\"cloud_run_job\""
    && module.alert["keys-old"].policy.conditions[0].condition_threshold[0].threshold_value == 0)
    error_message = "A key may exceed its maximum age without an alert."
  }

  assert {
    condition     = google_secret_manager_secret_iam_binding.accessor["GUEST_SALT_KEYS"].members == toset(concat(["serviceAccount:jobs-keys@hotels-prod.iam.gserviceaccount.com"], [for f in run.archives.functions : "serviceAccount:${f.account}@hotels-prod.iam.gserviceaccount.com" if contains(f.secrets, "GUEST_SALT_KEYS")])) && length([for f in run.archives.functions : f if contains(f.secrets, "GUEST_SALT_KEYS")]) <= 2
    error_message = "Another account than those of the functions that need the guests' salt and of the job that rotates it may read the salt."
  }

  assert {
    condition = alltrue([for name, f in module.function : join(",", sort([for s in f.function.service_config[0].secret_environment_variables : "${s.key} ${s.secret}"]))
    == join(",", sort([for variable in run.archives.functions[name].secrets : "${variable} melmastoon-${lower(replace(variable, "_", "-"))}"]))])
    error_message = "A function has other keyrings than those that it needs."
  }

  assert {
    condition = alltrue([for name, f in run.archives.functions : lookup(module.function[name].function.service_config[0].environment_variables, "IDENTITY_CALLERS", null) == (f.access == "public" ? null : join(",", sort(distinct(concat(
      [for g in run.archives.functions : "${g.account}@hotels-prod.iam.gserviceaccount.com" if f.answers != "" && contains(g.upstreams, f.answers)],
      f.access == "desk" ? tolist(var.desk_callers) : [],
      name == "tenantbooking-readlink" ? tolist(var.notification_callers) : [],
      f.answers == "reservation" ? ["jobs-probe@hotels-prod.iam.gserviceaccount.com"] : [],
      f.access == "push" ? ["melmastoon-push@hotels-prod.iam.gserviceaccount.com"] : [],
      f.access == "scheduler" ? ["melmastoon-scheduler@hotels-prod.iam.gserviceaccount.com"] : [],
    )))))])
    error_message = "A function admits a caller that does not list it as an upstream."
  }

  assert {
    condition = alltrue([for name, f in run.archives.functions : lookup(module.function[name].function.service_config[0].environment_variables, "DESK_CALLERS", null)
    == (f.access == "desk" ? join(",", sort(tolist(var.desk_callers))) : null)])
    error_message = "A function accepts staff calls from other services than the front-desk software, or rejects those of the front-desk software."
  }

  assert {
    condition     = alltrue([for name, f in run.archives.functions : module.function[name].function.service_config[0].ingress_settings == (f.kind == "http" ? "ALLOW_INTERNAL_AND_GCLB" : "ALLOW_INTERNAL_ONLY")])
    error_message = "An event or scheduled function can be reached from outside, or an HTTP function cannot."
  }

  # --- events

  assert {
    condition     = alltrue([for t in concat(values(google_pubsub_topic.subject), values(google_pubsub_topic.dead_letter)) : try(t.message_storage_policy[0].allowed_persistence_regions == toset([var.region]), false)])
    error_message = "Events are stored outside the region of the guests' data."
  }

  assert {
    condition = alltrue([for name, f in run.archives.functions : f.event == null ? true : (
      module.subscription[name].subscription.name == f.event.subscription
      && module.subscription[name].subscription.topic == google_pubsub_topic.subject[f.event.subject].id
      && module.subscription[name].subscription.push_config[0].push_endpoint == "${module.function[name].uri}/internal/events/${name}"
      && module.subscription[name].subscription.push_config[0].oidc_token[0].audience == run.archives.services[f.service].audience
      && module.subscription[name].subscription.push_config[0].no_wrapper[0].write_metadata
      && module.subscription[name].subscription.enable_message_ordering
      && module.subscription[name].subscription.ack_deadline_seconds == f.event.ackDeadlineSeconds
      && module.subscription[name].subscription.retry_policy[0].minimum_backoff == "${f.event.minBackoffSeconds}s"
      && module.subscription[name].subscription.retry_policy[0].maximum_backoff == "${f.event.maxBackoffSeconds}s"
    )])
    error_message = "A subscription differs from what its function consumes."
  }

  assert {
    condition = alltrue([for name, f in run.archives.functions : f.event == null ? true : (
      length(module.subscription[name].subscription.dead_letter_policy) == 1
      && try(module.subscription[name].subscription.dead_letter_policy[0].dead_letter_topic == google_pubsub_topic.dead_letter[f.event.deadLetter].id, false)
      && try(module.subscription[name].subscription.dead_letter_policy[0].max_delivery_attempts == f.event.attempts, false)
    )])
    error_message = "A subscription has no dead-letter topic, or that of another service."
  }

  assert {
    condition     = alltrue([for name, f in run.archives.functions : f.event == null ? true : try(module.subscription[name].subscription.filter, null) == (f.event.filter == "" ? null : f.event.filter)])
    error_message = "A subscription has another filter than its function."
  }

  assert {
    condition     = anytrue([for s in module.subscription : startswith(s.subscription.filter == null ? "" : s.subscription.filter, "attributes.\"ce-errorcode\" = \"MELMASTOON.BFF.CONSUMER.HANDOFF_REPLAYED\" AND ")])
    error_message = "No subscription filters on the error code of replays."
  }

  assert {
    condition = alltrue([for name, s in module.subscription : s.subscription.filter == null ? false : length(s.subscription.filter) <= 256
    && endswith(s.subscription.filter, "(NOT attributes:\"ce-replayto\" OR attributes.\"ce-replayto\" = \"${s.subscription.name}\")")])
    error_message = "A subscription receives events that are replayed for another one, or its filter is longer than Pub/Sub accepts."
  }

  assert {
    condition     = toset(split(",", local.programs["replay"].environment["DEAD_LETTERS"])) == toset([for name, f in run.archives.functions : "${f.event.subscription}:${f.event.subject}:${f.event.deadLetter}" if f.event != null])
    error_message = "The job replay does not get the list of subscriptions."
  }

  assert {
    condition = toset(keys(google_pubsub_subscription_iam_binding.dead_letter)) == toset([for f in run.archives.functions : f.event.deadLetter if f.event != null]) && alltrue([for topic, b in google_pubsub_subscription_iam_binding.dead_letter :
      b.subscription == google_pubsub_subscription.dead_letter[topic].name && b.role == "roles/pubsub.subscriber" && b.members == toset(["serviceAccount:jobs-erase@hotels-prod.iam.gserviceaccount.com", "serviceAccount:jobs-replay@hotels-prod.iam.gserviceaccount.com"])
    ])
    error_message = "Another job than replay and erase may read dead letters, or one of these may not."
  }

  assert {
    condition     = !anytrue([for m in concat(values(google_project_iam_member.database), values(google_project_iam_member.documents)) : strcontains(m.member, "jobs-replay")])
    error_message = "The job replay may do more than pull dead letters and publish them again."
  }

  assert {
    condition = toset(keys(google_pubsub_subscription.dead_letter)) == toset([for f in run.archives.functions : f.event.deadLetter if f.event != null]) && alltrue([for s in google_pubsub_subscription.dead_letter :
      length(s.expiration_policy) == 1 && try(s.expiration_policy[0].ttl == "", false) && s.message_retention_duration == (startswith(s.name, "bff-tenant-dlq.") ? "604800s" : "2678400s")
    ])
    error_message = "Dead letters are not kept."
  }

  assert {
    condition = alltrue([for topic, b in google_pubsub_topic_iam_binding.dead_letter : b.members == toset(concat(
      ["serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com"],
      [for f in run.archives.functions : "serviceAccount:${f.account}@hotels-prod.iam.gserviceaccount.com" if try(f.event.deadLetter == topic, false)],
    ))])
    error_message = "Another account than those of Pub/Sub and the event functions may dead-letter."
  }

  # --- schedules

  assert {
    condition = toset(keys(google_cloud_scheduler_job.tick)) == toset([for name, f in run.archives.functions : name if f.schedule != ""]) && alltrue([for name, s in google_cloud_scheduler_job.tick :
      s.schedule == run.archives.functions[name].schedule && s.time_zone == "Etc/UTC"
      && s.http_target[0].uri == "${module.function[name].uri}/internal/ticks/${name}"
      && s.http_target[0].oidc_token[0].audience == run.archives.services[run.archives.functions[name].service].audience
    ])
    error_message = "The schedules differ from the catalogue."
  }

  assert {
    condition     = toset([for s in google_cloud_scheduler_job.run : s.name]) == toset(["erase-daily", "keys-daily", "probe-frequent", "prune-daily", "prune-hourly", "prune-weekly"]) && alltrue([for name, m in google_cloud_run_v2_job_iam_member.scheduler : m.role == "roles/run.invoker"])
    error_message = "A cadence of prune, erase or keys has no schedule."
  }

  assert {
    condition = (google_cloud_scheduler_job.run["probe-frequent"].schedule == "*/5 * * * *"
      && toset(local.programs["probe-frequent"].args) == toset(["-tenant=${var.probe_hotel.tenant}", "-property=${var.probe_hotel.property}", "-slug=probe-hotel", "-city=Kabul"])
      && local.programs["probe-frequent"].environment["PROBE_URL"] == "https://hotels.example"
      && local.programs["probe-frequent"].environment["UPSTREAM_RESERVATION_URL"] == "https://api.hotels.example/api/v1/reservations"
      && !contains(keys(local.programs["probe-frequent"].environment), "CLOUDSQL_USER")
    && !contains(keys(module.alert), "job-erase") && contains(keys(module.alert), "job-erase-daily") && !contains(keys(module.alert), "job-probe-frequent") && module.alert["probe"].policy.severity == "CRITICAL")
    error_message = "The probe is not set up as expected."
  }

  # --- state

  assert {
    condition = (google_sql_database_instance.main.database_version == "POSTGRES_15"
      && !google_sql_database_instance.main.settings[0].ip_configuration[0].ipv4_enabled
    && google_sql_database_instance.main.settings[0].backup_configuration[0].point_in_time_recovery_enabled)
    error_message = "The database has a public address, or no point-in-time recovery."
  }

  assert {
    condition     = length([for f in google_sql_database_instance.main.settings[0].database_flags : f if f.name == "cloudsql.iam_authentication" && f.value == "on"]) == 1 && alltrue([for u in google_sql_user.function : u.type == "CLOUD_IAM_SERVICE_ACCOUNT" && u.password == null])
    error_message = "An account logs in with a password."
  }

  assert {
    condition     = output.connections.most <= output.connections.of - var.database_reserve && output.connections.most > 0
    error_message = "The functions may open more connections than the database accepts."
  }

  assert {
    condition     = google_firestore_field.expires[0].collection == "documents" && google_firestore_field.expires[0].field == "expiresAt" && length(google_firestore_field.expires[0].ttl_config) == 1 && google_firestore_field.unindexed[0].field == "*"
    error_message = "Hot documents do not expire, or are indexed."
  }

  # --- the edge

  assert {
    condition     = toset(keys(google_compute_backend_service.function)) == toset([for name, f in run.archives.functions : name if f.kind == "http"])
    error_message = "The load balancer has a route to an event or scheduled function, or lacks one to an HTTP function."
  }

  assert {
    condition     = alltrue([for m in google_compute_url_map.edge.path_matcher : length(distinct(m.route_rules[*].priority)) == length(m.route_rules) && length(m.route_rules) <= 200])
    error_message = "Two routes have the same priority, or there are more than a load balancer accepts."
  }

  assert {
    condition = anytrue([for r in one([for m in google_compute_url_map.edge.path_matcher : m if m.name == "hotels"]).route_rules : r.service == google_compute_backend_service.function["tenantbooking-hold"].id
    && r.match_rules[0].path_template_match == "/api/hold"])
    error_message = "A hotel's own host has no /api/hold."
  }

  assert {
    condition     = alltrue([for name, b in google_compute_backend_service.function : b.enable_cdn == contains(["tenantbooking-bootstrap", "tenantbooking-listpolicies", "tenantbooking-listproperties"], name) && b.security_policy == (run.archives.functions[name].access == "public" ? google_compute_security_policy.edge.id : google_compute_security_policy.desk.id)])
    error_message = "A shared cache stores private responses, or a function has no rate limits at the load balancer."
  }

  assert {
    condition     = alltrue([for name, b in google_compute_backend_service.function : toset(b.custom_request_headers) == toset(startswith(name, "consumer-") ? ["X-Client-Geo-Country: {client_region}"] : [])])
    error_message = "A function of the consumer service takes the country from the client, or does not get it from the load balancer, or another function gets it."
  }

  assert {
    condition     = [for m in google_project_iam_member.logs : "${m.member} ${m.role}"] == ["serviceAccount:jobs-timeline@hotels-prod.iam.gserviceaccount.com roles/logging.viewer"]
    error_message = "Another account than that of the job timeline may read the log, or the job may not."
  }

  assert {
    condition     = toset([for e in google_certificate_manager_certificate_map_entry.edge : e.hostname]) == toset(["hotels.example", "*.hotels.example", "kabul-grand.example"])
    error_message = "A host has no certificate."
  }

  assert {
    condition = (one([for m in google_compute_url_map.edge.path_matcher : m.default_service if m.name == "hotels"]) == var.pages.hotels
    && one([for m in google_compute_url_map.edge.path_matcher : m.default_service if m.name == "ours"]) != var.pages.hotels)
    error_message = "The hotels' hosts do not lead to pages.hotels, or our host does."
  }

  assert {
    condition     = google_compute_target_https_proxy.edge.ssl_policy == google_compute_ssl_policy.edge.id && google_compute_ssl_policy.edge.min_tls_version == "TLS_1_2"
    error_message = "The load balancer accepts TLS versions before 1.2."
  }

  # --- what is logged, and alerts

  assert {
    condition     = endswith(google_logging_project_exclusion.requests.filter, "logName=\"projects/hotels-prod/logs/run.googleapis.com%2Frequests\"") && google_logging_project_exclusion.requests.disabled != true
    error_message = "Tokens of guests are logged, in the addresses that they call."
  }

  assert {
    condition     = alltrue([for name in keys(run.archives.services) : strcontains(module.alert["errors-${name}"].policy.conditions[0].condition_prometheus_query_language[0].query, "run_googleapis_com:request_count") if !run.archives.services[name].standIn]) && contains(keys(module.alert), "starts")
    error_message = "There is no alert for a function that does not start."
  }

  assert {
    condition = alltrue(flatten([for key in ["errors-consumer", "errors-reservation", "errors-tenantbooking", "away-store", "away-neighbour"] : [
      for suffix, burn in { "" = ["0.0144", "1h", "5m", "CRITICAL"], "-slow" = ["0.0060", "6h", "30m", "WARNING"] } : [
        module.alert["${key}${suffix}"].policy.severity == burn[3],
        strcontains(module.alert["${key}${suffix}"].policy.conditions[0].condition_prometheus_query_language[0].query, "[${burn[1]}])) > ${burn[0]} * sum(increase("),
        strcontains(module.alert["${key}${suffix}"].policy.conditions[0].condition_prometheus_query_language[0].query, "[${burn[2]}])) > ${burn[0]} * sum(increase("),
      ]
    ]]))
    error_message = "An error budget is spent without an alert, or the alert has another burn rate than 2 % in an hour and 5 % in six."
  }

  assert {
    condition     = alltrue([for a in keys(local.burning) : endswith(module.alert[a].policy.conditions[0].condition_prometheus_query_language[0].query, "])) > 10")])
    error_message = "A single failed call at night pages."
  }

  assert {
    condition = toset(keys(google_monitoring_dashboard.service)) == toset([for name, s in run.archives.services : name if !s.standIn]) && alltrue([for name, d in google_monitoring_dashboard.service :
      jsondecode(d.dashboard_json).displayName == "melmastoon ${name}" && length(jsondecode(d.dashboard_json).mosaicLayout.tiles) >= 5
      && alltrue([for tile in jsondecode(d.dashboard_json).mosaicLayout.tiles : tile.widget.xyChart.dataSets[0].timeSeriesQuery.prometheusQuery != ""])
    ])
    error_message = "A service has no dashboard, or an empty one."
  }

  assert {
    condition = (toset(keys(google_billing_budget.month)) == toset([var.billing_account])
      && toset(google_billing_budget.month[var.billing_account].threshold_rules[*].threshold_percent) == toset([0.5, 0.9, 1, 1.2])
      && google_billing_budget.month[var.billing_account].amount[0].specified_amount[0].units == "750"
      && toset(google_billing_budget.month[var.billing_account].budget_filter[0].projects) == toset(["projects/123456789012"])
    && length(google_billing_budget.month[var.billing_account].all_updates_rule[0].monitoring_notification_channels) == 1)
    error_message = "A month may cost more than expected without a notification."
  }

  assert {
    condition     = alltrue([for o in google_storage_bucket_object.archive : startswith(o.source, "../.local/bundles/")])
    error_message = "The archives are not from the folder of the bundles."
  }

  assert {
    condition = try(module.alert["outbox-lag"].policy.conditions[0].condition_prometheus_query_language[0].query, "") == join(" > 0.01 * ", [for what in ["late", "published"] :
      "sum by (service) (increase(logging_googleapis_com:user_melmastoon_outbox_${what}_sum{monitored_resource=\"cloud_run_revision\"}[10m]))"
    ]) && alltrue([for a in module.alert : length(concat(a.policy.conditions[0].condition_threshold, a.policy.conditions[0].condition_prometheus_query_language)) == 1])
    error_message = "Events may leave the outboxes late without an alert."
  }

  assert {
    condition = toset([for what, m in google_logging_metric.outbox : "${m.name} ${m.value_extractor} ${m.metric_descriptor[0].value_type} ${strcontains(m.filter, " AND jsonPayload.outbox.published>0")}"]) == toset([for what in ["late", "published"] :
      "melmastoon/outbox_${what} EXTRACT(jsonPayload.outbox.${what}) DISTRIBUTION true"
    ])
    error_message = "Late events are not counted from the same log lines as published events."
  }

  # The limits of the data model, for a machine with two processors.
  assert {
    condition = alltrue([for what, c in {
      writes = ["postgresql/tuples_processed_count", "ALIGN_RATE", 200, "3600s"]
      size   = ["disk/bytes_used", "ALIGN_MEAN", 100000000000, "600s"]
      } : alltrue([for t in module.alert["database-${what}"].policy.conditions[0].condition_threshold : strcontains(t.filter, "metric.type=\"cloudsql.googleapis.com/database/${c[0]}\"")
        && t.aggregations[0].per_series_aligner == c[1] && t.aggregations[0].cross_series_reducer == "REDUCE_SUM" && t.threshold_value == c[2] && t.duration == c[3] && t.comparison == "COMPARISON_GT"
    ]) && length(module.alert["database-${what}"].policy.conditions[0].condition_threshold) == 1 && module.alert["database-${what}"].policy.severity == "WARNING"])
    error_message = "The database may outgrow its machine without an alert at 200 writes per second and 100 GB."
  }

  assert {
    condition     = endswith(google_logging_metric.incidents["outbox_rows"].filter, " AND jsonPayload.outbox.rows>50000000") && strcontains(module.alert["outbox-rows"].policy.conditions[0].condition_threshold[0].filter, "/melmastoon/outbox_rows\"") && module.alert["outbox-rows"].policy.conditions[0].condition_threshold[0].threshold_value == 0
    error_message = "An outbox may have more than 50 million rows without an alert."
  }

  assert {
    condition     = alltrue([for a in module.alert : try(a.policy.alert_strategy[0].auto_close == "3600s", false)]) && !contains(keys(module.alert), "documents")
    error_message = "An alert does not close by itself, or its metric does not exist."
  }

  assert {
    condition     = alltrue([for name, f in run.archives.functions : f.schedule == "" || contains(keys(module.alert), "progress-${name}")]) && alltrue([for name, f in run.archives.functions : f.event == null || contains(keys(module.alert), try("dead-${f.event.deadLetter}", ""))])
    error_message = "A schedule may stop, or a message be dead-lettered, without an alert."
  }

  assert {
    condition     = alltrue([for a in module.alert : length(a.policy.notification_channels) == (a.policy.severity == "CRITICAL" ? 2 : 1) && strcontains(a.policy.documentation[0].content, "\n1. ")])
    error_message = "An alert has no notification channel, or no playbook."
  }
}

# An archive is named by its content. The path of the folder, which differs between a laptop and CI, must not replace it.
run "another_folder" {
  command = plan

  variables {
    archives = run.archives.all
    bundles  = "/elsewhere/bundles"
  }

  assert {
    condition     = alltrue([for o in google_storage_bucket_object.archive : startswith(o.source, "../.local/bundles/")])
    error_message = "An archive is uploaded again because the path of its folder differs."
  }
}

run "protected" {
  command = plan

  variables {
    archives            = run.archives.all
    deletion_protection = true
  }

  assert {
    condition     = google_sql_database_instance.main.deletion_protection && google_firestore_database.hot[0].delete_protection_state == "DELETE_PROTECTION_ENABLED"
    error_message = "The database or documents can be deleted."
  }
}
