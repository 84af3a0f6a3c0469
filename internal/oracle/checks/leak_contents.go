package checks

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// leakedFiles finds files in the data directory, and entries of the store's database, without a
// bucket in the backend whose contents they could be.
func leakedFiles(e *evidence.Evidence, m *observed.Observation) []Finding {
	if !e.Scope.Alone || m.Active || len(m.Backend.Buckets) > 0 || len(m.Backend.Files) == 0 {
		return nil
	}
	if e.Before != nil && e.Before.Backend != nil && slices.Equal(e.Before.Backend.Files, m.Backend.Files) {
		return nil // left over from before the run
	}
	return []Finding{{
		Rule:    e.Rule(rule.LeakBucket),
		Subject: "file " + m.Backend.Files[0],
		Message: fmt.Sprintf("the data directory has %d contents of buckets %s, such as %s, and the backend has no buckets: "+
			"they will never be deleted", len(m.Backend.Files), m.Name, m.Backend.Files[0]),
	}}
}

// leakedUploads finds unfinished multipart uploads in buckets that COSI has left behind, and to
// which no account has access, so nothing will complete or abort them. Retain protects the objects
// only. GCS and Azure discard unfinished uploads after a week, so none of theirs is a leak.
func leakedUploads(e *evidence.Evidence, m *observed.Observation) []Finding {
	if m.Active {
		return nil
	}
	var found []Finding
	for _, b := range m.Backend.Buckets {
		held := m.Backend.Contents[b.Name]
		foreign := b.Owner == backend.RootAccount || !e.Owns(b.Name, b.Owner) || e.Touched(b.Name)
		if b.Protocol != fakedriver.ProtocolS3 || len(held.Uploads) == 0 || foreign || isRecorded(m, b.Name) || isReachable(m, b.Name) {
			continue
		}
		found = append(found, Finding{
			Rule:    e.Rule(rule.LeakBucket),
			Subject: "bucket " + b.Name,
			Message: fmt.Sprintf("bucket %q has an unfinished multipart upload of %q %s, no Bucket object records the bucket, and no account has "+
				"access to it: nothing will complete or abort the upload", b.Name, held.Uploads[0], m.Name),
		})
	}
	return found
}

func isRecorded(m *observed.Observation, id string) bool {
	for i := range m.Objects.Buckets {
		if b := &m.Objects.Buckets[i]; b.Status.BucketID == id || b.Spec.ExistingBucketID == id {
			return true
		}
	}
	return false
}

// isReachable reports whether an account of an application has access to a bucket.
func isReachable(m *observed.Observation, bucket string) bool {
	return slices.ContainsFunc(m.Backend.Accounts, func(a fakedriver.Account) bool {
		return slices.ContainsFunc(a.Grants, func(g fakedriver.Grant) bool { return g.Bucket == bucket })
	})
}
