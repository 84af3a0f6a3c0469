package env_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	cosiapi "github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/emulator/env"
)

var key = client.ObjectKey{Namespace: "demo", Name: "rw"}

// access returns a BucketAccess for claims; the Secret of claim x is x-secret.
func access(ready bool, claims ...string) *cosiapi.BucketAccess {
	object := &cosiapi.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	for _, claim := range claims {
		object.Spec.BucketClaims = append(object.Spec.BucketClaims, cosiapi.BucketClaimAccess{
			BucketClaimName: claim, AccessSecretName: claim + "-secret",
		})
	}
	object.Status.ReadyToUse = ready
	return object
}

func secret(claim string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: claim + "-secret"},
		Data:       map[string][]byte{"BUCKET_NAME": []byte(claim), "AWS_DEFAULT_REGION": []byte("here-1"), "AWS_ACCESS_KEY_ID": []byte("AK")},
	}
}

func variables(claim string) []env.Variable {
	return []env.Variable{
		{Name: "AWS_ACCESS_KEY_ID", Value: "AK"},
		{Name: "AWS_DEFAULT_REGION", Value: "here-1"},
		{Name: "AWS_REGION", Value: "here-1"},
		{Name: "BUCKET_NAME", Value: claim},
	}
}

func newClient(t *testing.T, onGet func(), objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), cosiapi.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(&cosiapi.BucketAccess{}).
		WithInterceptorFuncs(interceptor.Funcs{Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, opts ...client.GetOption,
		) error {
			if onGet != nil {
				onGet()
			}
			return c.Get(ctx, key, object, opts...)
		}}).Build()
}

// KEP: FLOW-PODS-1
func TestForAccess(t *testing.T) {
	waiting := access(false, "a")
	waiting.Status.Conditions = []metav1.Condition{
		{Type: "ResourcesValidated", Status: metav1.ConditionUnknown, Message: "there is no BucketClaim a"},
	}
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	for name, tc := range map[string]struct {
		reason  string
		objects []client.Object
		claim   string
		want    []env.Variable
		err     func(error) bool
		says    []string
	}{
		"One":    {reason: "one claim needs no choice", objects: []client.Object{access(true, "a"), secret("a")}, want: variables("a")},
		"Named":  {reason: "it may be named", objects: []client.Object{access(true, "a"), secret("a")}, claim: "a", want: variables("a")},
		"Chosen": {reason: "one of several", objects: []client.Object{access(true, "a", "b"), secret("b")}, claim: "b", want: variables("b")},
		"NoChoice": {
			reason: "which of several?", objects: []client.Object{access(true, "a", "b")},
			says: []string{"demo/rw", "choose one of a, b"},
		},
		"Other": {
			reason: "none of its claims", objects: []client.Object{access(true, "a")}, claim: "x",
			says: []string{"demo/rw", "BucketClaim x", "for a"},
		},
		"Nothing": {reason: "there is no such access", err: apierrors.IsNotFound, says: []string{"BucketAccess demo/rw"}},
		"Waiting": {
			reason: "the conditions say what is missing", objects: []client.Object{waiting},
			err: is(env.ErrNotReady), says: []string{"demo/rw", "there is no BucketClaim a"},
		},
		"SecretGone": {
			reason: "COSI will make it again", objects: []client.Object{access(true, "a")},
			err: is(env.ErrNotReady), says: []string{"Secret demo/a-secret"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := env.ForAccess(t.Context(), newClient(t, nil, tc.objects...), key, tc.claim)
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

func TestWaitAccess(t *testing.T) {
	t.Run("BecomesReady", func(t *testing.T) {
		var c client.Client
		asked := 0
		c = newClient(t, func() {
			asked++
			if asked == 2 {
				ready := client.RawPatch(types.MergePatchType, []byte(`{"status": {"readyToUse": true}}`))
				if err := c.Status().Patch(t.Context(), access(false, "a"), ready); err != nil {
					t.Error(err)
				}
			}
		}, access(false, "a"), secret("a"))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		got, err := env.WaitAccess(ctx, c, key, "")
		if diff := cmp.Diff(variables("a"), got); diff != "" || err != nil {
			t.Errorf("WaitAccess(): %v; -want, +got:\n%s", err, diff)
		}
	})
	t.Run("NeverReady", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := env.WaitAccess(ctx, newClient(t, cancel, access(false, "a")), key, "")
		if !errors.Is(err, context.Canceled) || !errors.Is(err, env.ErrNotReady) {
			t.Errorf("WaitAccess() = %v, want both the end of the wait and its reason", err)
		}
	})
	t.Run("Hopeless", func(t *testing.T) {
		_, err := env.WaitAccess(t.Context(), newClient(t, nil), key, "")
		if !apierrors.IsNotFound(err) {
			t.Errorf("WaitAccess() = %v, want NotFound at once", err)
		}
	})
}
