package hub_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/hub"
)

const (
	namespace = "shop"
	foreign   = "example.com/hold"
)

// midday is a time of whole seconds, as the API server has them.
var midday = metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))

func namespaced(name string, finalizers ...string) metav1.ObjectMeta {
	o := cluster(name, finalizers...)
	o.Namespace = namespace
	return o
}

func cluster(name string, finalizers ...string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, UID: types.UID("uid-of-" + name), Generation: 2, Finalizers: finalizers}
}

func clientWith(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, objectstorage.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

// read reads objects from an API server, and returns them without resource versions.
func read(t *testing.T, version objectstorage.Version, opts hub.Options, objects ...client.Object) hub.Lists {
	t.Helper()
	lists, err := hub.Read(t.Context(), clientWith(t, objects...), version, opts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range lists.Claims {
		lists.Claims[i].ResourceVersion = ""
	}
	for i := range lists.Buckets {
		lists.Buckets[i].ResourceVersion = ""
	}
	for i := range lists.Accesses {
		lists.Accesses[i].ResourceVersion = ""
	}
	for i := range lists.BucketClasses {
		lists.BucketClasses[i].ResourceVersion = ""
	}
	for i := range lists.AccessClasses {
		lists.AccessClasses[i].ResourceVersion = ""
	}
	for i := range lists.Secrets {
		lists.Secrets[i].ResourceVersion = ""
	}
	return lists
}

// provisioned are the conditions of a ready object.
func provisioned() []metav1.Condition {
	return []metav1.Condition{{
		Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionTrue, Reason: v1alpha2.ReasonProvisioned, ObservedGeneration: 2,
	}}
}

// complete are objects of v1alpha1 whose application has its Secret.
func complete() []client.Object {
	return []client.Object{
		&v1alpha1.BucketClass{
			ObjectMeta: cluster("standard"), DriverName: "one.test", DeletionPolicy: v1alpha1.DeletionPolicyDelete,
			Parameters: map[string]string{"tier": "gold"},
		},
		&v1alpha1.BucketAccessClass{
			ObjectMeta: cluster("identity"), DriverName: "one.test", AuthenticationType: v1alpha1.AuthenticationTypeIAM,
			Parameters: map[string]string{"role": "writer"},
		},
		&v1alpha1.BucketClaim{
			ObjectMeta: namespaced("photos", foreign, v1alpha1.BucketClaimFinalizer),
			Spec:       v1alpha1.BucketClaimSpec{BucketClassName: "standard", Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolGCP}},
			Status:     v1alpha1.BucketClaimStatus{BucketReady: true, BucketName: "bucket-1"},
		},
		&v1alpha1.Bucket{
			ObjectMeta: cluster("bucket-1", v1alpha1.BucketFinalizer, v1alpha1.BucketAccessBucketFinalizer),
			Spec: v1alpha1.BucketSpec{
				DriverName: "one.test", BucketClassName: "standard", DeletionPolicy: v1alpha1.DeletionPolicyDelete,
				BucketClaim: &corev1.ObjectReference{Kind: "BucketClaim", Namespace: namespace, Name: "photos", UID: "uid-of-photos"},
				Protocols:   []v1alpha1.Protocol{v1alpha1.ProtocolGCP}, Parameters: map[string]string{"tier": "gold"},
			},
			Status: v1alpha1.BucketStatus{BucketReady: true, BucketID: "arn:one:b/1"},
		},
		&v1alpha1.BucketAccess{
			ObjectMeta: namespaced("app", v1alpha1.BucketAccessFinalizer),
			Spec: v1alpha1.BucketAccessSpec{
				BucketClaimName: "photos", BucketAccessClassName: "identity", CredentialsSecretName: "key",
				Protocol: v1alpha1.ProtocolGCP, ServiceAccountName: "web",
			},
			Status: v1alpha1.BucketAccessStatus{AccountID: "account", AccessGranted: true},
		},
		accessSecret("key"),
		&corev1.Secret{ObjectMeta: namespaced("other")},
	}
}

func accessSecret(name string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: namespaced(name, v1alpha1.SecretFinalizer), Data: map[string][]byte{v1alpha1.BucketInfoKey: []byte("{}")}}
	s.OwnerReferences = []metav1.OwnerReference{{Kind: "BucketAccess", Name: "app", UID: "uid-of-app"}}
	return s
}

