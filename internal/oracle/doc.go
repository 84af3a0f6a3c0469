// Package oracle judges a run of COSI. It reads the journal, the Kubernetes objects and the state
// of the backend, and finds violations of invariants. The invariants hold in every scenario, with
// every fault and every user action.
//
// [Judge] is a pure function over an [Input] that can be stored, so that current oracles can judge
// old runs. A [Watcher] collects the Input of a run on an emulator.
//
// An Input contains neither secrets nor hashes of secrets: the keys of an external driver may be
// short, and could be guessed from a hash. The journal removes the secrets from its events, and
// records their owners; a [SecretLeak] records the same for an object.
package oracle
