package bucketaccess

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func (s *scene) hasLeaving(edits ...func(*corev1.Secret)) {
	s.Helper()
	s.hasAccess(granted, leaving, unready)
	s.hasSecret(append([]func(*corev1.Secret){s.filled}, edits...)...)
}

// blocked is the outcome for an access whose Secret another component holds.
func blocked(writes ...string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes: append(writes, statusPatch), Conditions: []string{"ResourcesValidated=True DeletionBlocked"},
		Events: []string{"Normal DeletionBlocked of BucketAccess app"}, Err: "Blocked DeletionBlocked",
	}
}

func TestDeleteSecrets(t *testing.T) {
	t.Parallel()
	has := func(edits ...func(*corev1.Secret)) func(*scene) { return func(s *scene) { s.hasLeaving(edits...) } }
	revokesFailed := func(writes ...string) phasetest.Outcome {
		return phasetest.Outcome{
			Writes: append(writes, statusPatch), Conditions: []string{"ResourcesValidated=False SecretWriteFailed"},
			Events: []string{"Warning FailedRevokeAccess of BucketAccess app"}, Err: "Unwritable SecretWriteFailed", Requeue: true,
		}
	}
	const isDeleting = "Secret photos: metadata.deletionTimestamp=now"
	unsure := phasetest.Outcome{Err: "done", Requeue: true}
	isAudited := `Secret photos: metadata.finalizers=["example.com/audit"]`
	runTable(t, []phaseCase{
		{
			Name: "Secret", Reason: "it must not outlive the credentials in it; its owner keeps another one from its name",
			Given: has(), Want: phasetest.Outcome{Writes: []string{releases, deletes}, Changes: []string{isGone}},
		},
		{Name: "no Secret", Reason: "it is gone already", Given: func(s *scene) { s.hasAccess(granted, leaving, unready) }},
		{
			Name: "two claims", Reason: "both Secrets go before the access is revoked",
			Given: func(s *scene) {
				s.hasAccess(granted, s.alsoTo("videos"), leaving, unready)
				s.hasSecret(func(secret *corev1.Secret) { secret.Name = "videos" })
				s.hasSecret()
			},
			Want: phasetest.Outcome{
				Writes: []string{
					releases, deletes, "patch secrets videos (resourceVersion)", "delete secrets videos (uid, resourceVersion)",
				},
				Changes: []string{isGone, "Secret videos is gone"},
			},
		},
		{
			Name: "deleting Secret", Reason: "it is released, and vanishes",
			Given: has(deleted), Want: phasetest.Outcome{Writes: []string{releases}, Changes: []string{isGone}},
		},
		{
			Name: "Secret of a user", Reason: "it is not touched",
			Given: has(strange),
		},
		{
			Name: "orphan", Reason: "only the finalizer identifies the owner: the next reconcile removes it last",
			Given: has(orphaned),
			Want:  phasetest.Outcome{Writes: []string{deletes}, Changes: []string{isDeleting}, Err: "done", Requeue: true},
		},
		{
			Name: "first an orphan, second not", Reason: "both go, and the access waits for the first",
			Given: func(s *scene) {
				s.hasAccess(granted, s.alsoTo("videos"), leaving, unready)
				s.hasSecret(func(secret *corev1.Secret) { secret.Name = "videos" })
				s.hasSecret(orphaned)
			},
			Want: phasetest.Outcome{
				Writes:  []string{deletes, "patch secrets videos (resourceVersion)", "delete secrets videos (uid, resourceVersion)"},
				Changes: []string{isDeleting, "Secret videos is gone"}, Err: "done", Requeue: true,
			},
		},
		{
			Name: "deleting orphan", Reason: "its finalizer is removed last",
			Given: has(orphaned, deleted), Want: phasetest.Outcome{Writes: []string{releases}, Changes: []string{isGone}},
		},
		{
			Name: "another component's finalizer", Reason: "the Secret must not outlive its credentials, so the access waits",
			Given: has(held),
			Want: func() phasetest.Outcome {
				o := blocked(releases, deletes)
				o.Changes = []string{isDeleting, isAudited}
				return o
			}(),
		},
		{
			Name: "deleting, with another component's finalizer", Reason: "the access waits until it is gone",
			Given: has(held, deleted),
			Want: func() phasetest.Outcome {
				o := blocked(releases, deletes)
				o.Changes = []string{isAudited}
				return o
			}(),
		},
		{
			Name: "gone, which the cache does not show", Reason: "one of the two is out of date, and a Secret that stays keeps its finalizer",
			Given: func(s *scene) { s.hasLeaving(); s.Behind(func() { s.ForceRemove(s.secret) }) }, Want: unsure,
		},
		{
			Name: "new, which the cache does not show", Reason: "the API server is asked",
			Given: func(s *scene) {
				s.hasAccess(granted, leaving, unready)
				s.Behind(func() { s.hasSecret() })
			},
			Want: phasetest.Outcome{Writes: []string{releases, deletes}, Changes: []string{isGone}},
		},
		{
			Name: "changed meanwhile", Reason: "it may be another one of the name",
			Given: func(s *scene) { s.hasLeaving(); s.Before("patch secrets", func() { s.Label(s.secret) }) },
			Want:  phasetest.Retried("Conflict", releases+": Conflict"),
		},
		{
			Name: "gone before it is released", Reason: "the next reconcile finds that it is gone",
			Given: func(s *scene) { s.hasLeaving(); s.Before("patch secrets", func() { s.ForceRemove(s.secret) }) },
			Want:  phasetest.Retried("NotFound", releases+": Not Found"),
		},
		{
			Name: "gone before it is deleted", Reason: "that is what was wanted",
			Given: func(s *scene) { s.hasLeaving(); s.Before("delete secrets", func() { s.ForceRemove(s.secret) }) },
			Want:  phasetest.Outcome{Writes: []string{releases, deletes + ": Not Found"}},
		},
		{
			Name: "changed before it is deleted", Reason: "it may be another one of the name",
			Given: func(s *scene) { s.hasLeaving(); s.Before("delete secrets", func() { s.Label(s.secret) }) },
			Want:  phasetest.Retried("Conflict", releases, deletes+": Conflict"),
		},
		{
			Name: "orphan, access created again meanwhile", Reason: "the name does not tell which access the Secret is of",
			Given: func(s *scene) {
				s.hasLeaving(orphaned)
				s.Behind(func() { s.ForceRemove(s.access); s.hasAccess() })
			},
			Want: phasetest.Retried("Conflict"),
		},
		{
			Name: "cache fails", Reason: "nothing is concluded about the Secret",
			Given: func(s *scene) { s.hasAccess(granted, leaving, unready); s.FailReads(secretstore.Metadata()) },
			Want:  phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails to read", Reason: "the access is not revoked while a Secret may exist",
			Given: func(s *scene) { s.hasLeaving(); s.Reject("get secrets", http.StatusInternalServerError) },
			Want:  revokesFailed(),
		},
		{
			Name: "API server fails to release", Reason: "the access is not revoked while its Secret exists",
			Given: func(s *scene) { s.hasLeaving(); s.Reject("patch secrets", http.StatusInternalServerError) },
			Want:  revokesFailed(releases + phasetest.ServerFails),
		},
	}, (*attempt).deleteSecrets)
}
