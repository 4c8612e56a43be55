variable "project" {
  description = "Google Cloud project of all resources. It should contain nothing else."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "A project id has 6 to 30 lower-case letters, digits and hyphens, and begins with a letter."
  }
}

variable "region" {
  description = "Region of functions, jobs, database and topics."
  type        = string
  default     = "me-central1"

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "A region looks like me-central1."
  }
}

variable "domain" {
  description = "Our own domain. It serves the site of all hotels; each hotel's site is on a subdomain, and services call each other at api.<domain>."
  type        = string

  validation {
    condition     = can(regex("^([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$", var.domain))
    error_message = "A domain consists of lower-case labels separated by dots, without a scheme or a slash."
  }
}

variable "custom_domains" {
  description = "The hotels' own domains, whose DNS points to the load balancer. Each gets a certificate."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for d in var.custom_domains : can(regex("^([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$", d))])
    error_message = "A domain consists of lower-case labels separated by dots, without a scheme or a slash."
  }
}

variable "demo" {
  description = "Deploys the sandbox, the storefront and the front desk in place of the platform's services and of the hotels' own software. Never set it where real guests book."
  type        = bool
  default     = false
}

variable "warehouse_dataset" {
  description = "BigQuery dataset with the published telemetry, as project.dataset. The job erase deletes the rows of erased guests from its tables with a column guestSessionId, sessionId, draftId or reservationId. Empty means that there is none."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^([a-z][a-z0-9-]{4,28}[a-z0-9]\\.[A-Za-z0-9_]+)?$", var.warehouse_dataset))
    error_message = "A dataset looks like my-project.telemetry."
  }
}

variable "bundles" {
  description = "Folder with the archives and bundles.json from go run ./scripts/bundle --all."
  type        = string
  default     = "../.local/bundles"
}

variable "archives" {
  description = "Archive of each function and job, by name. Null reads them from bundles.json."
  type        = map(string)
  default     = null
}

variable "images" {
  description = "Artifact Registry repository of the jobs' images. Each image has the hash of its archive as its tag."
  type        = string

  validation {
    condition     = can(regex("^[a-z0-9-]+-docker\\.pkg\\.dev/[^/]+/[^/:]+$", var.images))
    error_message = "A repository looks like me-central1-docker.pkg.dev/my-project/melmastoon."
  }
}

variable "probe_hotel" {
  description = "Hotel at which the job probe books and cancels a room every five minutes: ids of its tenant and property, short name of its site, city in which a search finds it. It must take cash on arrival and free cancellations. Null means the sandbox's hotel in a demonstration, and otherwise no probe."
  type        = object({ tenant = string, property = string, slug = string, city = string })
  default     = null

  validation {
    condition     = var.probe_hotel == null ? true : startswith(var.probe_hotel.tenant, "tnt_") && startswith(var.probe_hotel.property, "ppt_")
    error_message = "The ids look like tnt_… and ppt_…."
  }
}

variable "upstreams" {
  description = "Base URL and token audience of each platform service. A demonstration does not need them."
  type        = map(object({ url = string, audience = string }))
  default     = {}

  validation {
    condition     = alltrue([for u in var.upstreams : can(regex("^https://[^/]+(/.*[^/])?$", u.url))])
    error_message = "A base URL begins with https:// and does not end with a slash."
  }
}

variable "challenge_site_key" {
  description = "Public site key of the captcha with which the upstream challenge verifies responses. A demonstration does not need it."
  type        = string
  default     = null
}

variable "platform_publishers" {
  description = "Publishers of the events that our services only consume: members such as serviceAccount:payment@platform.iam.gserviceaccount.com."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for m in var.platform_publishers : startswith(m, "serviceAccount:")])
    error_message = "A publisher must be a service account."
  }
}

variable "desk_callers" {
  description = "E-mail addresses of the service accounts of front-desk software, which may call the reservation service and act for staff there (createdBy staff, staff_cancelled)."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for e in var.desk_callers : can(regex("^[^@:]+@[^@]+\\.gserviceaccount\\.com$", e))])
    error_message = "Give the e-mail address of a service account."
  }
}

variable "notification_callers" {
  description = "E-mail addresses of the service accounts of software that sends messages to guests. It may read the links to confirmations."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for e in var.notification_callers : can(regex("^[^@:]+@[^@]+\\.gserviceaccount\\.com$", e))])
    error_message = "Give the e-mail address of a service account."
  }
}

variable "staff" {
  description = "Issuer of staff tokens and the https URL of its keys. Null means those of the stand-ins in a demonstration, and otherwise rejects all staff."
  type        = object({ issuer = string, keys = string })
  default     = null

  validation {
    condition     = var.staff == null ? true : startswith(var.staff.keys, "https://")
    error_message = "The URL of the keys must begin with https://."
  }
}

variable "tenant_site_url" {
  description = "Target of a handoff. {host} is the hotel's own domain or else its host below ours; {slug} its short name. Null means https://{host}/, in a demonstration the storefront."
  type        = string
  default     = null
}

variable "tenant_confirmation_url" {
  description = "URL of the page of a confirmed booking, for links that guests get by mail. {site} is the hotel's own host, {slug} its short name. Null means https://{site}/confirmations/{reservationId}, in a demonstration the storefront."
  type        = string
  default     = null
}

