// Package lock stands in for the lock service: electronic keys of rooms.
//
// A key is issued, or fails if its lock is offline; its event tells which. Either can be revoked, also before the request
// for it arrives. A revoked key is never issued again.
package lock
