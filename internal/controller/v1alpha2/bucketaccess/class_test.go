package bucketaccess

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestFindClass(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{Name: "class", Reason: "it can be used", Given: func(s *scene) { s.hasClass(); s.hasAccess() }},
		{
			Name: "no class", Reason: "the access waits for it",
			Given: func(s *scene) { s.hasAccess() },
			Want:  waiting(v1alpha2.ReasonBucketAccessClassNotFound),
		},
		{
			Name: "class with an impossible driver name", Reason: "no sidecar can have that name",
			Given: func(s *scene) {
				s.hasClass(func(class *v1alpha2.BucketAccessClass) { class.Spec.DriverName = "3Par.example" })
				s.hasAccess()
			},
			Want: invalid(v1alpha2.ReasonInvalidSpec),
		},
		{
			Name: "cache fails", Reason: "the user is not told that the class does not exist",
			Given: func(s *scene) { s.hasClass(); s.hasAccess(); s.FailReads(&v1alpha2.BucketAccessClass{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
	}, (*attempt).findClass)
}
