// Package oracle judges what COSI has done: from the journal, the objects of
// Kubernetes and the truth of the backend it finds what must never be so,
// whatever a scenario, a fault or a user has asked for.
//
// [Judge] is a pure function over an [Input] that can be stored, so that the runs
// of yesterday can be judged by the oracles of today. A [Watcher] collects the
// Input of a run on an emulator.
//
// An Input has no secrets in it, and no hashes of secrets either: the keys of
// an external driver may be short, and a hash of them could be guessed. The journal
// removes the secrets from its events, and notes whose they were; a [SecretLeak] notes the
// same for an object.
package oracle
