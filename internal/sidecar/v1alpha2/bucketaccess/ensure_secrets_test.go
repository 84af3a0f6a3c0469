package bucketaccess

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// isReserved are the changes by a new Secret, which has no data.
func isReserved(name string) []string {
	prefix := "Secret " + name + ": "
	return []string{
		prefix + "metadata.annotations.objectstorage.k8s.io/bucketaccess-reference=ns/app",
		prefix + "metadata.annotations.objectstorage.k8s.io/bucketclaim-reference=ns/" + name,
		prefix + "metadata.annotations.objectstorage.k8s.io/driver-name=driver.test",
		prefix + `metadata.finalizers=["objectstorage.k8s.io/protection"]`,
		prefix + `metadata.ownerReferences=[{"apiVersion":"objectstorage.k8s.io/v1alpha2","blockOwnerDeletion":true,"controller":true,` +
			`"kind":"BucketAccess","name":"app","uid":"uid-app"}]`,
		prefix + "type=Opaque",
	}
}

func TestEnsureSecrets(t *testing.T) {
	t.Parallel()
	has := func(edits ...func(*corev1.Secret)) func(*scene) {
		return func(s *scene) { s.hasAccess(); s.hasSecret(edits...) }
	}
	const isBack = "Secret photos: metadata.deletionTimestamp is removed"
	taken, isImmutable := invalid(v1alpha2.ReasonSecretConflict), invalid(v1alpha2.ReasonSecretWriteFailed)
	runTable(t, []phaseCase{
		{
			Name: "no Secret", Reason: "credentials that could be written nowhere must not exist",
			Given: func(s *scene) { s.hasAccess() },
			Want:  phasetest.Outcome{Writes: []string{creates}, Changes: isReserved("photos")},
		},
		{
			Name: "two claims", Reason: "each gets a Secret of its own",
			Given: func(s *scene) { s.hasAccess(s.alsoTo("videos")) },
			Want: phasetest.Outcome{
				Writes: []string{creates, "create secrets videos"}, Changes: append(isReserved("photos"), isReserved("videos")...),
			},
		},
		{Name: "own Secret", Reason: "nothing is to be done", Given: has()},
		{
			Name: "own Secret with data", Reason: "the data stays until the driver answers",
			Given: func(s *scene) { s.hasAccess(); s.hasSecret(s.filled) },
		},
		{
			Name: "Secret of a user", Reason: "KEP: an existing Secret must not be overwritten",
			Given: has(strange), Want: taken,
		},
		{
			Name: "second Secret of a user", Reason: "the driver is not asked for credentials that cannot be written",
			Given: func(s *scene) {
				s.hasAccess(s.alsoTo("videos"))
				s.hasSecret(strange, func(secret *corev1.Secret) { secret.Name = "videos" })
			},
			Want: func() phasetest.Outcome {
				o := invalid(v1alpha2.ReasonSecretConflict, creates)
				o.Changes = isReserved("photos")
				return o
			}(),
		},
		{
			Name: "immutable Secret", Reason: "new credentials could not be written, and may make those in the Secret invalid",
			Given: has(immutable), Want: isImmutable,
		},
		{
			Name: "deleted Secret", Reason: "a user has deleted it, and the sidecar creates it again",
			Given: has(deleted),
			Want:  phasetest.Outcome{Writes: []string{releases, creates}, Changes: []string{isBack}},
		},
		{
			Name: "deleted Secret, immutable", Reason: "the new one is not",
			Given: has(deleted, immutable),
			Want:  phasetest.Outcome{Writes: []string{releases, creates}, Changes: []string{"Secret photos: immutable is removed", isBack}},
		},
		{
			Name: "deleted Secret with another component's finalizer", Reason: "it can be created again once that is removed",
			Given: has(deleted, held),
			Want: func() phasetest.Outcome {
				o := waiting(v1alpha2.ReasonSecretWriteFailed, releases)
				o.Changes = []string{`Secret photos: metadata.finalizers=["example.com/audit"]`}
				return o
			}(),
		},
		{
			Name: "deleted Secret of a user", Reason: "it is not touched",
			Given: has(strange, held, deleted), Want: taken,
		},
		{
			Name: "deleted Secret, changed meanwhile", Reason: "finalizers are a list",
			Given: func(s *scene) {
				s.hasAccess()
				s.hasSecret(deleted)
				s.Before("patch secrets", func() { s.Label(s.secret) })
			},
			Want: phasetest.Retried("Conflict", releases+": Conflict"),
		},
		{
			Name: "created by a user meanwhile", Reason: "the next reconcile finds it",
			Given: func(s *scene) {
				s.hasAccess()
				s.Before("create secrets", func() { s.hasSecret(strange) })
			},
			Want: phasetest.Retried("AlreadyExists", creates+": Conflict"),
		},
		{
			Name: "API server fails to read", Reason: "a Secret may exist; its user is told",
			Given: func(s *scene) { s.hasAccess(); s.Reject("get secrets", http.StatusInternalServerError) },
			Want:  unwritable(),
		},
		{
			Name: "Secret that may not be created", Reason: "a quota or a webhook rejects it; the user is told, and time may help",
			Given: func(s *scene) { s.hasAccess(); s.Reject("create secrets", http.StatusForbidden) },
			Want:  unwritable(creates + ": Forbidden"),
		},
		{
			Name: "API server fails to release", Reason: "the deleted Secret is not replaced",
			Given: func(s *scene) {
				s.hasAccess()
				s.hasSecret(deleted)
				s.Reject("patch secrets", http.StatusInternalServerError)
			},
			Want: unwritable(releases + phasetest.ServerFails),
		},
	}, (*attempt).ensureSecrets)
}
