//go:build unix

package conformance_test

import "syscall"

// limitFiles limits the files that this process can have open.
func limitFiles(most uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: most, Max: most})
}
