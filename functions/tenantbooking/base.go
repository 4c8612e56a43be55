package tenantbooking

import "melmastoon.ghasi.io/functions/tenantbooking/internal/session"

// Schema is the PostgreSQL schema of this service's tables.
const Schema = session.Schema

// Base is the path prefix of every route of this service. On a tenant's own host the same routes are also under /api.
const Base = session.Base
