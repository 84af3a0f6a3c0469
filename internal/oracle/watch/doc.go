// Package watch collects the input of the oracles while a run goes on: the events, the observed
// states, and the trials of the keys that applications were given.
//
// An input contains neither secrets nor hashes of secrets: the keys of an external driver may be
// short, and could be guessed from a hash. The journal removes the secrets from its events, and
// records their owners; an observed.SecretLeak records the same for an object.
package watch
