package oracle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/oracle"
)

// TestRule verifies that a finding names the statement which its history breaks.
func TestRule(t *testing.T) {
	for name, tc := range map[string]struct {
		life   func() *story
		happen func(*story)
		want   string
	}{
		"BucketID":         {lifecycle, func(s *story) { s.move("provision", "identify") }, "GRPC-CREATEBUCKET-1"},
		"AccountID":        {lifecycle, func(s *story) { s.move("grant", "identify access") }, "FLOW-GRANT-4.7"},
		"ClaimProtected":   {lifecycle, func(s *story) { s.move("protect claim", "protect bucket") }, "FLOW-CREATE-2.1"},
		"SecretFirst":      {lifecycle, func(s *story) { s.move("revoke", "delete secret") }, "FLOW-REVOKE-3.2"},
		"BucketInUse":      {lifecycle, func(s *story) { s.move("deprovision", "delete secret") }, "FLOW-DELETE-0.4"},
		"BucketReleased":   {lifecycle, func(s *story) { s.move("release bucket", "deprovision") }, "FLOW-DELETE-3.3.4"},
		"ClaimUnannounced": {lifecycle, func(s *story) { s.move("release claim", "delete bucket") }, "FLOW-DELETE-2.2.3"},
		"Request":          {lifecycle, asking("provision", `}`, `,"parameters":{"tier":"gold"}}`), "GRPC-CREATEBUCKET-3"},
		"V1alpha1":         {lifecycleV1alpha1, func(s *story) { s.move("release bucket", "deprovision") }, "A1-FLOW-3"},
	} {
		t.Run(name, func(t *testing.T) {
			s := tc.life()
			tc.happen(s)
			var got []string
			for _, f := range oracle.Judge(s.history()) {
				got = append(got, f.Rule)
			}
			if diff := cmp.Diff([]string{tc.want}, got); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}
