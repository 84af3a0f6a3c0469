package bucketaccess

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

func one(modes v1alpha2.BucketAccessModes) []v1alpha2.BucketClaimAccess {
	return []v1alpha2.BucketClaimAccess{{BucketClaimName: "a", AccessSecretName: "s", AccessModes: modes}}
}

// KEP: API-ACCESSCLASS-6, TEST-1, REASON-21
func TestPermitted(t *testing.T) {
	const readWrite, readOnly, writeOnly = v1alpha2.BucketAccessModeReadWrite, v1alpha2.BucketAccessModeReadOnly,
		v1alpha2.BucketAccessModeWriteOnly
	plain := v1alpha2.BucketAccessModes{ObjectData: readWrite}
	two := append(one(plain), v1alpha2.BucketClaimAccess{BucketClaimName: "b", AccessSecretName: "t", AccessModes: plain})
	sameSecret := append(one(plain), v1alpha2.BucketClaimAccess{BucketClaimName: "b", AccessSecretName: "s", AccessModes: plain})
	multi := v1alpha2.BucketAccessClassSpec{MultiBucketAccess: v1alpha2.MultiBucketAccessMultipleBuckets}
	byAccount := v1alpha2.BucketAccessClassSpec{AuthenticationType: v1alpha2.AuthenticationTypeServiceAccount}
	noWrite := []v1alpha2.BucketAccessMode{readWrite, writeOnly}
	forbid := func(d v1alpha2.DisallowedBucketAccessModes) v1alpha2.BucketAccessClassSpec {
		return v1alpha2.BucketAccessClassSpec{DisallowedBucketAccessModes: &d}
	}
	cases := []struct {
		name   string
		reason string
		class  v1alpha2.BucketAccessClassSpec
		spec   v1alpha2.BucketAccessSpec
		want   string
	}{
		{"plain", "nothing is asked", v1alpha2.BucketAccessClassSpec{}, v1alpha2.BucketAccessSpec{BucketClaims: one(plain)}, ""},
		// KEP: API-ACCESSCLASS-4, ALT-3
		{
			"two by default", "one is the default", v1alpha2.BucketAccessClassSpec{}, v1alpha2.BucketAccessSpec{BucketClaims: two},
			v1alpha2.ReasonMultiBucketDisallowed,
		},
		// KEP: API-ACCESSCLASS-4
		{
			"two in SingleBucket", "one is enough",
			v1alpha2.BucketAccessClassSpec{MultiBucketAccess: v1alpha2.MultiBucketAccessSingleBucket},
			v1alpha2.BucketAccessSpec{BucketClaims: two}, v1alpha2.ReasonMultiBucketDisallowed,
		},
		// KEP: API-ACCESSCLASS-5
		{"two in MultipleBuckets", "the class allows it", multi, v1alpha2.BucketAccessSpec{BucketClaims: two}, ""},
		// KEP: API-ACCESSCLASS-5
		{"one in MultipleBuckets", "one or more", multi, v1alpha2.BucketAccessSpec{BucketClaims: one(plain)}, ""},
		{
			"E32 one Secret twice", "the second would overwrite the first", multi,
			v1alpha2.BucketAccessSpec{BucketClaims: sameSecret}, v1alpha2.ReasonSecretConflict,
		},
		{
			"no ServiceAccount", "the driver has no ServiceAccount to map", byAccount, v1alpha2.BucketAccessSpec{BucketClaims: one(plain)},
			v1alpha2.ReasonServiceAccountRequired,
		},
		{
			"ServiceAccount", "it is named", byAccount,
			v1alpha2.BucketAccessSpec{BucketClaims: one(plain), ServiceAccountName: "app"}, "",
		},
		// KEP: API-ACCESS-SPEC-8
		{
			"ServiceAccount with Key", "it is ignored", v1alpha2.BucketAccessClassSpec{},
			v1alpha2.BucketAccessSpec{BucketClaims: one(plain), ServiceAccountName: "app"}, "",
		},
		{
			"data", "the mode is listed", forbid(v1alpha2.DisallowedBucketAccessModes{ObjectData: noWrite}),
			v1alpha2.BucketAccessSpec{BucketClaims: one(plain)}, v1alpha2.ReasonAccessModeDisallowed,
		},
		{
			"metadata", "the mode is listed", forbid(v1alpha2.DisallowedBucketAccessModes{ObjectMetadata: noWrite}),
			v1alpha2.BucketAccessSpec{BucketClaims: one(v1alpha2.BucketAccessModes{ObjectMetadata: writeOnly})},
			v1alpha2.ReasonAccessModeDisallowed,
		},
		{
			"bucket metadata", "the mode is listed", forbid(v1alpha2.DisallowedBucketAccessModes{BucketMetadata: noWrite}),
			v1alpha2.BucketAccessSpec{BucketClaims: one(v1alpha2.BucketAccessModes{BucketMetadata: readWrite})},
			v1alpha2.ReasonAccessModeDisallowed,
		},
		{
			"other category", "each category has its own list", forbid(v1alpha2.DisallowedBucketAccessModes{BucketMetadata: noWrite}),
			v1alpha2.BucketAccessSpec{BucketClaims: one(plain)}, "",
		},
		{
			"other mode", "reading is not listed", forbid(v1alpha2.DisallowedBucketAccessModes{ObjectData: noWrite}),
			v1alpha2.BucketAccessSpec{BucketClaims: one(v1alpha2.BucketAccessModes{ObjectData: readOnly})}, "",
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			class := &v1alpha2.BucketAccessClass{ObjectMeta: metav1.ObjectMeta{Name: "class"}, Spec: tc.class}
			got := ""
			if found, ok := reasons.As(checkSpec(tc.spec, class)); ok {
				got = found.Reason
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: reason (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCheckRules(t *testing.T) {
	t.Parallel()
	runTable(t, []phaseCase{
		{Name: "allowed", Reason: "nothing is wrong", Given: func(s *scene) { s.hasClass(); s.hasAccess() }},
		{
			Name: "disallowed", Reason: "the user has to change the access",
			Given: func(s *scene) { s.hasClass(); s.hasAccess(alsoTo("videos")) },
			Want:  invalid(v1alpha2.ReasonMultiBucketDisallowed),
		},
	}, (*attempt).findClass, (*attempt).checkRules)
}
