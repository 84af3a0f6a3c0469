// Package instance is what the sidecars of all generations have in common: the manager
// and its cache, the Lease of the driver, the watch of the connection, and the way of the
// reconcilers to the driver. A generation adds its kinds and its reconcilers.
package instance
