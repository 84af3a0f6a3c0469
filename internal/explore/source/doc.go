// Package source loads a scenario for exploration. It rejects scenarios that cannot be explored, and
// rewrites steps that a fault makes fail.
package source
