package backend

import (
	"context"
	"time"
)

// IssuedKey is a key that the store has issued to a fake driver, or to an application that
// authenticates as a ServiceAccount.
type IssuedKey struct {
	// Account is the account of the key, and Owner its driver.
	Account, Owner string
	// AccessKeyID and Secret are the key. Only readers of the access Secret may see the
	// secret part.
	AccessKeyID, Secret string
	// SessionToken is set for the temporary key of a ServiceAccount.
	SessionToken string
	// Buckets are the buckets that the account had access to when the key was returned.
	Buckets []string
	// At is the last time at which the store returned the key.
	At time.Time
}

// GrantedKey is a key that an external driver has returned for an access.
type GrantedKey struct {
	// Component is the sidecar of the driver.
	Component string
	// Account is the ID of the account of the key.
	Account string
	// Protocol is S3, Azure or GCS. The other fields are set for S3 only.
	Protocol string
	// AccessKeyID and Secret are the key. Only readers of the access Secret may see the
	// secret part.
	AccessKeyID, Secret string
	// Endpoint is the URL of the service, and Region its region.
	Endpoint, Region string
	// VirtualHosts means that clients put the name of the bucket into the host name.
	VirtualHosts bool
	// Buckets are the names of the buckets for clients, by their IDs.
	Buckets map[string]string
	// At is the last time at which the driver returned the key.
	At time.Time
}

// KeyNotTriedError is the reason for which a key of an external driver was not tried at its
// service.
type KeyNotTriedError struct {
	// Service is the endpoint, or the protocol of drivers that return no endpoint.
	Service string
	// Reason contains no secret.
	Reason string
}

// Error implements error.
func (n *KeyNotTriedError) Error() string {
	return "keys at " + n.Service + " are not tried: " + n.Reason
}

// Keys has the keys of the applications of an emulator, as far as they are remembered, and tries
// them. The keys are in memory, and must not be written to a file.
type Keys interface {
	// Issued returns the keys that the store has issued since a time, and Granted the keys that
	// external drivers have returned.
	Issued(since time.Time) []IssuedKey
	Granted(since time.Time) []GrantedKey
	// Try reports whether the S3 store, or the GCS or Azure service, accepts a key, to list the
	// objects of a bucket or to write one, or without a bucket to list the buckets. It writes
	// nothing. The requests bypass the seams, and are not in the journal.
	Try(ctx context.Context, key IssuedKey, bucket string) (bool, error)
	// TryGranted reports whether the service of an external driver accepts a key, to list the
	// objects of a bucket, by its name for clients, or without a bucket to list the buckets. It
	// changes nothing. If the key cannot be tried, the error is a *KeyNotTriedError, and later keys
	// for the service are not tried.
	TryGranted(ctx context.Context, key GrantedKey, bucket string) (bool, error)
	// NotTried returns one reason for each service at which no more keys are tried.
	NotTried() []*KeyNotTriedError
}
