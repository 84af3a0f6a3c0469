package httpserver

// Request identifies an HTTP request in the terms of its protocol.
type Request struct {
	// Operation is the protocol's name of the operation, for example PutObject; empty if unknown.
	Operation string
	// Bucket and Key are empty if the operation has none.
	Bucket, Key string
}
