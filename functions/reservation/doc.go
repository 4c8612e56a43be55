// Package reservation is the boundary of the reservation service. HTTP and Event make its functions, which the folders
// beside this file contain. The middleware resolves the tenant, the caller and its scope for each HTTP request.
//
// The domain is internal/booking: types, rules, stores, clients, events and faults. Functions import both packages. The
// domain does not import the boundary, and other services cannot import the domain.
package reservation
