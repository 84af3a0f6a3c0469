package flows_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// obstacle is what an object waits for. The function that arrange returns
// brings it about; the reaction is what a component does then.
type obstacle struct {
	name    string
	arrange func(*scene) (bringAbout func(), reaction crossing)
}

// crossing is what the journal has of a write.
type crossing struct{ component, operation, subject string }

func (c crossing) is(e journal.Event) bool {
	return e.Seam == journal.SeamAPI && e.Component == c.component && e.Operation.Name == c.operation && e.Operation.Subject == c.subject
}

func subject(object client.Object) string {
	if object.GetNamespace() == "" {
		return object.GetName()
	}
	return object.GetNamespace() + "/" + object.GetName()
}

// obstacles are all that a claim, a Bucket or an access may wait for, and what may be
// taken away from them by hand.
var obstacles = []obstacle{
	{"class is created", func(s *scene) (func(), crossing) {
		claim := s.claim("data")
		s.make(claim)
		s.says(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
		return func() { s.make(s.bucketClass()) },
			crossing{emulator.ComponentController, "create buckets", v1alpha2.BucketNameForClaim(claim.UID)}
	}},
	{"access class is created", func(s *scene) (func(), crossing) {
		claim, access := s.claim("data"), s.access("app", "data")
		s.make(s.bucketClass(), claim, access)
		s.ready(claim)
		s.says(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketAccessClassNotFound)
		return func() { s.make(s.accessClass()) },
			crossing{emulator.ComponentController, "patch bucketaccesses", subject(access)}
	}},
	{"claim is created", func(s *scene) (func(), crossing) {
		access := s.access("app", "data")
		s.make(s.bucketClass(), s.accessClass(), access)
		s.says(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClaimNotFound)
		return func() { s.make(s.claim("data")) },
			crossing{emulator.ComponentController, "patch bucketaccesses", subject(access)}
	}},
	{"existing Bucket is created", func(s *scene) (func(), crossing) {
		bucket := s.existing("data")
		claim := s.claim("data", ofExisting(bucket))
		s.make(claim)
		s.says(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketNotFound)
		return func() { s.make(bucket) }, crossing{emulator.ComponentController, "patch buckets", bucket.Name}
	}},
	{"last access is deleted", func(s *scene) (func(), crossing) {
		claim, access := s.granted()
		s.remove(claim)
		s.says(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
		return func() { s.remove(access) },
			crossing{emulator.ComponentController, "delete buckets", v1alpha2.BucketNameForClaim(claim.UID)}
	}},
	{"Secret is deleted", func(s *scene) (func(), crossing) {
		_, access := s.granted()
		return func() { s.remove(secretOf(access, 0)) },
			crossing{emulator.ComponentSidecar, "create secrets", subject(secretOf(access, 0))}
	}},
	{"Secret is edited", func(s *scene) (func(), crossing) {
		_, access := s.granted()
		secret := secretOf(access, 0)
		return func() { s.change(secret, func() { secret.Data["AWS_ENDPOINT_URL"] = []byte("http://elsewhere") }) },
			crossing{emulator.ComponentSidecar, "update secrets", subject(secret)}
	}},
	{"foreign Secret is removed", func(s *scene) (func(), crossing) {
		access := s.access("app", "data")
		foreign := &corev1.Secret{ObjectMeta: secretOf(access, 0).ObjectMeta}
		s.make(s.bucketClass(), s.accessClass(), foreign, s.claim("data"), access)
		s.says(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonSecretConflict)
		return func() { s.remove(foreign) }, crossing{emulator.ComponentSidecar, "create secrets", subject(foreign)}
	}},
	{"annotation is removed", func(s *scene) (func(), crossing) {
		claim, _ := s.granted()
		return func() {
				s.change(claim, func() { delete(claim.Annotations, v1alpha2.HasBucketAccessReferencesAnnotation) })
			},
			crossing{emulator.ComponentController, "patch bucketclaims", subject(claim)}
	}},
	{"Bucket of a live claim is deleted", func(s *scene) (func(), crossing) {
		claim, _ := s.granted()
		return func() { s.remove(bucketOf(claim)) },
			crossing{emulator.ComponentController, "patch bucketclaims/status", subject(claim)}
	}},
}

// granted makes an access that is ready.
func (s *scene) granted() (*v1alpha2.BucketClaim, *v1alpha2.BucketAccess) {
	s.Helper()
	claim, access := s.claim("data"), s.access("app", "data")
	s.make(s.bucketClass(), s.accessClass(), claim, access)
	s.ready(claim, access)
	return claim, access
}

// reacts brings about what an object waits for, and returns how long after that
// the reaction has begun.
func (s *scene) reacts(o obstacle) time.Duration {
	s.Helper()
	bringAbout, reaction := o.arrange(s)
	s.settle(s)
	mark := s.emu.Journal().Mark()
	bringAbout()
	begin := time.Now()
	ctx, cancel := context.WithTimeoutCause(s.Context(), patience, fmt.Errorf("no %s %s by %s", reaction.operation, reaction.subject, reaction.component))
	defer cancel()
	for e := range s.emu.Journal().Follow(ctx, mark) {
		if reaction.is(e) {
			return max(0, e.Time.Sub(begin))
		}
	}
	s.Fatal(context.Cause(ctx))
	return 0
}

// TestReaction: whatever unblocks an object wakes it. The delays between retries
// are an hour here, so that nothing else can.
func TestReaction(t *testing.T) {
	w := newWorld(t)
	for _, waiting := range obstacles {
		t.Run(waiting.name, func(t *testing.T) { w.newScene(t).reacts(waiting) })
	}
}

// BenchmarkReaction measures the time from the answer to the write that unblocks
// an object until a component begins to write because of it. The last access has
// its Secret deleted and is revoked in between.
func BenchmarkReaction(b *testing.B) {
	w := newWorld(b)
	for _, waiting := range obstacles {
		b.Run(waiting.name, func(b *testing.B) {
			var all time.Duration
			count := 0
			for b.Loop() {
				all += w.newScene(b).reacts(waiting)
				count++
			}
			b.ReportMetric(float64(all.Microseconds())/1000/float64(count), "ms/reaction")
		})
	}
}
