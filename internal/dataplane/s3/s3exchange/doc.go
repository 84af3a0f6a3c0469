// Package s3exchange has a request of S3 on its way through the phases. It reads the headers of an
// accepted request, and sets the headers of the response.
package s3exchange
