package e2e_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/env"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// apiServer returns an API server without components, and a namespace of it.
func apiServer(t *testing.T) *cluster.Cluster {
	t.Helper()
	admin, err := cluster.Connect(controlplanetest.Start(t).AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	return &cluster.Cluster{TB: t, Client: admin, Namespace: controlplanetest.Namespace(t)}
}

// makeAccess creates the BucketAccess rw to claims, with a status. The Secret of
// claim x is x-secret.
func makeAccess(c *cluster.Cluster, status v1alpha2.BucketAccessStatus, claims ...string) *v1alpha2.BucketAccess {
	c.Helper()
	object := &v1alpha2.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: "rw"},
		Spec:       v1alpha2.BucketAccessSpec{BucketAccessClassName: "some", Protocol: v1alpha2.ProtocolS3, ServiceAccountName: "builder"},
	}
	for _, claim := range claims {
		object.Spec.BucketClaims = append(object.Spec.BucketClaims, v1alpha2.BucketClaimAccess{
			BucketClaimName: claim, AccessSecretName: claim + "-secret",
			AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
		})
	}
	c.Make(object)
	c.ModifyStatus(object, func() { object.Status = status })
	return object
}

func makeSecret(c *cluster.Cluster, claim string) {
	c.Helper()
	c.Make(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: claim + "-secret"},
		Data:       map[string][]byte{"BUCKET_NAME": []byte(claim), "AWS_DEFAULT_REGION": []byte("here-1"), "AWS_ACCESS_KEY_ID": []byte("AK")},
	})
}

func environmentOf(claim string) []env.Variable {
	return []env.Variable{
		{Name: "AWS_ACCESS_KEY_ID", Value: "AK"},
		{Name: "AWS_DEFAULT_REGION", Value: "here-1"},
		{Name: "BUCKET_NAME", Value: claim},
		{Name: "AWS_REGION", Value: "here-1", Added: "not in the Secret; added for SDKs that do not read AWS_DEFAULT_REGION"},
	}
}

var readyStatus = v1alpha2.BucketAccessStatus{ReadyToUse: true}

// KEP: FLOW-PODS-1
func TestEnvironment(t *testing.T) {
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	for name, tc := range map[string]struct {
		reason  string
		claims  []string // none is no BucketAccess
		status  v1alpha2.BucketAccessStatus
		secrets []string
		claim   string
		want    []env.Variable
		err     func(error) bool
		says    []string
	}{
		"One": {
			reason: "one claim needs no choice", claims: []string{"a"}, status: readyStatus, secrets: []string{"a"}, want: environmentOf("a"),
		},
		"Named": {
			reason: "it may be named", claims: []string{"a"}, status: readyStatus, secrets: []string{"a"}, claim: "a", want: environmentOf("a"),
		},
		"Chosen": {
			reason: "one of several", claims: []string{"a", "b"}, status: readyStatus, secrets: []string{"b"}, claim: "b", want: environmentOf("b"),
		},
		"NoChoice": {
			reason: "which of several?", claims: []string{"a", "b"}, status: readyStatus, says: []string{"/rw", "choose one of a, b"},
		},
		"Other": {
			reason: "none of its claims", claims: []string{"a"}, status: readyStatus, claim: "x", says: []string{"/rw", "BucketClaim x", "for a"},
		},
		"Nothing": {reason: "there is no such access", err: apierrors.IsNotFound, says: []string{"BucketAccess", "/rw"}},
		"Waiting": {
			reason: "it names what is missing", claims: []string{"a"},
			status: v1alpha2.BucketAccessStatus{Conditions: []metav1.Condition{{
				Type: v1alpha2.ConditionResourcesValidated, Status: metav1.ConditionUnknown, Reason: "Missing",
				Message: "there is no BucketClaim a", LastTransitionTime: metav1.Now(),
			}}},
			err: is(env.ErrNotReady), says: []string{"/rw", `BucketClaim "a" not found`},
		},
		"SecretGone": {
			reason: "COSI makes it again", claims: []string{"a"}, status: readyStatus,
			err: is(env.ErrNotReady), says: []string{"Secret", "/a-secret"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := apiServer(t)
			if len(tc.claims) > 0 {
				makeAccess(c, tc.status, tc.claims...)
			}
			for _, claim := range tc.secrets {
				makeSecret(c, claim)
			}
			got, err := env.ForAccess(t.Context(), c, objectstorage.V1alpha2, client.ObjectKey{Namespace: c.Namespace, Name: "rw"}, tc.claim)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			if (err != nil) != (tc.want == nil) || tc.err != nil && !tc.err(err) {
				t.Fatalf("%s: error %v", tc.reason, err)
			}
			for _, want := range tc.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: the error %q does not say %q", tc.reason, err, want)
				}
			}
		})
	}
}

