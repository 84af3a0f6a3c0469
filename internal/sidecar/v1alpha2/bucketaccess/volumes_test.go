package bucketaccess

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/volumes"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// mounted marks the access as used by Pod web.
func mounted(access *v1alpha2.BucketAccess) {
	metav1.SetMetaDataAnnotation(&access.ObjectMeta, v1alpha2.VolumeAnnotationPrefix+"1", "node/web/uid-1")
}

// usedBefore has the condition of an access that a Pod used before.
func usedBefore(access *v1alpha2.BucketAccess) {
	used := access.DeepCopy()
	mounted(used)
	volumes.SetCondition(&access.Status.Conditions, used)
}

func TestRecordUse(t *testing.T) {
	t.Parallel()
	inUse := func(condition string) phasetest.Outcome {
		return phasetest.Outcome{Writes: []string{statusPatch}, Conditions: []string{condition}}
	}
	runTable(t, []phaseCase{
		{Name: "no volume", Reason: "most accesses have no volume", Given: func(s *scene) { s.hasAccess() }},
		{
			Name: "first volume", Reason: "users see why the access is not revoked", Given: func(s *scene) { s.hasAccess(mounted) },
			Want: inUse("InUse=True VolumePublished"),
		},
		{
			Name: "last volume gone", Reason: "the access can be revoked", Given: func(s *scene) { s.hasAccess(usedBefore) },
			Want: inUse("InUse=False NoVolume"),
		},
		{Name: "unchanged", Reason: "a settled system is silent", Given: func(s *scene) { s.hasAccess(mounted, usedBefore) }},
	}, (*attempt).recordUse)
}

func TestCheckUnused(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{Name: "no volume", Reason: "nothing keeps the access", Given: func(s *scene) { s.hasAccess(granted, leaving, unready) }},
		{
			Name: "volume", Reason: "the Pod would lose its access", Given: func(s *scene) { s.hasAccess(granted, leaving, unready, mounted) },
			Want: phasetest.Outcome{
				Writes: []string{statusPatch}, Conditions: []string{"ResourcesValidated=True DeletionBlocked"},
				Events: []string{"Normal DeletionBlocked of BucketAccess app"}, Err: "Blocked DeletionBlocked",
			},
		},
	}, (*attempt).checkUnused)
}
