package e2e_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/webidentity"
)

const (
	identityDriver = "fake.cosi-emu"
	identityToken  = "a-secret-token"
)

var errDown = errors.New("the API server is down")

// review is the API server's verdict on the token.
func review(user string, audiences ...string) authenticationv1.TokenReviewStatus {
	return authenticationv1.TokenReviewStatus{
		Authenticated: true, User: authenticationv1.UserInfo{Username: user}, Audiences: audiences,
	}
}

// reviewer answers TokenReviews. The test does not judge which tokens an API server accepts, and
// some answers come from other versions.
type reviewer struct {
	client.Client

	t     *testing.T
	says  authenticationv1.TokenReviewStatus
	fails error
}

func (r reviewer) Create(_ context.Context, object client.Object, _ ...client.CreateOption) error {
	asked, ok := object.(*authenticationv1.TokenReview)
	if !ok || asked.Spec.Token != identityToken || len(asked.Spec.Audiences) != 1 || asked.Spec.Audiences[0] != webidentity.Audience {
		r.t.Errorf("the API server was asked to create %+v", object)
		return errDown
	}
	asked.Status = r.says
	return r.fails
}

//nolint:lll // one case a line
func TestWebIdentity(t *testing.T) {
	const user, audience = "system:serviceaccount:demo:builder", webidentity.Audience
	same := func(*v1alpha2.BucketAccessStatus) {}
	tests := map[string]struct {
		reason string
		says   authenticationv1.TokenReviewStatus
		fails  error
		change func(*v1alpha2.BucketAccessStatus)
		ask    string // the BucketAccess that is asked for; rw by default
		gone   bool   // it is being deleted
		want   error
	}{
		"Good":          {reason: "Its own access.", says: review(user, audience), change: same},
		"NotValid":      {reason: "The API server says so.", says: authenticationv1.TokenReviewStatus{Error: "no"}, change: same, want: authorization.ErrIdentity},
		"OtherAudience": {reason: "The token is for another audience.", says: review(user, "vault"), change: same, want: authorization.ErrIdentity},
		"NoAudience":    {reason: "The review returned no audience.", says: review(user), change: same, want: authorization.ErrIdentity},
		"Person":        {reason: "Not a ServiceAccount.", says: review("demo:builder", audience), change: same, want: authorization.ErrIdentity},
		"Odd":           {reason: "Not a ServiceAccount.", says: review("system:serviceaccount:demo", audience), change: same, want: authorization.ErrIdentity},
		"Neighbour":     {reason: "Another ServiceAccount of the namespace.", says: review("system:serviceaccount:demo:web", audience), change: same, want: fakedriver.ErrNotExist},
		"Namesake":      {reason: "The same name in another namespace.", says: review("system:serviceaccount:other:builder", audience), change: same, want: fakedriver.ErrNotExist},
		"OtherName":     {reason: "No such access.", says: review(user, audience), change: same, ask: "ro", want: fakedriver.ErrNotExist},
		"ByKey":         {reason: "Only the key gives access.", says: review(user, audience), change: func(a *v1alpha2.BucketAccessStatus) { a.AuthenticationType = v1alpha2.AuthenticationTypeKey }, want: fakedriver.ErrNotExist},
		"OtherDriver":   {reason: "Its accounts are none of ours.", says: review(user, audience), change: func(a *v1alpha2.BucketAccessStatus) { a.DriverName = "other" }, want: fakedriver.ErrNotExist},
		"NotGranted":    {reason: "There is no account yet.", says: review(user, audience), change: func(a *v1alpha2.BucketAccessStatus) { a.AccountID = "" }, want: fakedriver.ErrNotExist},
		"BeingDeleted":  {reason: "It is on its way out.", says: review(user, audience), change: same, gone: true, want: fakedriver.ErrNotExist},
		"CannotBeAsked": {reason: "That says nothing of the token.", fails: errDown, change: same, want: errDown},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := apiServer(t)
			status := v1alpha2.BucketAccessStatus{
				AccountID: "ba-1", DriverName: identityDriver, AuthenticationType: v1alpha2.AuthenticationTypeServiceAccount,
			}
			tc.change(&status)
			access := makeAccess(c, status, "a")
			if tc.gone {
				c.Modify(access, func() { access.Finalizers = []string{v1alpha2.ProtectionFinalizer} })
				t.Cleanup(func() { c.ForceRemove(access) })
				c.Remove(access)
			}
			// The namespace of the table is the test's.
			tc.says.User.Username = strings.ReplaceAll(tc.says.User.Username, "demo", c.Namespace)
			directory := webidentity.New(reviewer{Client: c, t: t, says: tc.says, fails: tc.fails}, identityDriver, objectstorage.V1alpha2)
			got, err := directory.Account(t.Context(), identityToken, cmp.Or(tc.ask, access.Name))
			if !errors.Is(err, tc.want) || (err == nil) != (got == "ba-1") {
				t.Errorf("%s\nAccount() = %q, %v; want an error: %v", tc.reason, got, err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), identityToken) {
				t.Errorf("%s\nthe error has the token", tc.reason)
			}
		})
	}
}
