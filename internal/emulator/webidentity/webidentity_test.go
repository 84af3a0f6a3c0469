package webidentity_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	cosiapi "github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/webidentity"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/authorization"
)

const (
	driver = "fake.cosi-emu"
	token  = "a-token-that-nobody-may-see"
)

var errDown = errors.New("the API server is down")

// access returns one of ServiceAccount demo/builder, after a change.
func access(change func(*cosiapi.BucketAccess)) *cosiapi.BucketAccess {
	object := &cosiapi.BucketAccess{
		ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "photos-rw"},
		Spec:       cosiapi.BucketAccessSpec{ServiceAccountName: "builder"},
		Status: cosiapi.BucketAccessStatus{
			AccountID: "ba-1", DriverName: driver, AuthenticationType: cosiapi.AuthenticationTypeServiceAccount,
		},
	}
	change(object)
	return object
}

// review is what the API server says of the token.
func review(user string, audiences ...string) authenticationv1.TokenReviewStatus {
	return authenticationv1.TokenReviewStatus{
		Authenticated: true, User: authenticationv1.UserInfo{Username: user}, Audiences: audiences,
	}
}

func newClient(t *testing.T, says authenticationv1.TokenReviewStatus, fails error, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(authenticationv1.AddToScheme(scheme), cosiapi.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(_ context.Context, _ client.WithWatch, object client.Object, _ ...client.CreateOption) error {
			asked, ok := object.(*authenticationv1.TokenReview)
			if !ok || asked.Spec.Token != token || len(asked.Spec.Audiences) != 1 || asked.Spec.Audiences[0] != webidentity.Audience {
				t.Errorf("the API server was asked to create %+v", object)
				return errDown
			}
			asked.Status = says
			return fails
		},
	}).Build()
}

//nolint:lll // one case a line
func TestAccount(t *testing.T) {
	const user, audience = "system:serviceaccount:demo:builder", webidentity.Audience
	same := func(*cosiapi.BucketAccess) {}
	tests := map[string]struct {
		reason string
		says   authenticationv1.TokenReviewStatus
		fails  error
		change func(*cosiapi.BucketAccess)
		want   error
	}{
		"Good":          {reason: "Its own access.", says: review(user, audience), change: same},
		"NotValid":      {reason: "The API server says so.", says: authenticationv1.TokenReviewStatus{Error: "no"}, change: same, want: authorization.ErrIdentity},
		"OtherAudience": {reason: "For somebody else, who must not use it here.", says: review(user, "vault"), change: same, want: authorization.ErrIdentity},
		"NoAudience":    {reason: "Nobody has looked for whom it is.", says: review(user), change: same, want: authorization.ErrIdentity},
		"Person":        {reason: "Not a ServiceAccount.", says: review("demo:builder", audience), change: same, want: authorization.ErrIdentity},
		"Odd":           {reason: "Not a ServiceAccount.", says: review("system:serviceaccount:demo", audience), change: same, want: authorization.ErrIdentity},
		"Neighbour":     {reason: "Another ServiceAccount of the namespace.", says: review("system:serviceaccount:demo:web", audience), change: same, want: fakedriver.ErrNotExist},
		"Namesake":      {reason: "The same name in another namespace.", says: review("system:serviceaccount:other:builder", audience), change: same, want: fakedriver.ErrNotExist},
		"OtherName":     {reason: "No such access.", says: review(user, audience), change: func(a *cosiapi.BucketAccess) { a.Name = "photos-ro" }, want: fakedriver.ErrNotExist},
		"ByKey":         {reason: "Whoever has the key has access, and nobody else.", says: review(user, audience), change: func(a *cosiapi.BucketAccess) { a.Status.AuthenticationType = cosiapi.AuthenticationTypeKey }, want: fakedriver.ErrNotExist},
		"OtherDriver":   {reason: "Its accounts are none of ours.", says: review(user, audience), change: func(a *cosiapi.BucketAccess) { a.Status.DriverName = "other" }, want: fakedriver.ErrNotExist},
		"NotGranted":    {reason: "There is no account yet.", says: review(user, audience), change: func(a *cosiapi.BucketAccess) { a.Status.AccountID = "" }, want: fakedriver.ErrNotExist},
		"BeingDeleted":  {reason: "It is on its way out.", says: review(user, audience), change: beingDeleted, want: fakedriver.ErrNotExist},
		"CannotBeAsked": {reason: "That says nothing of the token.", fails: errDown, change: same, want: errDown},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			directory := webidentity.New(newClient(t, tc.says, tc.fails, access(tc.change)), driver)
			got, err := directory.Account(t.Context(), token, "photos-rw")
			if !errors.Is(err, tc.want) || (err == nil) != (got == "ba-1") {
				t.Errorf("%s\nAccount() = %q, %v; want an error: %v", tc.reason, got, err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), token) {
				t.Errorf("%s\nthe error has the token", tc.reason)
			}
		})
	}
}

func beingDeleted(access *cosiapi.BucketAccess) {
	access.DeletionTimestamp, access.Finalizers = new(metav1.Now()), []string{cosiapi.ProtectionFinalizer}
}
