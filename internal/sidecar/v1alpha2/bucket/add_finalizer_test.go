package bucket

import (
	"net/http"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// Design: P20-LABEL
func TestAddFinalizer(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{
			Name: "new Bucket", Reason: "a Bucket that vanished after the driver had created something would leak it",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer) },
			Want: phasetest.Outcome{
				Writes:  []string{bucketPatch},
				Changes: []string{`Bucket b: metadata.finalizers=["objectstorage.k8s.io/protection"]`},
			},
		},
		{
			Name: "another component's finalizer", Reason: "it stays",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer, audited) },
			Want: phasetest.Outcome{
				Writes:  []string{bucketPatch},
				Changes: []string{`Bucket b: metadata.finalizers=["example.com/audit","objectstorage.k8s.io/protection"]`},
			},
		},
		{
			Name: "static Bucket without the label", Reason: "kubectl get buckets -l must find it; one patch writes both",
			Given: func(s *scene) { s.hasBucket(s.static, withoutFinalizer, withoutLabel) },
			Want: phasetest.Outcome{
				Writes: []string{bucketPatch},
				Changes: []string{
					`Bucket b: metadata.finalizers=["objectstorage.k8s.io/protection"]`,
					"Bucket b: metadata.labels.objectstorage.k8s.io/driver=driver.test",
				},
			},
		},
		{
			Name: "Bucket of an earlier version", Reason: "its label is added once",
			Given: func(s *scene) { s.hasBucket(withoutLabel) },
			Want: phasetest.Outcome{
				Writes: []string{bucketPatch}, Changes: []string{"Bucket b: metadata.labels.objectstorage.k8s.io/driver=driver.test"},
			},
		},
		{Name: "finalizer", Reason: "nothing is to be done", Given: func(s *scene) { s.hasBucket() }},
		{
			Name: "changed meanwhile", Reason: "finalizers are a list: the patch would drop what another writer has added",
			Given: func(s *scene) {
				s.hasBucket(withoutFinalizer)
				s.Behind(func() { s.Modify(s.bucket, func() { audited(s.bucket) }) })
			},
			Want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			Name: "gone meanwhile", Reason: "there is nothing to provision for",
			Given: func(s *scene) { s.hasBucket(withoutFinalizer); s.Behind(func() { s.Remove(s.bucket) }) },
			Want:  phasetest.Retried("NotFound", bucketPatch+": Not Found"),
		},
		{
			Name: "API server fails", Reason: "the driver is not called before",
			Given: func(s *scene) {
				s.hasBucket(withoutFinalizer)
				s.Reject("patch buckets", http.StatusInternalServerError)
			},
			Want: failed(bucketPatch + phasetest.ServerFails),
		},
	}, (*attempt).addFinalizer)
}
