// Package store is the S3 store beneath the fake driver: buckets, objects,
// accounts, and the rules of who may do what. It exists because an emulated
// grant is worth nothing if the key works anyway: gofakes3, the library at its
// core, checks neither signatures nor permissions, so the store does, before
// gofakes3 sees a request; and it keeps what is stored itself.
//
// It has two sides. Applications speak S3 with [Store.Handler]: a request goes
// through a list of phases (who is it, what does it want, may it, is the body
// what it claims to be), each in a file of its own, and every refusal is one of
// S3's errors. The driver speaks Go with the administrative methods, such as
// [Store.CreateBucket] and [Store.PutAccount], which are idempotent and, with
// [Options.Dir], durable before they return.
//
// Files are named by what they belong to, in the order in which a request meets
// them:
//
//	server*.go   connections, their limits, and the end of a server
//	request*.go  a request, its phases, its body
//	auth*.go     whose request it is, whether its key is still good, what it may do
//	sts*.go      temporary keys for ServiceAccounts
//	answer*.go   the operations; answer.go has the table
//	admin*.go    the administrative methods
//	bucket*.go, account*.go, registry.go   what is known of buckets and accounts
//	ledger.go, recall.go                   how that is kept
//
// Below it, in internal: s3op is the table of operations and what they need,
// objects the contents of buckets, vault how records and bytes are kept, s3error
// the errors, awschunked and checksum what their names say.
package store
