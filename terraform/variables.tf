variable "project" {
  description = "The Google Cloud project that everything is made in. It should hold nothing else."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "A project id has 6 to 30 lower-case letters, digits and hyphens, and begins with a letter."
  }
}

variable "region" {
  description = "The region of functions, jobs, database and topics."
  type        = string
  default     = "me-central1"

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "A region looks like me-central1."
  }
}

variable "domain" {
  description = "Our own domain. The site of all hotels is on it, each hotel's site below it, and api.<domain> is where services call each other."
  type        = string

  validation {
    condition     = can(regex("^([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$", var.domain))
    error_message = "A domain is lower-case labels with dots between them, without a scheme or a slash."
  }
}

variable "custom_domains" {
  description = "Hotels' own domains, whose DNS leads to the load balancer. Each gets a certificate."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for d in var.custom_domains : can(regex("^([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$", d))])
    error_message = "A domain is lower-case labels with dots between them, without a scheme or a slash."
  }
}

variable "demo" {
  description = "Whether the sandbox and the storefront are deployed, which stand in for the platform's other services and for hotels' own sites. Never where real guests book."
  type        = bool
  default     = false
}

variable "bundles" {
  description = "The folder that go run ./scripts/bundle --all wrote the archives and bundles.json to."
  type        = string
  default     = "../.local/bundles"
}

variable "archives" {
  description = "The archive of each function and job, by its name. Null reads them from bundles.json."
  type        = map(string)
  default     = null
}

variable "images" {
  description = "The Artifact Registry repository with the jobs' images, each tagged with the hash in the name of its archive."
  type        = string

  validation {
    condition     = can(regex("^[a-z0-9-]+-docker\\.pkg\\.dev/[^/]+/[^/:]+$", var.images))
    error_message = "A repository looks like me-central1-docker.pkg.dev/my-project/melmastoon."
  }
}

variable "upstreams" {
  description = "The platform's services: the base URL of each, and what tokens for it are made out to. A demo needs none of them."
  type        = map(object({ url = string, audience = string }))
  default     = {}

  validation {
    condition     = alltrue([for u in var.upstreams : can(regex("^https://[^/]+(/.*[^/])?$", u.url))])
    error_message = "A base URL begins with https:// and has no slash at its end."
  }
}

variable "platform_publishers" {
  description = "Who publishes the events that only others tell: members such as serviceAccount:payment@platform.iam.gserviceaccount.com."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for m in var.platform_publishers : startswith(m, "serviceAccount:")])
    error_message = "Only service accounts publish."
  }
}

variable "desk_callers" {
  description = "E-mails of the service accounts of front-desk software, which may call the reservation service."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for e in var.desk_callers : can(regex("^[^@:]+@[^@]+\\.gserviceaccount\\.com$", e))])
    error_message = "Front-desk software calls as a service account; give its e-mail."
  }
}

variable "staff" {
  description = "Who signs the tokens of staff: the issuer, and the https URL of its keys. Null lets no staff in."
  type        = object({ issuer = string, keys = string })
  default     = null

  validation {
    condition     = var.staff == null ? true : startswith(var.staff.keys, "https://")
    error_message = "The keys are fetched over https."
  }
}

variable "tenant_site_url" {
  description = "Where a handoff leads. {host} is the hotel's own domain, else its host below ours; {slug} its short name. Null is https://{host}/, in a demo the storefront."
  type        = string
  default     = null
}

variable "tenant_return_url" {
  description = "Where a payment provider sends the guest back to. {host} is the one that the guest is on, where their cookie is; {slug} the hotel's short name. Null is https://{host}/return/{draftId}, in a demo the storefront."
  type        = string
  default     = null
}

variable "pages" {
  description = "Who serves pages: backend services or buckets of a load balancer, by their full names, for every path that no function has, on our own hosts and on hotels'. Null: nobody, and there is no such page."
  type        = object({ ours = optional(string), hotels = optional(string) })
  default     = {}

  validation {
    condition     = alltrue([for p in values(var.pages) : p == null ? true : can(regex("^projects/[^/]+/global/backend(Services|Buckets)/[^/]+$", p))])
    error_message = "A full name looks like projects/my-project/global/backendBuckets/site."
  }
}

