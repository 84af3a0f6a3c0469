package bucket

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func TestCheckClaim(t *testing.T) {
	t.Parallel()
	misspelt := func(b *v1alpha2.Bucket) {
		b.Annotations = map[string]string{v1alpha2.MisspeltBucketClaimBeingDeletedAnnotation: ""}
	}
	runTable(t, []phaseCase{
		{Name: "claim", Reason: "the Bucket is used", Given: func(s *scene) { s.hasBucket(provisioned) }},
		{
			Name: "new Bucket, claim deleting", Reason: "nothing new is provisioned for it",
			Given: func(s *scene) { s.hasBucket(announced) },
			Want:  phasetest.Outcome{Err: "done"},
		},
		{
			Name: "claim deleting", Reason: "the bucket must not get new users, and stays provisioned",
			Given: func(s *scene) { s.hasBucket(provisioned, announced) },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{withdrawn}, Err: "done"},
		},
		{
			Name: "claim deleting, with the KEP's misspelling", Reason: "upstream's controller writes it",
			Given: func(s *scene) { s.hasBucket(provisioned, misspelt) },
			Want:  phasetest.Outcome{Writes: []string{statusPatch}, Changes: []string{withdrawn}, Err: "done"},
		},
		{
			Name: "claim deleting, withdrawn", Reason: "nothing is to be done",
			Given: func(s *scene) { s.hasBucket(provisioned, announced, unready) },
			Want:  phasetest.Outcome{Err: "done"},
		},
	}, (*attempt).checkClaim)
}
