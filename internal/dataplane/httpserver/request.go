package httpserver

// Request is what an HTTP request asks for, in the words of its protocol.
type Request struct {
	// Operation is the protocol's name of the operation, for example PutObject;
	// empty if it is unknown.
	Operation string
	// Bucket and Key are empty where the operation has none.
	Bucket, Key string
}
