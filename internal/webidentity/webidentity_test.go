package webidentity_test

import (
	"context"
	"errors"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/webidentity"
)

const driver = "one.test"

type reviewer struct{ client.Client }

func (r reviewer) Create(ctx context.Context, object client.Object, opts ...client.CreateOption) error {
	review, ok := object.(*authenticationv1.TokenReview)
	if !ok {
		return r.Client.Create(ctx, object, opts...)
	}
	review.Status.Authenticated, review.Status.Audiences = true, []string{webidentity.Audience}
	review.Status.User.Username = "system:serviceaccount:shop:web"
	return nil
}

// TestAccountV1alpha1 looks up accesses of v1alpha1. test/e2e covers v1alpha2.
func TestAccountV1alpha1(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), objectstorage.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	type change = func(*v1alpha1.BucketAccess, *v1alpha1.BucketAccessClass)
	for name, tc := range map[string]struct {
		reason string
		change change
		found  bool
	}{
		"Granted": {reason: "It is for the ServiceAccount.", change: func(*v1alpha1.BucketAccess, *v1alpha1.BucketAccessClass) {}, found: true},
		"Key": {
			reason: "It has a key.",
			change: func(_ *v1alpha1.BucketAccess, c *v1alpha1.BucketAccessClass) {
				c.AuthenticationType = v1alpha1.AuthenticationTypeKey
			},
		},
		"Recorded": {
			reason: "The class is another one now, but not the grant.",
			change: func(a *v1alpha1.BucketAccess, c *v1alpha1.BucketAccessClass) {
				c.AuthenticationType = v1alpha1.AuthenticationTypeKey
				a.Annotations = map[string]string{v1alpha1.GrantAnnotation: `{"driverName":"` + driver + `","authenticationType":"IAM"}`}
			},
			found: true,
		},
		"OtherServiceAccount": {
			reason: "It is another's.",
			change: func(a *v1alpha1.BucketAccess, _ *v1alpha1.BucketAccessClass) { a.Spec.ServiceAccountName = "other" },
		},
		"OtherDriver": {
			reason: "Another driver has granted it.",
			change: func(_ *v1alpha1.BucketAccess, c *v1alpha1.BucketAccessClass) { c.DriverName = "two.test" },
		},
		"NotGranted": {
			reason: "It has no account.", change: func(a *v1alpha1.BucketAccess, _ *v1alpha1.BucketAccessClass) { a.Status.AccountID = "" },
		},
		"OtherNamespace": {
			reason: "A ServiceAccount is in the namespace of its accesses.",
			change: func(a *v1alpha1.BucketAccess, _ *v1alpha1.BucketAccessClass) { a.Namespace = "other" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			access := &v1alpha1.BucketAccess{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "app"},
				Spec:       v1alpha1.BucketAccessSpec{BucketAccessClassName: "identity", ServiceAccountName: "web"},
				Status:     v1alpha1.BucketAccessStatus{AccountID: "ba-1", AccessGranted: true},
			}
			class := &v1alpha1.BucketAccessClass{
				ObjectMeta: metav1.ObjectMeta{Name: "identity"}, DriverName: driver, AuthenticationType: v1alpha1.AuthenticationTypeIAM,
			}
			tc.change(access, class)
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(access, class).Build()
			got, err := webidentity.New(reviewer{c}, driver, objectstorage.V1alpha1).Account(t.Context(), "token", "app")
			if tc.found != (err == nil) || tc.found && got != "ba-1" || !tc.found && !errors.Is(err, fakedriver.ErrNotExist) {
				t.Errorf("%s Account() = %q, %v", tc.reason, got, err)
			}
		})
	}
}
