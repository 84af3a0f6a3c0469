// Package s3op says which operation of S3 a request is, and what a key needs to
// be allowed it. It exists because gofakes3 takes every sub-resource that it does
// not know for the object or bucket itself (PUT key?tagging overwrites the
// object), so that nothing may reach it that is not listed here.
package s3op

import "github.com/cosi-emu/cosi-emu/internal/fakedriver/authorization"

// Level is what an operation works on.
type Level string

// The levels.
const (
	Service Level = "service"
	Bucket  Level = "bucket"
	Object  Level = "object"
)

// Body is what an operation expects in the body of its request.
type Body int

// The kinds of body.
const (
	// NoBody means that the body is ignored.
	NoBody Body = iota
	// Data is the content of an object.
	Data
	// Document is XML, much smaller than an object may be.
	Document
)

// Operation is one row of the table: how to recognise an operation and what it
// needs.
type Operation struct {
	// Name is S3's own, for example PutObject.
	Name string

	// Method and Level, together with Selects, recognise the operation.
	Method string
	Level  Level
	// Selects are the query parameters that must be there; the row with the
	// most of them wins.
	Selects []string
	// CopySource is whether the header X-Amz-Copy-Source must be there.
	CopySource bool

	// Takes are the further query parameters that the operation honours. Any
	// other is rejected, because ignoring it would change the meaning of the request.
	Takes []string
	// Conditions are the conditional headers that the operation honours.
	Conditions []string
	// Headers are the further headers of S3 that the operation honours.
	Headers []string

	// Needs are permissions, any one of which is enough. With none, any access to
	// the bucket is enough.
	Needs []authorization.Need
	// Reserved operations are for the driver and for administrators' keys; no
	// other is allowed them.
	Reserved bool
	// Administrative operations change what the storage does, or what others may do:
	// no key is allowed them but that of an administrator.
	Administrative bool

	Body Body
}

// Mutates reports whether the operation changes what is stored.
func (o Operation) Mutates() bool {
	return o.Administrative || (len(o.Needs) > 0 && o.Needs[0].Direction == authorization.Write)
}
