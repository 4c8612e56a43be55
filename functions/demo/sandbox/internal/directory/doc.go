// Package directory stands in for the tenant, theme and property services: hotel companies with their status, configuration and
// design, and their hotels with room types, rooms and house rules.
package directory
