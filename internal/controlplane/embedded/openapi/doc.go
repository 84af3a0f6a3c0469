// Package openapi has the OpenAPI definitions of the kinds that the server serves.
package openapi