// hubOfComplete are the same objects in v1alpha2.
func hubOfComplete() hub.Lists {
	const ours = v1alpha2.ProtectionFinalizer
	secret := *accessSecret("key")
	secret.Finalizers = []string{ours}
	secret.Annotations = map[string]string{v1alpha2.BucketAccessReferenceAnnotation: namespace + "/app"}
	return hub.Lists{
		Claims: []v1alpha2.BucketClaim{{
			ObjectMeta: namespaced("photos", foreign, ours),
			Spec:       v1alpha2.BucketClaimSpec{BucketClassName: "standard", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolGCS}},
			Status:     v1alpha2.BucketClaimStatus{ReadyToUse: true, BoundBucketName: "bucket-1", Conditions: provisioned()},
		}},
		Buckets: []v1alpha2.Bucket{{
			ObjectMeta: cluster("bucket-1", ours),
			Spec: v1alpha2.BucketSpec{
				DriverName: "one.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete,
				BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: namespace, Name: "photos", UID: "uid-of-photos"},
				Protocols:      []v1alpha2.Protocol{v1alpha2.ProtocolGCS}, Parameters: map[string]string{"tier": "gold"},
			},
			Status: v1alpha2.BucketStatus{ReadyToUse: true, BucketID: "arn:one:b/1", Conditions: provisioned()},
		}},
		Accesses: []v1alpha2.BucketAccess{{
			ObjectMeta: namespaced("app", ours),
			Spec: v1alpha2.BucketAccessSpec{
				BucketClaims:          []v1alpha2.BucketClaimAccess{{BucketClaimName: "photos", AccessSecretName: "key"}},
				BucketAccessClassName: "identity", Protocol: v1alpha2.ProtocolGCS, ServiceAccountName: "web",
			},
			Status: v1alpha2.BucketAccessStatus{
				ReadyToUse: true, AccountID: "account", DriverName: "one.test", Conditions: provisioned(),
				AuthenticationType: v1alpha2.AuthenticationTypeServiceAccount, Parameters: map[string]string{"role": "writer"},
				AccessedBuckets: []v1alpha2.AccessedBucket{{BucketName: "bucket-1", BucketID: "arn:one:b/1", BucketClaimName: "photos"}},
			},
		}},
		BucketClasses: []v1alpha2.BucketClass{{
			ObjectMeta: cluster("standard"),
			Spec: v1alpha2.BucketClassSpec{
				DriverName: "one.test", DeletionPolicy: v1alpha2.DeletionPolicyDelete, Parameters: map[string]string{"tier": "gold"},
			},
		}},
		AccessClasses: []v1alpha2.BucketAccessClass{{
			ObjectMeta: cluster("identity"),
			Spec: v1alpha2.BucketAccessClassSpec{
				DriverName: "one.test", AuthenticationType: v1alpha2.AuthenticationTypeServiceAccount,
				Parameters: map[string]string{"role": "writer"}, MultiBucketAccess: v1alpha2.MultiBucketAccessSingleBucket,
			},
		}},
		Secrets: []corev1.Secret{secret},
	}
}

func TestRead(t *testing.T) {
	if diff := cmp.Diff(hubOfComplete(), read(t, objectstorage.V1alpha1, hub.Options{}, complete()...)); diff != "" {
		t.Errorf("of v1alpha1: -want, +got:\n%s", diff)
	}
	want := hubOfComplete()
	var objects []client.Object
	for _, o := range []client.Object{
		&want.Claims[0], &want.Buckets[0], &want.Accesses[0], &want.BucketClasses[0], &want.AccessClasses[0], &want.Secrets[0],
		&corev1.Secret{ObjectMeta: namespaced("other")},
	} {
		copied, _ := o.DeepCopyObject().(client.Object) // DeepCopyObject returns a client.Object
		copied.SetManagedFields([]metav1.ManagedFieldsEntry{{
			Manager: "a", APIVersion: "v1", Operation: metav1.ManagedFieldsOperationUpdate,
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1("{}"),
		}})
		objects = append(objects, copied)
	}
	if diff := cmp.Diff(want, read(t, objectstorage.V1alpha2, hub.Options{}, objects...)); diff != "" {
		t.Errorf("of v1alpha2: -want, +got:\n%s", diff)
	}
}