variable "backend_services" {
  description = "The project's quota of backend services. The load balancer needs one for each HTTP function; a plan that needs more is refused."
  type        = number
  default     = 50
}

variable "keyrings" {
  description = "The version of a keyring that functions are rolled out with, by its variable. Of others each instance reads the latest when it starts."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for variable, version in var.keyrings : contains(flatten([for f in local.catalogue.functions : f.secrets]), variable) && can(regex("^[1-9][0-9]*$", version))])
    error_message = "A keyring's version is a number, and its variable looks like HANDOFF_KEYS."
  }
}

variable "rate_limits" {
  description = "How often one caller may ask a public function: rate/burst per second, or off. Null is what the code says."
  type        = object({ session = optional(string), address = optional(string), tenant = optional(string) })
  default     = {}

  validation {
    condition     = alltrue([for l in values(var.rate_limits) : l == null ? true : can(regex("^([0-9]+/[0-9]+|off)$", l))])
    error_message = "A limit is rate/burst, such as 20/60, or off."
  }
}

variable "database_tier" {
  description = "The machine of the database."
  type        = string
  default     = "db-custom-2-8192"
}

variable "database_availability" {
  description = "REGIONAL has a standby in another zone; ZONAL costs half."
  type        = string
  default     = "REGIONAL"

  validation {
    condition     = contains(["REGIONAL", "ZONAL"], var.database_availability)
    error_message = "Either REGIONAL or ZONAL."
  }
}

variable "database_max_connections" {
  description = "How many connections the database takes. Each costs it memory: 400 is what suits the usual tier."
  type        = number
  default     = 400

  validation {
    condition     = var.database_max_connections >= 50 && var.database_max_connections <= 4000
    error_message = "Between 50 and 4000."
  }
}

variable "database_reserve" {
  description = "Connections that no function may count on: they are for jobs, for people, and for the database itself."
  type        = number
  default     = 30
}

variable "database_pool" {
  description = "Connections of one instance of a function."
  type        = number
  default     = 2

  validation {
    condition     = var.database_pool >= 1 && var.database_pool <= 8
    error_message = "Between 1 and 8: instances are many."
  }
}

variable "documents" {
  description = "Where hot documents are kept: firestore, or redis for its lower latency. The archives must have been made with the same --documents."
  type        = string
  default     = "firestore"

  validation {
    condition     = contains(["firestore", "redis"], var.documents)
    error_message = "Either firestore or redis."
  }
}

variable "redis_ca" {
  description = "The authorities that sign Memorystore's certificate, in PEM, where documents is redis. They are no secret."
  type        = string
  default     = ""

  validation {
    condition     = var.documents != "redis" || startswith(var.redis_ca, "-----BEGIN CERTIFICATE-----")
    error_message = "Memorystore is reached over TLS: give its authorities in PEM."
  }
}

variable "scaling" {
  description = "Of single functions, by name, what is not as usual for their kind."
  type = map(object({
    min_instances = optional(number)
    max_instances = optional(number)
    concurrency   = optional(number)
    memory_mb     = optional(number)
  }))
  default = {}

  validation {
    condition     = alltrue([for name in keys(var.scaling) : contains(keys(local.catalogue.functions), name)])
    error_message = "There is no function of that name."
  }
}

variable "alert_email" {
  description = "Who is told when something needs a person."
  type        = string

  validation {
    condition     = can(regex("^[^@ ]+@[^@ ]+\\.[^@ ]+$", var.alert_email))
    error_message = "An e-mail address."
  }
}

variable "pager_channels" {
  description = "Notification channels that wake somebody, by their full names. Pages go there and to the e-mail."
  type        = set(string)
  default     = []
}

variable "deletion_protection" {
  description = "Whether a plan is refused that would destroy the address, a certificate, the database, documents or dead letters. Only what may be lost is made without."
  type        = bool
  default     = true
}

variable "labels" {
  description = "Labels of all that takes labels."
  type        = map(string)
  default     = { system = "melmastoon" }
}
