package bucketaccess

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reasons, which both versions share
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

func ofOtherDriver(b *v1alpha1.Bucket) { b.Spec.DriverName = "other.test" }

func TestFindClass(t *testing.T) {
	t.Parallel()
	done := phasetest.Outcome{Err: "done"}
	noClass := waiting(v1alpha2.ReasonBucketAccessClassNotFound)
	runTable(t, []phaseCase{
		{Name: "class", Reason: "it is the driver's", Given: func(s *scene) { s.hasClass(); s.hasAccess() }},
		{
			Name: "class with the driver in capitals", Reason: "letter case does not count in the names of drivers",
			Given: func(s *scene) {
				s.hasClass(func(class *v1alpha1.BucketAccessClass) { class.DriverName = "DRIVER.test" })
				s.hasAccess()
			},
		},
		{
			Name: "class of another driver", Reason: "its sidecar grants the access",
			Given: func(s *scene) { s.hasClass(ofOther); s.hasAccess() }, Want: done,
		},
		{
			Name: "class of another driver by now, not granted", Reason: "an account of this driver may exist, and only it can revoke that",
			Given: func(s *scene) { s.hasClass(ofOther); s.hasAccess(s.protected) },
			Want:  invalid(v1alpha2.ReasonDriverMismatch),
		},
		{
			Name: "class of another driver by now, granted", Reason: "what was granted stays",
			Given: func(s *scene) { s.hasClass(ofOther); s.hasAccess(s.granted) },
		},
		{Name: "no class", Reason: "no object assigns the access to the driver", Given: func(s *scene) { s.hasAccess() }, Want: done},
		{
			Name: "no class, Bucket of the driver", Reason: "its sidecar tells the user",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket(); s.hasAccess() }, Want: noClass,
		},
		{
			Name: "no class, Bucket of another driver", Reason: "its sidecar tells the user",
			Given: func(s *scene) { s.hasClaim(); s.hasBucket(ofOtherDriver); s.hasAccess() }, Want: done,
		},
		{
			Name: "no class, record", Reason: "the access is the driver's, and waits",
			Given: func(s *scene) { s.hasAccess(s.protected) }, Want: noClass,
		},
		{Name: "no class, granted", Reason: "what was granted stays", Given: func(s *scene) { s.hasAccess(s.granted) }},
		{
			Name: "cache fails", Reason: "nothing is concluded about the class",
			Given: func(s *scene) { s.hasClass(); s.hasAccess(); s.FailReads(&v1alpha1.BucketAccessClass{}) },
			Want:  phasetest.Retried("Unreadable"),
		},
	}, (*attempt).findClass)
}

func TestCheckSpec(t *testing.T) {
	t.Parallel()
	has := func(class func(*v1alpha1.BucketAccessClass), edits ...func(*v1alpha1.BucketAccess)) func(*scene) {
		return func(s *scene) { s.hasClass(class); s.hasAccess(edits...) }
	}
	by := func(authentication v1alpha1.AuthenticationType) func(*v1alpha1.BucketAccessClass) {
		return func(class *v1alpha1.BucketAccessClass) { class.AuthenticationType = authentication }
	}
	byKey, byIAM := by(v1alpha1.AuthenticationTypeKey), by(v1alpha1.AuthenticationTypeIAM)
	strict := func(given func(*scene)) func(*scene) { return func(s *scene) { s.strict = true; given(s) } }
	protocol := func(written v1alpha1.Protocol) func(*v1alpha1.BucketAccess) {
		return func(access *v1alpha1.BucketAccess) { access.Spec.Protocol = written }
	}
	forGCS := func(access *v1alpha1.BucketAccess) { access.Spec.Protocol = v1alpha1.ProtocolGCP }
	runTable(t, []phaseCase{
		{Name: "Key", Reason: "the spec is complete", Given: has(byKey)},
		{
			Name: "IAM with a ServiceAccount", Reason: "the spec is complete",
			Given: has(byIAM, func(access *v1alpha1.BucketAccess) { access.Spec.ServiceAccountName = "app" }),
		},
		{
			Name: "IAM without a ServiceAccount", Reason: "Spec: it is required",
			Given: has(byIAM), Want: invalid(v1alpha2.ReasonServiceAccountRequired),
		},
		{
			Name: "GCP, strict", Reason: "the BucketInfo has no place for it",
			Given: strict(has(byKey, forGCS)), Want: invalid(v1alpha2.ReasonProtocolNotSupported),
		},
		{
			Name: "protocol in lower case, strict", Reason: "the API has S3",
			Given: strict(has(byKey, protocol("s3"))), Want: invalid(v1alpha2.ReasonProtocolNotSupported),
		},
		{
			Name: "protocol that does not exist, strict", Reason: "the BucketInfo has no place for it",
			Given: strict(has(byKey, protocol("swift"))), Want: invalid(v1alpha2.ReasonProtocolNotSupported),
		},
		{Name: "no protocol, strict", Reason: "it is optional", Given: strict(has(byKey, protocol("")))},
		{
			Name: "unknown authentication, strict", Reason: "the driver cannot be told",
			Given: strict(has(by("Password"))), Want: invalid(v1alpha2.ReasonInvalidSpec),
		},
		{
			Name: "IAM in lower case", Reason: "v0.2 does not take it for IAM, and requires no ServiceAccount",
			Given: has(by("iam")),
		},
		{
			Name: "GCP, granted", Reason: "what was granted stays",
			Given: func(s *scene) { s.hasClass(byKey); s.hasAccess(s.granted, forGCS) },
		},
		{
			Name: "no name of a Secret", Reason: "the API server does not check it",
			Given: has(byKey, func(access *v1alpha1.BucketAccess) { access.Spec.CredentialsSecretName = "" }),
			Want:  invalid(v1alpha2.ReasonInvalidSpec),
		},
	}, (*attempt).findClass, (*attempt).checkSpec)
}

