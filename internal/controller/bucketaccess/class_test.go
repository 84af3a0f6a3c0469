package bucketaccess

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestFindClass(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{name: "class", reason: "it can be used", given: func(s *scene) { s.hasClass(); s.hasAccess() }},
		{
			name: "no class", reason: "the access waits for it",
			given: func(s *scene) { s.hasAccess() },
			want:  waiting(v1alpha2.ReasonBucketAccessClassNotFound),
		},
		{
			name: "class with an impossible driver name", reason: "no sidecar can have that name",
			given: func(s *scene) {
				s.hasClass(func(class *v1alpha2.BucketAccessClass) { class.Spec.DriverName = "3Par.example" })
				s.hasAccess()
			},
			want: invalid(v1alpha2.ReasonInvalidSpec),
		},
		{
			name: "cache fails", reason: "the user is not told that the class does not exist",
			given: func(s *scene) { s.hasClass(); s.hasAccess(); s.FailReads(&v1alpha2.BucketAccessClass{}) },
			want:  phasetest.Retried("Unreadable"),
		},
	}, (*attempt).findClass)
}
