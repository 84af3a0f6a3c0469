// Package instance has the common parts of the sidecars of all generations: the manager and its
// cache, the Lease of the driver, the watch of the connection, and the line of calls to the driver.
// A generation adds its kinds and its reconcilers.
package instance
