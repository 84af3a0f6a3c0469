// Package bridge puts a driver of COSI v1alpha1, or of an earlier dialect of v1alpha2,
// behind the protocol v1alpha2 as the KEP has it. It translates each call of a v1alpha2
// sidecar into one of the driver's [dialects.Dialect], which [Detect] finds out.
//
// v1alpha2 fixes the ID of a bucket or account before it exists; a driver of an older
// protocol chooses it afterwards. The bridge returns the name as the ID. It stores
// durably that it is about to ask the driver, and every ID that the driver returns before it answers.
// All later calls have the driver's latest ID, and all of its IDs are deleted in the end.
//
// The bridge rejects requests that a dialect cannot express before it calls the driver: in v1alpha1,
// access modes other than read-write, several buckets for an access, Google Cloud Storage; in others,
// different modes for the categories of access. The numbers of modes are translated, since the
// same number is another mode in another dialect. A
// v1alpha1 driver cannot look a bucket up, so an existing bucket is rejected, too,
// unless [Options.AssumeExisting] is set. [EncodeExisting] returns the ID that its
// Bucket has if v1alpha2 does not allow the driver's own.
package bridge
