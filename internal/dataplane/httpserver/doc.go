// Package httpserver is what the HTTP servers of all protocols have in common:
// limits and deadlines for slow clients, idle connections, and an orderly end. It
// knows nothing of buckets.
package httpserver
