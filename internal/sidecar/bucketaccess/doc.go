// Package bucketaccess grants and revokes access to the buckets of one driver, for
// BucketAccesses that the controller has handed off, and maintains the Secrets for
// applications. As with buckets, the driver first names an ID, which is persisted, and
// then creates the account that the ID stands for.
package bucketaccess