variable "tenant_return_url" {
  description = "Where a payment provider returns the guest. {site} is the hotel's site on the host with the guest's cookie: a host of the hotel's own, or the domain and the hotel's name; {slug} is its short name. Null means https://{site}/return/{draftId}, in a demonstration the storefront."
  type        = string
  default     = null
}

variable "pages" {
  description = "Backend services or buckets of the pages, by full name, for every path without a function, on our own hosts and on the hotels' hosts. Null: these paths return 404, in a demonstration as a page."
  type        = object({ ours = optional(string), hotels = optional(string) })
  default     = {}

  validation {
    condition     = alltrue([for p in values(var.pages) : p == null ? true : can(regex("^projects/[^/]+/global/backend(Services|Buckets)/[^/]+$", p))])
    error_message = "A full name looks like projects/my-project/global/backendBuckets/site."
  }
}

variable "error_pages" {
  description = "Serves a page for each error code at errors.<domain>, from a public bucket. Disable it if an organisation policy forbids public buckets."
  type        = bool
  default     = true
}

variable "backend_services" {
  description = "The project's quota of backend services. The load balancer needs one for each HTTP function; a plan that exceeds the quota is rejected."
  type        = number
  default     = 50
}

variable "keyrings" {
  description = "Version of a keyring to deploy, by variable. For other keyrings, each instance reads the latest version when it starts."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for variable, version in var.keyrings : contains(flatten([for f in local.catalogue.functions : f.secrets]), variable) && can(regex("^[1-9][0-9]*$", version))])
    error_message = "A version is a number, and a variable looks like HANDOFF_KEYS."
  }
}

variable "rate_limits" {
  description = "Rate limit of a caller of public functions: rate/burst per second, or off. Null uses the defaults of the code."
  type        = object({ session = optional(string), address = optional(string), tenant = optional(string) })
  default     = {}

  validation {
    condition     = alltrue([for l in values(var.rate_limits) : l == null ? true : can(regex("^([0-9]+/[0-9]+|off)$", l))])
    error_message = "A limit is rate/burst, such as 20/60, or off."
  }
}

variable "database_tier" {
  description = "Machine type of the database."
  type        = string
  default     = "db-custom-2-8192"
}

variable "database_availability" {
  description = "REGIONAL has a standby in another zone; ZONAL costs half."
  type        = string
  default     = "REGIONAL"

  validation {
    condition     = contains(["REGIONAL", "ZONAL"], var.database_availability)
    error_message = "Use REGIONAL or ZONAL."
  }
}

variable "database_max_connections" {
  description = "Maximum number of database connections. Each needs memory: 450 suit the default tier."
  type        = number
  default     = 450

  validation {
    condition     = var.database_max_connections >= 50 && var.database_max_connections <= 4000
    error_message = "Use a value between 50 and 4000."
  }
}

variable "database_reserve" {
  description = "Connections reserved for jobs, people and the database itself."
  type        = number
  default     = 30
}

variable "database_pool" {
  description = "Database connections of one instance of a function."
  type        = number
  default     = 2

  validation {
    condition     = var.database_pool >= 1 && var.database_pool <= 8
    error_message = "Use a value between 1 and 8, because there are many instances."
  }
}

variable "documents" {
  description = "Store of hot documents: firestore, or redis for lower latency. Build the archives with the same --documents."
  type        = string
  default     = "firestore"

  validation {
    condition     = contains(["firestore", "redis"], var.documents)
    error_message = "Use firestore or redis."
  }
}

variable "redis_ca" {
  description = "Certificate authorities of Memorystore in PEM, if documents is redis. They are not secret."
  type        = string
  default     = ""

  validation {
    condition     = var.documents != "redis" || startswith(var.redis_ca, "-----BEGIN CERTIFICATE-----")
    error_message = "Memorystore uses TLS: give its certificate authorities in PEM."
  }
}

variable "scaling" {
  description = "Exceptions from the default scaling of a function's kind, by function name."
  type = map(object({
    min_instances = optional(number)
    max_instances = optional(number)
    concurrency   = optional(number)
    memory_mb     = optional(number)
  }))
  default = {}

  validation {
    condition     = alltrue([for name in keys(var.scaling) : contains(keys(local.catalogue.functions), name)])
    error_message = "The key must be the name of a function."
  }
}

variable "alert_email" {
  description = "E-mail address that receives all alerts."
  type        = string

  validation {
    condition     = can(regex("^[^@ ]+@[^@ ]+\\.[^@ ]+$", var.alert_email))
    error_message = "Give an e-mail address."
  }
}

variable "billing_account" {
  description = "Billing account whose budget alert the apply creates. Empty means no budget alert."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^([0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6})?$", var.billing_account))
    error_message = "A billing account looks like 012345-6789AB-CDEF01."
  }
}

variable "monthly_budget" {
  description = "Expected costs of a month, in the currency of the billing account."
  type        = number
  default     = 500

  validation {
    condition     = var.monthly_budget >= 1 && floor(var.monthly_budget) == var.monthly_budget
    error_message = "Use a whole number of at least 1."
  }
}

variable "pager_channels" {
  description = "Notification channels of critical alerts, by full name. Critical alerts go there and to the e-mail address."
  type        = set(string)
  default     = []
}

variable "deletion_protection" {
  description = "Rejects plans that would destroy the address, a certificate, the database, documents or dead letters. Disable it only for deployments that may be lost."
  type        = bool
  default     = true
}

variable "labels" {
  description = "Labels of all resources that support them."
  type        = map(string)
  default     = { system = "melmastoon" }
}
