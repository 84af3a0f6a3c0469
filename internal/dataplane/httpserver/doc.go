// Package httpserver has the common part of the HTTP servers of all protocols: limits and deadlines
// for slow clients, idle connections, and a graceful end. It is independent of buckets.
package httpserver
