// Package oracle judges a run of COSI. It reads the journal, the Kubernetes objects and
// the state of the backend, and finds violations of invariants. The invariants hold in
// every scenario, with every fault and every user action.
//
// [Judge] is a pure function over an [Input] that can be stored, so that today's
// oracles can judge old runs. A [Watcher] collects the
// Input of a run on an emulator.
//
// An Input has no secrets in it, and no hashes of secrets either: the keys of
// an external driver may be short, and a hash of them could be guessed. The journal
// removes the secrets from its events, and notes whose they were; a [SecretLeak] notes the
// same for an object.
package oracle
