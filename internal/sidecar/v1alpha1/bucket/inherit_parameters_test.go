package bucket

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func (s *scene) hasClass(parameters map[string]string, edits ...func(*v1alpha1.Bucket)) {
	s.Helper()
	class := &v1alpha1.BucketClass{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name("gold")}, DriverName: "driver.test",
		DeletionPolicy: v1alpha1.DeletionPolicyDelete, Parameters: parameters,
	}
	phasetest.Make(s.Case, class)
	s.hasBucket(append(edits, func(b *v1alpha1.Bucket) { b.Spec.BucketClassName = class.Name })...)
}

func TestInheritParameters(t *testing.T) {
	t.Parallel()
	gold := map[string]string{"tier": "gold"}
	given := func(parameters map[string]string, edits ...func(*scene) func(*v1alpha1.Bucket)) func(*scene) {
		return func(s *scene) {
			var changes []func(*v1alpha1.Bucket)
			for _, edit := range edits {
				changes = append(changes, edit(s))
			}
			s.hasClass(parameters, changes...)
		}
	}
	static := func(s *scene) func(*v1alpha1.Bucket) { return s.static }
	identified := func(s *scene) func(*v1alpha1.Bucket) { return s.identified }
	own := func(*scene) func(*v1alpha1.Bucket) {
		return func(b *v1alpha1.Bucket) { b.Spec.Parameters = map[string]string{"tier": "silver"} }
	}
	runTable(t, []phaseCase{
		{
			Name: "existing bucket", Reason: "COSI v0.2 writes the parameters of the class",
			Given: given(gold, static),
			Want: phasetest.Outcome{
				Writes: []string{bucketPatch}, Changes: []string{"Bucket b: spec.parameters.tier=gold"}, Err: "done",
			},
		},
		{Name: "class without parameters", Reason: "there are none to write", Given: given(nil, static)},
		{Name: "own parameters", Reason: "an administrator has chosen them", Given: given(gold, static, own)},
		{Name: "ready", Reason: "it was bound without parameters", Given: given(gold, static, identified)},
		{Name: "new bucket", Reason: "the controller has copied them", Given: given(gold)},
		{
			Name: "no class", Reason: "it is usable without parameters",
			Given: func(s *scene) { s.hasBucket(s.static) },
		},
		{
			Name: "changed meanwhile", Reason: "an administrator may have added parameters",
			Given: func(s *scene) {
				s.hasClass(gold, s.static)
				s.Behind(func() { s.Modify(s.bucket, func() { s.bucket.Spec.Parameters = map[string]string{"tier": "silver"} }) })
			},
			Want: phasetest.Retried("Conflict", bucketPatch+": Conflict"),
		},
		{
			Name: "API server fails", Reason: "the Bucket is not ready without its parameters",
			Given: func(s *scene) {
				s.hasClass(gold, s.static)
				s.Reject("get bucketclasses", http.StatusInternalServerError)
			},
			Want: apiFailure(),
		},
	}, (*attempt).inheritParameters)
}