func TestFindBucket(t *testing.T) {
	t.Parallel()
	claimed := func(edit func(*v1alpha1.BucketClaim)) func(*scene) {
		return func(s *scene) { s.hasClaim(edit); s.hasBucket(); s.hasAccess() }
	}
	has := func(edits ...func(*v1alpha1.Bucket)) func(*scene) {
		return func(s *scene) { s.hasClaim(); s.hasBucket(edits...); s.hasAccess() }
	}
	waits := waiting(v1alpha2.ReasonWaitingForBucket)
	runTable(t, []phaseCase{
		{Name: "Bucket", Reason: "it can be accessed", Given: has()},
		{
			Name: "no claim", Reason: "the access waits for it",
			Given: func(s *scene) { s.hasAccess() }, Want: waiting(v1alpha2.ReasonBucketClaimNotFound),
		},
		{
			Name: "deleting claim", Reason: "the bucket must not get new users",
			Given: claimed(func(claim *v1alpha1.BucketClaim) { claim.DeletionTimestamp = new(metav1.Now()) }),
			Want:  waiting(v1alpha2.ReasonBucketClaimDeleting),
		},
		{
			Name: "claim that is not ready", Reason: "the access waits for it",
			Given: claimed(func(claim *v1alpha1.BucketClaim) { claim.Status.BucketReady = false }), Want: waits,
		},
		{
			Name: "claim that is not bound", Reason: "the status was edited",
			Given: claimed(func(claim *v1alpha1.BucketClaim) { claim.Status.BucketName = "" }), Want: waits,
		},
		{
			Name: "no Bucket", Reason: "the cache of Buckets may be behind",
			Given: func(s *scene) { s.hasClaim(); s.hasAccess() }, Want: waits,
		},
		{
			Name: "Bucket of another claim", Reason: "its data is another user's",
			Given: has(func(b *v1alpha1.Bucket) { b.Spec.BucketClaim.UID = phasetest.OtherUID }), Want: invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "Bucket without the UID of its claim", Reason: "upstream's controller may not have bound it yet",
			Given: has(func(b *v1alpha1.Bucket) { b.Spec.BucketClaim = &corev1.ObjectReference{} }),
		},
		{
			Name: "Bucket of a namespace that is not served", Reason: "its data is another user's, and the Bucket is left alone",
			Given: func(s *scene) { s.servesOnly(); has(elsewhere)(s) }, Want: invalid(v1alpha2.ReasonBindingConflict),
		},
		{
			Name: "Bucket of another driver", Reason: "its ID means another bucket to this driver",
			Given: has(ofOtherDriver), Want: invalid(v1alpha2.ReasonDriverMismatch),
		},
		{
			Name: "deleting Bucket", Reason: "it must not get new users",
			Given: has(leavingBucket), Want: waiting(v1alpha2.ReasonBucketDeleting),
		},
		{Name: "Bucket that is not ready", Reason: "the access waits for it", Given: has(notReady), Want: waits},
		{
			Name: "Bucket without an ID", Reason: "the status was edited",
			Given: has(func(b *v1alpha1.Bucket) { b.Status.BucketID = "" }), Want: waits,
		},
		{
			Name: "cache fails", Reason: "nothing is concluded about the Bucket",
			Given: func(s *scene) { has()(s); s.FailReads(&v1alpha1.Bucket{}) }, Want: phasetest.Retried("Unreadable"),
		},
	}, (*attempt).findBucket)
}
