package bucketaccess

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func TestCheckHandOff(t *testing.T) {
	t.Parallel()
	byServiceAccount := func(access *v1alpha2.BucketAccess) {
		access.Status.AuthenticationType = v1alpha2.AuthenticationTypeServiceAccount
	}
	has := func(edits ...func(*v1alpha2.BucketAccess)) func(*scene) {
		return func(s *scene) { s.hasAccess(edits...) }
	}
	ofVideos := func(edit func(*v1alpha2.BucketAccess)) func(*scene) {
		return func(s *scene) { s.hasAccess(s.alsoTo("videos"), edit) }
	}
	degraded := invalid(v1alpha2.ReasonDegraded)
	runTable(t, []phaseCase{
		{Name: "handed off", Reason: "it is complete", Given: has()},
		{Name: "two claims", Reason: "each has a Bucket", Given: func(s *scene) { s.hasAccess(s.alsoTo("videos")) }},
		{
			Name: "no Buckets", Reason: "the controller writes all at once, so the status was edited",
			Given: has(func(access *v1alpha2.BucketAccess) { access.Status.AccessedBuckets = nil }), Want: degraded,
		},
		{
			Name: "no authentication type", Reason: "the controller writes all at once, so the status was edited",
			Given: has(func(access *v1alpha2.BucketAccess) { access.Status.AuthenticationType = "" }), Want: degraded,
		},
		{
			Name: "no Bucket for a claim", Reason: "the access would be granted in part",
			Given: ofVideos(func(access *v1alpha2.BucketAccess) {
				access.Status.AccessedBuckets = access.Status.AccessedBuckets[:1]
			}),
			Want: degraded,
		},
		{
			Name: "Bucket for a claim that the spec does not have", Reason: "no spec requests it",
			Given: ofVideos(func(access *v1alpha2.BucketAccess) { access.Spec.BucketClaims = access.Spec.BucketClaims[:1] }),
			Want:  degraded,
		},
		{
			Name: "two Buckets for a claim", Reason: "there is one Secret for it",
			Given: ofVideos(func(access *v1alpha2.BucketAccess) {
				access.Status.AccessedBuckets[1].BucketClaimName = "photos"
			}),
			Want: degraded,
		},
		{
			Name: "one bucket for two claims", Reason: "the driver would be asked for two permissions on it",
			Given: ofVideos(func(access *v1alpha2.BucketAccess) {
				access.Status.AccessedBuckets[1].BucketID = access.Status.AccessedBuckets[0].BucketID
			}),
			Want: invalid(v1alpha2.ReasonInvalidSpec),
		},
		{
			Name: "no ServiceAccount", Reason: "KEP: the authentication type requires one",
			Given: has(byServiceAccount), Want: invalid(v1alpha2.ReasonServiceAccountRequired),
		},
		{
			Name: "ServiceAccount", Reason: "the authentication type requires one",
			Given: has(byServiceAccount, func(access *v1alpha2.BucketAccess) { access.Spec.ServiceAccountName = "app" }),
		},
		{
			Name: "one Secret for two claims", Reason: "it has the data of one bucket",
			Given: ofVideos(func(access *v1alpha2.BucketAccess) { access.Spec.BucketClaims[1].AccessSecretName = "photos" }),
			Want:  invalid(v1alpha2.ReasonSecretConflict),
		},
	}, (*attempt).checkHandOff)
}
