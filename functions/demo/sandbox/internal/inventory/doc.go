// Package inventory stands in for the inventory service: free, held and committed rooms.
//
// Calls are idempotent by allocation id: a repetition gets the same answer.
//
//	         ┌─ no room ─→ refused
//	hold ────┤
//	         └─→ held ── commit before expires_at ──→ committed ── release ──→ released
//	              ├── release ───────────────────────────────────────────────────↑
//	              └── another hold replaces it ──────────────────────────────────↑
//	reallocate ── no room ─→ refused, else ─→ committed, and its releases ─→ released
//
// An expired allocation occupies no room and can never be committed. That needs no write: every reader compares expires_at
// with the database's clock.
//
// # Rules
//
//   - A hold that replaces others counts them as free, and releases them only if it succeeds. Committed, expired and
//     unknown allocations are ignored. The caller is trusted with allocations of the property.
//   - A refusal to reallocate is stored under the new ids, so that a late repetition cannot succeed after the caller
//     has given up.
package inventory
