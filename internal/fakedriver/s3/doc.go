// Package s3 is the data plane of S3: it serves HTTP requests to the store's
// buckets.
//
// A request goes through a list of phases: who sends it, what it asks for, whether
// the grant allows that, and whether the body is what was signed. Each phase has a
// file of its own, and every rejection is one of S3's errors. What the phases have
// accepted, package answers answers. gofakes3, which helps there, checks neither
// signatures nor permissions, so no request reaches it before that.
package s3
