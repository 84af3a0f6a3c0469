// Package contract tests package engine by what its users rely on: whole scenarios run on emulators,
// and their results and the remaining state are compared with the expected ones.
package contract
