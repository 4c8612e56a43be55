# Browsers, front-desk software and services that call each other come in here. Methods of one path are functions of their own.
resource "google_compute_region_network_endpoint_group" "function" {
  for_each = local.called

  name                  = each.key
  region                = var.region
  network_endpoint_type = "SERVERLESS"

  cloud_run {
    service = module.function[each.key].service
  }

  # What is taken away is let go of first: by the backend service, and that by the map of the edge.
  lifecycle {
    create_before_destroy = true
  }
}

locals {
  # Cloud CDN compresses the responses of these functions. It stores policies and properties, as their Cache-Control allows, and never
  # bootstrap, which is private.
  compressed = toset([for name, f in local.called : name if f.access == "public" && can(regex("/{tenantSlug}/(bootstrap|policies|properties)$", f.path))])
}

resource "google_compute_backend_service" "function" {
  for_each = local.called

  name                  = each.key
  protocol              = "HTTPS"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  security_policy       = each.value.access == "public" ? google_compute_security_policy.edge.id : google_compute_security_policy.desk.id
  enable_cdn            = contains(local.compressed, each.key)
  compression_mode      = contains(local.compressed, each.key) ? "AUTOMATIC" : null

  # The country that a visit comes from, in the place of what the client says.
  custom_request_headers = startswith(each.key, "consumer-") ? ["X-Client-Geo-Country: {client_region}"] : []

  backend {
    group = google_compute_region_network_endpoint_group.function[each.key].id
  }

  # What a security policy has decided can be reviewed. All other lines are excluded: see metrics.tf.
  log_config {
    enable      = true
    sample_rate = 1
  }

  dynamic "cdn_policy" {
    for_each = contains(local.compressed, each.key) ? [1] : []

    content {
      cache_mode = "USE_ORIGIN_HEADERS"

      cache_key_policy {
        include_host         = true
        include_protocol     = true
        include_query_string = true
        include_http_headers = ["Accept-Language", "Origin"]
      }
    }
  }

  lifecycle {
    create_before_destroy = true
  }
}

locals {
  # On our own hosts everything is at its production path; a hotel's own host has what begins with /api.
  sites = {
    ours   = { hosts = [var.domain, "api.${var.domain}"], routes = [for r in local.routes : { function = r.function, method = r.method, template = r.template }] }
    hotels = { hosts = ["*"], routes = [for r in local.routes : { function = r.function, method = r.method, template = r.home } if r.home != ""] }
  }

  # The demo sites' answer to a path without a function is a page in a browser. Without them it is any function's problem.
  lost = try([for r in local.routes : r.function if startswith(r.template, "/site/")][0], null)

  # A path matcher has at most 200 route rules. Each function of a path beside the first has a rule for its method: for a request, and
  # for a browser that asks whether it may send one. Every other request to the path is for the first function, which answers what is
  # not its own with 405. Rules with a method come first, so that no rule without one hides them.
  matches = { for site, s in local.sites : site => concat(
    [for i, r in s.routes : { function = r.function, template = r.template, headers = concat(
      [{ (":method") = r.method }, { (":method") = "OPTIONS", "access-control-request-method" = r.method }],
      r.method == "GET" ? [{ (":method") = "HEAD" }] : [],
    ) } if index(s.routes[*].template, r.template) < i],
    [for i, r in s.routes : { function = r.function, template = r.template, headers = [{}] } if index(s.routes[*].template, r.template) == i],
  ) }
}

resource "google_compute_url_map" "edge" {
  name            = "melmastoon"
  default_service = google_compute_backend_service.function[local.routes[0].function].id

  lifecycle {
    precondition {
      condition     = length(local.called) <= var.backend_services
      error_message = "The load balancer needs ${length(local.called)} backend services, and the project's quota is ${var.backend_services}. Request a higher quota, then set backend_services to it."
    }
  }

  dynamic "host_rule" {
    for_each = local.sites

    content {
      hosts        = host_rule.value.hosts
      path_matcher = host_rule.key
    }
  }

  dynamic "host_rule" {
    for_each = google_compute_backend_bucket.problems

    content {
      hosts        = local.problem_hosts
      path_matcher = "problems"
    }
  }

  dynamic "path_matcher" {
    for_each = google_compute_backend_bucket.problems

    content {
      name            = "problems"
      default_service = path_matcher.value.id
    }
  }

  dynamic "path_matcher" {
    for_each = local.matches

    content {
      name            = path_matcher.key
      default_service = coalesce(var.pages[path_matcher.key], google_compute_backend_service.function[coalesce(local.lost, path_matcher.value[0].function)].id)

      dynamic "route_rules" {
        for_each = { for i, m in path_matcher.value : format("%04d", i) => merge(m, { priority = i + 1 }) }

        content {
          priority = route_rules.value.priority
          service  = google_compute_backend_service.function[route_rules.value.function].id

          dynamic "match_rules" {
            for_each = route_rules.value.headers

            content {
              path_template_match = route_rules.value.template

              dynamic "header_matches" {
                for_each = match_rules.value

                content {
                  header_name = header_matches.key
                  exact_match = header_matches.value
                }
              }
            }
          }
        }
      }
    }
  }
}

