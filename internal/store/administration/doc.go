// Package administration creates, changes and deletes buckets and accounts, for the driver, and for
// S3's own CreateBucket and DeleteBucket. Every change follows the same rules, one at a time, and
// is durable before it has an effect.
//
// Its methods are idempotent, except RotateAccount, and their errors are of the kinds of package
// fakedriver.
package administration
