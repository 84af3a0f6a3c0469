package bucketaccess

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestCheckUnused(t *testing.T) {
	t.Parallel()
	mounted := func(access *v1alpha1.BucketAccess) {
		metav1.SetMetaDataAnnotation(&access.ObjectMeta, v1alpha2.VolumeAnnotationPrefix+"1", "node/web/uid-1")
	}
	runTable(t, []phaseCase{
		{Name: "no volume", Reason: "nothing keeps the access", Given: func(s *scene) { s.hasAccess(s.granted, leaving) }},
		{
			Name: "volume", Reason: "the Pod would lose its access", Given: func(s *scene) { s.hasAccess(s.granted, leaving, mounted) },
			Want: phasetest.Outcome{Events: []string{"Normal DeletionBlocked of BucketAccess app"}, Err: "Blocked DeletionBlocked"},
		},
	}, (*attempt).checkUnused)
}
