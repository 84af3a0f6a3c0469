// Package protocol tests the GCS service as clients use it: the JSON API and the XML API over HTTP.
package protocol
