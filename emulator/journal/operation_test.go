package journal_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestMatchOperation: the verb write stands for all verbs that may change an object.
func TestMatchOperation(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{"patch buckets", "patch buckets", true},
		{"patch buckets", "update buckets", false},
		{"write buckets", "patch buckets", true},
		{"write buckets", "update buckets", true},
		{"write buckets", "create buckets", true},
		{"write buckets", "delete buckets", true},
		{"write buckets", "deletecollection buckets", true},
		{"write buckets", "get buckets", false},
		{"write buckets", "event buckets", false},
		{"write buckets", "patch buckets/status", false},
		{"write buckets/status", "update buckets/status", true},
		{"write bucket*", "patch bucketclaims/status", true},
		{"write *", "create secrets", true},
		{"write *", "update leases", false},
		{"write leases", "update leases", true},
		{"write *", "DriverCreateBucket", false},
		{"* buckets", "get buckets", true},
	} {
		if got := journal.MatchOperation(tc.pattern, tc.name); got != tc.want {
			t.Errorf("%q matches %q: %t, want %t", tc.pattern, tc.name, got, tc.want)
		}
	}
}