// onGet calls a function after each Get.
type onGet struct {
	client.Client

	call func()
}

func (c onGet) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	err := c.Client.Get(ctx, key, object, opts...)
	c.call()
	return err
}

func TestEnvironmentIsWaitedFor(t *testing.T) {
	t.Run("BecomesReady", func(t *testing.T) {
		c := apiServer(t)
		access := makeAccess(c, v1alpha2.BucketAccessStatus{}, "a")
		makeSecret(c, "a")
		asked := 0
		watched := onGet{c, func() {
			asked++
			if asked == 1 {
				c.ModifyStatus(access, func() { access.Status.ReadyToUse = true })
			}
		}}
		got, err := env.WaitAccess(t.Context(), watched, objectstorage.V1alpha2, client.ObjectKeyFromObject(access), "")
		if diff := cmp.Diff(environmentOf("a"), got); diff != "" || err != nil {
			t.Errorf("WaitAccess(): %v; -want, +got:\n%s", err, diff)
		}
	})
	t.Run("NeverReady", func(t *testing.T) {
		c := apiServer(t)
		access := makeAccess(c, v1alpha2.BucketAccessStatus{}, "a")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := env.WaitAccess(ctx, onGet{c, cancel}, objectstorage.V1alpha2, client.ObjectKeyFromObject(access), "")
		if !errors.Is(err, context.Canceled) || !errors.Is(err, env.ErrNotReady) {
			t.Errorf("WaitAccess() = %v, want both the end of the wait and its reason", err)
		}
	})
	t.Run("Rejected", func(t *testing.T) {
		c := apiServer(t)
		access := makeAccess(c, v1alpha2.BucketAccessStatus{}, "a")
		claim := &v1alpha2.BucketClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: "a"},
			Spec:       v1alpha2.BucketClaimSpec{BucketClassName: "standard", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
		}
		c.Make(claim)
		c.ModifyStatus(claim, func() {
			claim.Status.Conditions = []metav1.Condition{{
				Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionFalse, Reason: v1alpha2.ReasonInvalidSpec, Message: "quotaBytes is odd",
				ObservedGeneration: claim.Generation, LastTransitionTime: metav1.Now(),
			}}
		})
		_, err := env.WaitAccess(t.Context(), c, objectstorage.V1alpha2, client.ObjectKeyFromObject(access), "")
		const want = `it has no credentials yet, COSI does not retry until an object is corrected: BucketClaim "a": quotaBytes is odd`
		if !errors.Is(err, env.ErrNotReady) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("WaitAccess() = %v, want at once: %s", err, want)
		}
	})
	t.Run("Hopeless", func(t *testing.T) {
		c := apiServer(t)
		_, err := env.WaitAccess(t.Context(), c, objectstorage.V1alpha2, client.ObjectKey{Namespace: c.Namespace, Name: "rw"}, "")
		if !apierrors.IsNotFound(err) {
			t.Errorf("WaitAccess() = %v, want NotFound at once", err)
		}
	})
}
