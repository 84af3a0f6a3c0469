package bucketaccess

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// unwritable is the outcome if the API server fails with a Secret.
func unwritable(says string, writes ...string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes: writes, Events: []string{"Warning " + says + " of BucketAccess app"}, Err: "Unwritable SecretWriteFailed", Requeue: true,
	}
}

func TestCheckUpToDate(t *testing.T) {
	t.Parallel()
	done := phasetest.Outcome{Err: "done"}
	// upstreams has the BucketInfo of the access, as upstream's sidecar writes it.
	upstreams := func(s *scene) {
		s.Modify(s.secret, func() {
			s.secret.OwnerReferences = nil
			s.secret.Data = map[string][]byte{
				v1alpha1.BucketInfoKey: []byte(`{"metadata":{"name":"` + v1alpha1.BucketInfoName(s.access.UID) + `"}}`),
			}
		})
	}
	runTable(t, []phaseCase{
		{
			Name: "settled", Reason: "no call is made: many drivers make a new key for each Grant",
			Given: func(s *scene) { s.hasSettled() }, Want: done,
		},
		{Name: "new access", Reason: "it has to be granted", Given: func(s *scene) { s.hasAll(); s.hasAccess() }},
		{
			Name: "granted without an account", Reason: "the status was edited",
			Given: func(s *scene) {
				s.hasAll(accessed)
				s.hasAccess(s.granted, func(access *v1alpha1.BucketAccess) { access.Status.AccountID = "" })
				s.hasSecret()
				s.remembers()
			},
		},
		{
			Name: "edited Secret", Reason: "it has to be written again",
			Given: func(s *scene) { s.hasSettled(); s.Label(s.secret) },
		},
		{
			Name: "Secret gone", Reason: "it has to be created again",
			Given: func(s *scene) { s.hasSettled(); s.ForceRemove(s.secret) },
		},
		{
			Name: "Secret gone, no class", Reason: "only the class has the parameters of a Grant",
			Given: func(s *scene) { s.hasSettled(); s.ForceRemove(s.secret); s.ForceRemove(s.class) },
			Want:  waiting(v1alpha2.ReasonBucketAccessClassNotFound),
		},
		{
			Name: "Secret of upstream's sidecar", Reason: "the BucketInfo in it counts; no new key is made after a migration",
			Given: func(s *scene) { s.hasSettled(); upstreams(s) }, Want: done,
		},
		{
			Name: "Secret of upstream's sidecar, of another access", Reason: "it does not belong to this one",
			Given: func(s *scene) {
				s.hasSettled()
				upstreams(s)
				s.Modify(s.secret, func() { s.secret.Data[v1alpha1.BucketInfoKey] = []byte(`{"metadata":{"name":"bc-other"}}`) })
			},
		},
		{
			Name: "own write, which the cache does not show", Reason: "the watch tells it; an intact Secret needs no call",
			Given: func(s *scene) { s.hasSettled(); s.Behind(func() { upstreams(s); s.remembers() }) }, Want: done,
		},
		{
			Name: "access without its finalizer", Reason: "it has to be protected again, without a call",
			Given: func(s *scene) { s.hasSettled(); s.Modify(s.access, func() { s.access.Finalizers = nil }) },
		},
		{
			Name: "access without its record", Reason: "it has to be written again, without a call",
			Given: func(s *scene) { s.hasSettled(); s.Modify(s.access, func() { s.access.Annotations = nil }) },
		},
		{
			Name: "Bucket without its finalizer", Reason: "it has to be protected again, without a call",
			Given: func(s *scene) {
				s.hasSettled()
				s.Modify(s.bucket, func() { s.bucket.Finalizers = []string{v1alpha1.BucketFinalizer} })
			},
		},
		{
			Name: "cache fails", Reason: "nothing is concluded about the Secret",
			Given: func(s *scene) { s.hasSettled(); s.FailReads(secretstore.Metadata()) }, Want: phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails", Reason: "nothing is concluded about the Secret",
			Given: func(s *scene) {
				s.hasSettled()
				s.Label(s.secret)
				s.Reject("get secrets", http.StatusInternalServerError)
			},
			Want: unwritable("FailedGrantAccess"),
		},
	}, (*attempt).findClass, (*attempt).checkUpToDate)
}

