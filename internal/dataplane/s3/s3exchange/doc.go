// Package s3exchange has a request of S3 that was accepted, before its response is sent: it reads
// the headers of the request, and sets those of the response.
package s3exchange