func TestReadWithin(t *testing.T) {
	got := read(t, objectstorage.V1alpha1, hub.Options{Namespace: "elsewhere"}, complete()...)
	want := hubOfComplete()
	want.Claims, want.Accesses, want.Secrets = nil, nil, nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in another namespace: -want, +got:\n%s", diff)
	}
	got = read(t, objectstorage.V1alpha1, hub.Options{SecretNamespace: "elsewhere"}, complete()...)
	want = hubOfComplete()
	want.Secrets = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with Secrets in another namespace: -want, +got:\n%s", diff)
	}
}

// TestAccess reads accesses whose class or Bucket is missing.
func TestAccess(t *testing.T) {
	without := func(kinds ...client.Object) func(client.Object) bool {
		return func(o client.Object) bool {
			for _, kind := range kinds {
				if o.GetName() == kind.GetName() {
					return true
				}
			}
			return false
		}
	}
	class, bucket := &v1alpha1.BucketAccessClass{ObjectMeta: cluster("identity")}, &v1alpha1.Bucket{ObjectMeta: cluster("bucket-1")}
	accessed := hubOfComplete().Accesses[0].Status.AccessedBuckets
	for name, tc := range map[string]struct {
		missing   func(client.Object) bool
		ungranted bool
		grant     string
		want      v1alpha2.BucketAccessStatus
	}{
		"GrantedWithoutClass": {
			missing: without(class), want: v1alpha2.BucketAccessStatus{DriverName: "one.test", AccessedBuckets: accessed},
		},
		"NotGrantedWithoutClass": {missing: without(class), ungranted: true, want: v1alpha2.BucketAccessStatus{AccessedBuckets: accessed}},
		"Recorded": {
			missing: without(class, bucket), grant: `{"driverName":"two.test","bucketName":"b","bucketID":"i","authenticationType":"IAM"}`,
			want: v1alpha2.BucketAccessStatus{
				DriverName: "two.test", AuthenticationType: v1alpha2.AuthenticationTypeServiceAccount,
				AccessedBuckets: []v1alpha2.AccessedBucket{{BucketName: "b", BucketID: "i", BucketClaimName: "photos"}},
			},
		},
		"NoRecord": {
			missing: without(class), grant: "no JSON", want: v1alpha2.BucketAccessStatus{DriverName: "one.test", AccessedBuckets: accessed},
		},
		"WithoutBucket": {
			missing: without(bucket), ungranted: true, want: v1alpha2.BucketAccessStatus{
				DriverName: "one.test", AuthenticationType: v1alpha2.AuthenticationTypeServiceAccount, Parameters: map[string]string{"role": "writer"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []client.Object
			for _, o := range complete() {
				if access, ok := o.(*v1alpha1.BucketAccess); ok {
					access.Annotations = map[string]string{v1alpha1.GrantAnnotation: tc.grant}
					if tc.ungranted {
						access.Status = v1alpha1.BucketAccessStatus{}
					}
				}
				if !tc.missing(o) {
					objects = append(objects, o)
				}
			}
			got := read(t, objectstorage.V1alpha1, hub.Options{}, objects...).Accesses[0].Status
			got.ReadyToUse, got.AccountID, got.Conditions = false, "", nil
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func eventOf(o client.Object, kind, reason, message string, after time.Duration) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: "default", Name: reason + after.String()},
		InvolvedObject: corev1.ObjectReference{UID: o.GetUID()}, Type: kind, Reason: reason, Message: message,
		EventTime: metav1.NewMicroTime(midday.Add(after)),
	}
}

// TestClaimWithBucket: an Event about a missing class is outdated once the claim has a Bucket.
func TestClaimWithBucket(t *testing.T) {
	claim := &v1alpha1.BucketClaim{ObjectMeta: namespaced("photos")}
	waits := eventOf(claim, corev1.EventTypeNormal, v1alpha2.ReasonBucketClassNotFound, "waiting", 0)
	bucketOf := func(uid types.UID) client.Object {
		return &v1alpha1.Bucket{
			ObjectMeta: cluster("bucket-1"), Spec: v1alpha1.BucketSpec{BucketClaim: &corev1.ObjectReference{Name: claim.Name, UID: uid}},
		}
	}
	for name, tc := range map[string]struct {
		bucket client.Object
		want   string
	}{
		"ItsOwn":         {bucketOf(claim.UID), v1alpha2.ReasonPending},
		"OfAnotherClaim": {bucketOf("uid-of-another"), v1alpha2.ReasonBucketClassNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, objectstorage.V1alpha1, hub.Options{}, claim.DeepCopy(), waits.DeepCopy(), tc.bucket)
			if reason := got.Claims[0].Status.Conditions[0].Reason; reason != tc.want {
				t.Errorf("the reason is %s, want %s", reason, tc.want)
			}
		})
	}
}

