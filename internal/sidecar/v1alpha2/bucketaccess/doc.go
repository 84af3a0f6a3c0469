// Package bucketaccess grants and revokes access to the buckets of one driver, for BucketAccesses
// that the controller has handed off, and maintains the Secrets for applications. As for buckets,
// the driver first generates an ID, which is persisted, and then creates the account.
package bucketaccess
