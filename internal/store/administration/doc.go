// Package administration creates, changes and deletes buckets and accounts. The
// driver calls it for COSI, and S3's own CreateBucket and DeleteBucket end up here,
// too, so that every change is made by the same rules, one at a time, and is
// durable before it has an effect.
//
// Its methods are idempotent, except RotateAccount, and their errors
// are of the kinds of package fakedriver.
package administration