// TestConditions derives the conditions of a Bucket from its Events.
func TestConditions(t *testing.T) {
	const (
		pending = "Provisioned=Unknown Pending"
		warning = corev1.EventTypeWarning
		normal  = corev1.EventTypeNormal
	)
	b := &v1alpha1.Bucket{ObjectMeta: cluster("bucket-1", foreign)}
	b.Generation = 2
	event := func(kind, reason, message string, after time.Duration) client.Object {
		return eventOf(b, kind, reason, message, after)
	}
	final := func(generation string) client.Object {
		e := eventOf(b, warning, v1alpha2.ReasonFailedCreateBucket, "DriverRefused: no", 0)
		e.Annotations = map[string]string{v1alpha1.FinalGenerationAnnotation: generation}
		return e
	}
	for name, tc := range map[string]struct {
		events          []client.Object
		ready, deleting bool
		want            []string
	}{
		"Nothing": {want: []string{pending}},
		"Other": {
			events: []client.Object{eventOf(&v1alpha1.Bucket{ObjectMeta: cluster("another")}, warning, "A", "b", 0)}, want: []string{pending},
		},
		"Cause": {
			events: []client.Object{event(warning, v1alpha2.ReasonFailedCreateBucket, "DriverError: no disk", 0)},
			want:   []string{pending, "ProvisionFailed=True DriverError: no disk"},
		},
		"NoCause": {
			events: []client.Object{event(warning, v1alpha2.ReasonFailedCreateBucket, "no disk: full", 0)},
			want:   []string{pending, "ProvisionFailed=True FailedCreateBucket: no disk: full"},
		},
		"Invalid": {
			events: []client.Object{event(warning, v1alpha2.ReasonFailedCreateBucket, "InvalidSpec: no name", 0)},
			want:   []string{pending, "ResourcesValidated=False InvalidSpec: no name"},
		},
		"Latest": {
			events: []client.Object{event(warning, "B", "2", time.Second), event(warning, "A", "1", 0)},
			want:   []string{pending, "ProvisionFailed=True B: 2"},
		},
		"Waiting": {
			events: []client.Object{
				event(normal, v1alpha2.ReasonBucketClassNotFound, "waiting", 0), event(normal, v1alpha2.ReasonBound, "bound", 1),
			},
			want: []string{"Provisioned=Unknown BucketClassNotFound: waiting"},
		},
		"Final": {
			events: []client.Object{final("2"), event(warning, v1alpha2.ReasonTolerated, "typo", 1)},
			want:   []string{"Provisioned=False DriverRefused: no", "ProvisionFailed=True DriverRefused: no"},
		},
		"FinalBeforeEdit": {
			events: []client.Object{final("1")}, want: []string{pending, "ProvisionFailed=True DriverRefused: no"},
		},
		"FinalBeforeFailure": {
			events: []client.Object{final("2"), event(warning, v1alpha2.ReasonFailedCreateBucket, "DriverError: no disk", 1)},
			want:   []string{pending, "ProvisionFailed=True DriverError: no disk"},
		},
		"FinalBeforeWait": {
			events: []client.Object{final("2"), event(normal, v1alpha2.ReasonWaitingForDriver, "waiting", 1)},
			want:   []string{"Provisioned=Unknown WaitingForDriver: waiting", "ProvisionFailed=True DriverRefused: no"},
		},
		"FinalBeforeSuccess": {ready: true, events: []client.Object{final("2")}, want: []string{"Provisioned=True Provisioned"}},
		"Ready":              {ready: true, events: []client.Object{event(warning, "A", "1", 0)}, want: []string{"Provisioned=True Provisioned"}},
		"Deleted":            {deleting: true, events: []client.Object{event(warning, "A", "1", -time.Second)}, want: []string{pending}},
		"Deleting": {
			deleting: true, ready: true, events: []client.Object{event(warning, v1alpha2.ReasonFailedDeleteBucket, "DriverError: busy", 0)},
			want: []string{"Provisioned=True Provisioned", "ProvisionFailed=True DriverError: busy"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			of := b.DeepCopy()
			of.Status.BucketReady = tc.ready
			if tc.deleting {
				of.DeletionTimestamp = &midday
			}
			got := read(t, objectstorage.V1alpha1, hub.Options{}, append(tc.events, of)...).Buckets[0]
			if got.Status.ReadyToUse != (tc.ready && !tc.deleting) {
				t.Errorf("readyToUse is %t", got.Status.ReadyToUse)
			}
			var conditions []string
			for _, c := range got.Status.Conditions {
				text := c.Type + "=" + string(c.Status) + " " + c.Reason
				if c.Message != "" {
					text += ": " + c.Message
				}
				if conditions = append(conditions, text); c.ObservedGeneration != of.Generation {
					t.Errorf("%s is of generation %d, want %d", text, c.ObservedGeneration, of.Generation)
				}
			}
			if diff := cmp.Diff(tc.want, conditions); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestReference(t *testing.T) {
	for kind, o := range map[string]client.Object{
		"BucketClaim": &v1alpha2.BucketClaim{}, "Bucket": &v1alpha2.Bucket{}, "BucketAccess": &v1alpha2.BucketAccess{},
		"BucketClass": &v1alpha2.BucketClass{}, "BucketAccessClass": &v1alpha2.BucketAccessClass{},
	} {
		o.SetNamespace(namespace)
		o.SetName("a")
		for _, version := range objectstorage.Versions() {
			want := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "objectstorage.k8s.io/" + string(version), "kind": kind, "metadata": map[string]any{"namespace": namespace, "name": "a"},
			}}
			if diff := cmp.Diff(want, hub.Reference(version, o)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		}
	}
	s := &corev1.Secret{}
	if hub.Reference(objectstorage.V1alpha1, s) != client.Object(s) {
		t.Error("a Secret is not what it was")
	}
}

// TestReadAccess reads one access as Read does.
func TestReadAccess(t *testing.T) {
	for name, missing := range map[string]string{"Complete": "", "NoClass": "identity", "NoClaim": "photos", "NoBucket": "bucket-1"} {
		t.Run(name, func(t *testing.T) {
			objects := slices.DeleteFunc(complete(), func(o client.Object) bool { return o.GetName() == missing })
			c := clientWith(t, objects...)
			got, err := hub.ReadAccess(t.Context(), c, objectstorage.V1alpha1, client.ObjectKey{Namespace: namespace, Name: "app"})
			if err != nil {
				t.Fatal(err)
			}
			got.ResourceVersion = ""
			if diff := cmp.Diff(read(t, objectstorage.V1alpha1, hub.Options{}, objects...).Accesses[0], *got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
	want := hubOfComplete().Accesses[0]
	key := client.ObjectKeyFromObject(&want)
	got, err := hub.ReadAccess(t.Context(), clientWith(t, want.DeepCopy()), objectstorage.V1alpha2, key)
	if err != nil {
		t.Fatal(err)
	}
	got.ResourceVersion = ""
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("of v1alpha2: -want, +got:\n%s", diff)
	}
	for _, version := range objectstorage.Versions() {
		if _, err := hub.ReadAccess(t.Context(), clientWith(t), version, key); !apierrors.IsNotFound(err) {
			t.Errorf("of %s: error %v, want NotFound", version, err)
		}
	}
}
