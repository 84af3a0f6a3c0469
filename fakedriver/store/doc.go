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
package store