func TestCheckSecret(t *testing.T) {
	t.Parallel()
	has := func(edits ...func(*corev1.Secret)) func(*scene) {
		return func(s *scene) { s.hasAccess(); s.hasSecret(edits...) }
	}
	immutable := func(secret *corev1.Secret) { secret.Immutable = new(true) }
	again := phasetest.Outcome{Err: "done", Requeue: true}
	runTable(t, []phaseCase{
		{Name: "no Secret", Reason: "it is created with its data", Given: func(s *scene) { s.hasAccess() }},
		{Name: "own Secret", Reason: "it is written later", Given: has()},
		{Name: "Secret of a user", Reason: "it must not be overwritten", Given: has(strange), Want: invalid(v1alpha2.ReasonSecretConflict)},
		{
			Name: "Secret of a user, which the cache does not show", Reason: "the watch may have no further event",
			Given: func(s *scene) { s.hasAccess(); s.Behind(func() { s.hasSecret(strange) }) }, Want: again,
		},
		{
			Name: "orphan without a BucketInfo", Reason: "no data links it to this access",
			Given: has(func(secret *corev1.Secret) { secret.OwnerReferences = nil }), Want: invalid(v1alpha2.ReasonSecretConflict),
		},
		{
			Name: "immutable Secret", Reason: "new credentials could not be written, and may make those in the Secret invalid",
			Given: has(immutable), Want: invalid(v1alpha2.ReasonSecretWriteFailed),
		},
		{
			Name: "deleted Secret", Reason: "a user has deleted it; it is released, and created again later",
			Given: has(deleted), Want: phasetest.Outcome{Writes: []string{releases}, Changes: []string{"Secret app is gone"}},
		},
		{
			Name: "deleted Secret, immutable", Reason: "the new one is not",
			Given: has(deleted, immutable), Want: phasetest.Outcome{Writes: []string{releases}, Changes: []string{"Secret app is gone"}},
		},
		{
			Name: "deleted Secret with another component's finalizer", Reason: "it can be created again once that is removed",
			Given: has(deleted, held),
			Want: func() phasetest.Outcome {
				o := waiting(v1alpha2.ReasonSecretWriteFailed, releases)
				o.Changes = []string{`Secret app: metadata.finalizers=["example.com/audit"]`}
				return o
			}(),
		},
		{
			Name: "API server fails", Reason: "the driver is not asked for credentials that may have no place",
			Given: func(s *scene) { s.hasAccess(); s.Reject("get secrets", http.StatusInternalServerError) },
			Want:  unwritable("FailedGrantAccess"),
		},
	}, (*attempt).checkSecret)
}

func TestDeleteSecret(t *testing.T) {
	t.Parallel()
	has := func(edits ...func(*corev1.Secret)) func(*scene) {
		return func(s *scene) { s.hasAccess(s.granted, leaving); s.hasSecret(edits...) }
	}
	isGone := []string{"Secret app is gone"}
	again := phasetest.Outcome{Err: "done", Requeue: true}
	runTable(t, []phaseCase{
		{
			Name: "Secret", Reason: "it must not outlive the credentials in it",
			Given: has(), Want: phasetest.Outcome{Writes: []string{releases, deletes}, Changes: isGone},
		},
		{Name: "no Secret", Reason: "it is gone already", Given: func(s *scene) { s.hasAccess(s.granted, leaving) }},
		{Name: "Secret of a user", Reason: "it is not touched", Given: has(strange)},
		{
			Name: "deleting Secret", Reason: "it is released, and vanishes",
			Given: has(deleted), Want: phasetest.Outcome{Writes: []string{releases}, Changes: isGone},
		},
		{
			Name: "another component's finalizer", Reason: "the access waits until the Secret is gone",
			Given: has(held),
			Want: phasetest.Outcome{
				Writes: []string{releases, deletes},
				Changes: []string{
					"Secret app: metadata.deletionTimestamp=now", `Secret app: metadata.finalizers=["example.com/audit"]`,
				},
				Events: []string{"Normal DeletionBlocked of BucketAccess app"}, Err: "Blocked DeletionBlocked",
			},
		},
		{
			Name: "gone, which the cache does not show", Reason: "one of the two is out of date",
			Given: func(s *scene) { has()(s); s.Behind(func() { s.ForceRemove(s.secret) }) }, Want: again,
		},
		{
			Name: "changed meanwhile", Reason: "it may be another one of the name",
			Given: func(s *scene) { has()(s); s.Before("patch secrets", func() { s.Label(s.secret) }) },
			Want:  phasetest.Retried("Conflict", releases+": Conflict"),
		},
		{
			Name: "API server fails", Reason: "the access is not revoked while a Secret may exist",
			Given: func(s *scene) { has()(s); s.Reject("get secrets", http.StatusInternalServerError) },
			Want:  unwritable("FailedRevokeAccess"),
		},
	}, (*attempt).deleteSecret)
}
