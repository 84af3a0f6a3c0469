package bucketaccess

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestCheckUpToDate(t *testing.T) {
	t.Parallel()
	done := phasetest.Outcome{Err: "done"}
	settled := func(s *scene) { s.hasAccess(granted); s.hasSecret(s.filled); s.remembers() }
	edited := func(s *scene) func() {
		return func() { s.Modify(s.secret, func() { s.secret.Data = nil }) }
	}
	runTable(t, []phaseCase{
		{Name: "settled", Reason: "no call is needed", Given: settled, Want: done},
		{
			Name: "credentials that expire later", Reason: "the access is reconciled again then",
			Given: func(s *scene) { settled(s); s.renewed = time.Hour }, Want: phasetest.Outcome{Err: "done", Requeue: true},
		},
		{
			Name: "credentials that expire soon", Reason: "the driver is asked for new ones",
			Given: func(s *scene) { settled(s); s.renewed = -time.Second },
		},
		{
			Name: "new access", Reason: "it has to be granted",
			Given: func(s *scene) { s.hasAccess() },
		},
		{
			Name: "access Provisioned, without an account", Reason: "the status was edited",
			Given: func(s *scene) {
				s.hasAccess(granted, func(access *v1alpha2.BucketAccess) { access.Status.AccountID = "" })
				s.hasSecret(s.filled)
				s.remembers()
			},
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Changes: []string{withdrawn}, Conditions: []string{"Provisioned=Unknown Pending"},
			},
		},
		{
			Name: "Secret of which nothing is remembered", Reason: "the sidecar was restarted, and brings rotated credentials",
			Given: func(s *scene) { s.hasAccess(granted); s.hasSecret(s.filled) },
		},
		{
			Name: "edited Secret", Reason: "the driver's answer has to be written again",
			Given: func(s *scene) { settled(s); edited(s)() },
		},
		{
			Name: "second Secret edited", Reason: "each is needed",
			Given: func(s *scene) {
				s.hasAccess(granted, s.alsoTo("videos"))
				s.hasSecret(func(secret *corev1.Secret) { secret.Name = "videos" })
				videos := s.secret
				s.hasSecret(s.filled)
				s.remembers()
				s.left[videos.Name] = secretstore.VersionOf(videos)
				s.Label(videos)
			},
		},
		{
			Name: "Secret gone", Reason: "it has to be created again",
			Given: func(s *scene) { settled(s); s.ForceRemove(s.secret) },
		},
		{
			Name: "own write, which the cache does not show", Reason: "the API server has what the sidecar left",
			Given: func(s *scene) { settled(s); s.Behind(func() { edited(s)(); s.remembers() }) },
			Want:  done,
		},
		{
			Name:   "own creation, which the cache does not show",
			Reason: "one of the two is out of date, and the watch may have no further event: the access is reconciled again",
			Given: func(s *scene) {
				s.hasAccess(granted)
				s.Behind(func() { s.hasSecret(s.filled); s.remembers() })
			},
			Want: phasetest.Outcome{Err: "done", Requeue: true},
		},
		{
			Name: "edit that the cache does not show", Reason: "the watch tells it, and the access is up to date until then",
			Given: func(s *scene) { settled(s); s.Behind(edited(s)) }, Want: done,
		},
		{
			Name: "cache fails", Reason: "nothing is concluded about the Secret",
			Given: func(s *scene) { settled(s); s.FailReads(secretstore.Metadata()) }, Want: phasetest.Retried("Unreadable"),
		},
		{
			Name: "API server fails", Reason: "nothing is concluded about the Secret",
			Given: func(s *scene) { settled(s); edited(s)(); s.Reject("get secrets", http.StatusInternalServerError) },
			Want:  failed(),
		},
	}, (*attempt).checkUpToDate)
}