# What is far beyond a person, or a house full of them, is turned away here; each function counts for itself, more finely.
resource "google_compute_security_policy" "edge" {
  name = "melmastoon"

  rule {
    action      = "throttle"
    priority    = 1000
    description = "So many a minute from one address."

    match {
      versioned_expr = "SRC_IPS_V1"

      config {
        src_ip_ranges = ["*"]
      }
    }

    rate_limit_options {
      conform_action = "allow"
      exceed_action  = "deny(429)"
      enforce_on_key = "IP"

      rate_limit_threshold {
        count        = 6000
        interval_sec = 60
      }
    }
  }

  rule {
    action      = "deny(403)"
    priority    = 500
    description = "Known attacks. In preview: it refuses no request."
    preview     = true

    match {
      expr {
        expression = join(" || ", [for set in ["protocolattack", "sqli", "xss", "lfi", "rce"] : "evaluatePreconfiguredWaf('${set}-v33-stable', {'sensitivity': 1})"])
      }
    }
  }

  rule {
    action   = "allow"
    priority = 2147483647

    match {
      versioned_expr = "SRC_IPS_V1"

      config {
        src_ip_ranges = ["*"]
      }
    }
  }

  depends_on = [google_project_service.api]
}

# Services and front desks call from few addresses, with tokens. Calls without a token are limited here, and the function answers 401.
resource "google_compute_security_policy" "desk" {
  name = "melmastoon-desk"

  rule {
    action      = "throttle"
    priority    = 900
    description = "Calls a minute without a token, from one address."

    match {
      expr {
        expression = "!has(request.headers['authorization'])"
      }
    }

    rate_limit_options {
      conform_action = "allow"
      exceed_action  = "deny(429)"
      enforce_on_key = "IP"

      rate_limit_threshold {
        count        = 300
        interval_sec = 60
      }
    }
  }

  rule {
    action      = "throttle"
    priority    = 1000
    description = "Calls a minute with a token, from one address."

    match {
      versioned_expr = "SRC_IPS_V1"

      config {
        src_ip_ranges = ["*"]
      }
    }

    rate_limit_options {
      conform_action = "allow"
      exceed_action  = "deny(429)"
      enforce_on_key = "IP"

      rate_limit_threshold {
        count        = 60000
        interval_sec = 60
      }
    }
  }

  rule {
    action   = "allow"
    priority = 2147483647

    match {
      versioned_expr = "SRC_IPS_V1"

      config {
        src_ip_ranges = ["*"]
      }
    }
  }

  depends_on = [google_project_service.api]
}

resource "google_compute_global_address" "edge" {
  name = "melmastoon-edge"

  depends_on = [google_project_service.api]
}

resource "google_certificate_manager_dns_authorization" "domain" {
  name   = "melmastoon"
  domain = var.domain

  depends_on = [google_project_service.api]
}

resource "google_certificate_manager_certificate" "domain" {
  name = "melmastoon"

  managed {
    domains            = [var.domain, "*.${var.domain}"]
    dns_authorizations = [google_certificate_manager_dns_authorization.domain.id]
  }
}

# A domain may be longer than a name, begin with a digit, or look like another one when its dots are gone.
locals {
  named = { for domain in var.custom_domains : domain => "site-${substr(replace(domain, ".", "-"), 0, 40)}-${substr(sha256(domain), 0, 8)}" }
}

# A hotel's own domain proves itself by leading here.
resource "google_certificate_manager_certificate" "custom" {
  for_each = var.custom_domains

  name = local.named[each.value]

  managed {
    domains = [each.value]
  }

  depends_on = [google_project_service.api]
}

resource "google_certificate_manager_certificate_map" "edge" {
  name = "melmastoon"

  depends_on = [google_project_service.api]
}

resource "google_certificate_manager_certificate_map_entry" "edge" {
  for_each = merge(
    { for host in [var.domain, "*.${var.domain}"] : host => google_certificate_manager_certificate.domain.id },
    { for host in var.custom_domains : host => google_certificate_manager_certificate.custom[host].id },
  )

  name         = lookup(local.named, each.key, startswith(each.key, "*") ? "melmastoon-any" : "melmastoon")
  map          = google_certificate_manager_certificate_map.edge.name
  hostname     = each.key
  certificates = [each.value]
}

resource "google_compute_target_https_proxy" "edge" {
  name            = "melmastoon"
  url_map         = google_compute_url_map.edge.id
  certificate_map = "//certificatemanager.googleapis.com/${google_certificate_manager_certificate_map.edge.id}"
  ssl_policy      = google_compute_ssl_policy.edge.id
}

# By default the load balancer accepts TLS 1.0.
resource "google_compute_ssl_policy" "edge" {
  name            = "melmastoon"
  profile         = "MODERN"
  min_tls_version = "TLS_1_2"

  depends_on = [google_project_service.api]
}

resource "google_compute_global_forwarding_rule" "https" {
  name                  = "melmastoon-https"
  target                = google_compute_target_https_proxy.edge.id
  ip_address            = google_compute_global_address.edge.id
  port_range            = "443"
  load_balancing_scheme = "EXTERNAL_MANAGED"
}

resource "google_compute_url_map" "redirect" {
  name = "melmastoon-redirect"

  default_url_redirect {
    https_redirect         = true
    redirect_response_code = "MOVED_PERMANENTLY_DEFAULT"
    strip_query            = false
  }

  depends_on = [google_project_service.api]
}

resource "google_compute_target_http_proxy" "redirect" {
  name    = "melmastoon-redirect"
  url_map = google_compute_url_map.redirect.id
}

resource "google_compute_global_forwarding_rule" "http" {
  name                  = "melmastoon-http"
  target                = google_compute_target_http_proxy.redirect.id
  ip_address            = google_compute_global_address.edge.id
  port_range            = "80"
  load_balancing_scheme = "EXTERNAL_MANAGED"
}
