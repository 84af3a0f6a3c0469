// Package contract tests package objects by what the services rely on, against a blob store that counts
// references and fails on demand, and against a model of a bucket.
package contract
