package planetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/certs"
)

func (f *fixture) testIdentities(t *testing.T) {
	kubeconfig := must(clientcmd.RESTConfigFromKubeConfig(f.plane.Kubeconfig()))(t)
	alice := must(f.plane.UserConfig("alice", "painters"))(t)
	impersonated := rest.CopyConfig(f.config)
	impersonated.Impersonate = rest.ImpersonationConfig{UserName: "bob", Groups: []string{"plumbers"}}
	for name, test := range map[string]struct {
		config *rest.Config
		want   authenticationv1.UserInfo
	}{
		"Kubeconfig": {kubeconfig, authenticationv1.UserInfo{
			Username: "cosi-emu-admin", Groups: []string{"system:masters", "system:authenticated"},
		}},
		"User":         {alice, authenticationv1.UserInfo{Username: "alice", Groups: []string{"painters", "system:authenticated"}}},
		"Impersonated": {impersonated, authenticationv1.UserInfo{Username: "bob", Groups: []string{"plumbers", "system:authenticated"}}},
		"InProcess": {f.plane.InProcessConfig("alice", "painters"), authenticationv1.UserInfo{
			Username: "alice", Groups: []string{"painters", "system:authenticated"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if test.config == nil {
				t.Skip("the API server is not in this process")
			}
			got := whoAmI(t, test.config)
			if diff := cmp.Diff(test.want, authenticationv1.UserInfo{Username: got.Username, Groups: got.Groups}); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	t.Run("Anonymous", func(t *testing.T) {
		anonymous := kubernetes.NewForConfigOrDie(rest.AnonymousClientConfig(f.config))
		_, err := anonymous.CoreV1().Namespaces().List(testContext(t), metav1.ListOptions{})
		if !apierrors.IsForbidden(err) {
			t.Errorf("got %v, want Forbidden", err)
		}
		if _, err := anonymous.Discovery().ServerVersion(); err != nil {
			t.Errorf("the version: %v", err)
		}
	})
}

// testForeignCertificate has a client with a certificate of another authority.
func (f *fixture) testForeignCertificate(t *testing.T) {
	pair := must(must(certs.New())(t).NewClient("cosi-emu-admin", "system:masters"))(t)
	foreign := rest.AnonymousClientConfig(f.config)
	foreign.CertData, foreign.KeyData = pair.CertificatePEM, pair.KeyPEM
	_, err := kubernetes.NewForConfigOrDie(foreign).CoreV1().Namespaces().List(testContext(t), metav1.ListOptions{})
	if !apierrors.IsUnauthorized(err) {
		t.Errorf("got %v, want Unauthorized", err)
	}
}

func whoAmI(t *testing.T, cfg *rest.Config) authenticationv1.UserInfo {
	t.Helper()
	review := must(kubernetes.NewForConfigOrDie(cfg).AuthenticationV1().SelfSubjectReviews().
		Create(testContext(t), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{}))(t)
	return review.Status.UserInfo
}

// tokens are of a ServiceAccount. One of them is bound to a Secret.
type tokens struct {
	*fixture
	namespace  string
	account    *corev1.ServiceAccount
	secret     *corev1.Secret
	own, bound string
}

func (f *fixture) testTokens(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	s := &tokens{fixture: f, namespace: namespace}
	s.account = must(s.accounts().Create(ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "app"}}, metav1.CreateOptions{}))(t)
	s.secret = must(f.kube.CoreV1().Secrets(namespace).Create(ctx,
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "bound"}}, metav1.CreateOptions{}))(t)
	s.own = s.issue(t, authenticationv1.TokenRequestSpec{})
	s.bound = s.issue(t, authenticationv1.TokenRequestSpec{BoundObjectRef: &authenticationv1.BoundObjectReference{
		APIVersion: "v1", Kind: "Secret", Name: s.secret.Name, UID: s.secret.UID,
	}})
	t.Run("AsUser", s.testAsUser)
	t.Run("Review", s.testReview)
	t.Run("TooShort", s.testTooShort)
	t.Run("EndWithObject", s.testEndWithObject)
	t.Run("EndWithAccount", s.testEndWithAccount)
}

func (ts *tokens) accounts() corev1client.ServiceAccountInterface {
	return ts.kube.CoreV1().ServiceAccounts(ts.namespace)
}

// username returns the name that the ServiceAccount has as a user.
func (ts *tokens) username() string { return "system:serviceaccount:" + ts.namespace + ":app" }

func (ts *tokens) issue(t *testing.T, spec authenticationv1.TokenRequestSpec) string {
	t.Helper()
	request := &authenticationv1.TokenRequest{Spec: spec}
	return must(ts.accounts().CreateToken(testContext(t), "app", request, metav1.CreateOptions{}))(t).Status.Token
}

func (ts *tokens) review(t *testing.T, token string, audiences ...string) authenticationv1.TokenReviewStatus {
	t.Helper()
	return must(ts.kube.AuthenticationV1().TokenReviews().Create(testContext(t), &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: audiences},
	}, metav1.CreateOptions{}))(t).Status
}

func (ts *tokens) testAsUser(t *testing.T) {
	cfg := rest.AnonymousClientConfig(ts.config)
	cfg.BearerToken = ts.own
	got := whoAmI(t, cfg)
	want := []string{"system:serviceaccounts", "system:serviceaccounts:" + ts.namespace, "system:authenticated"}
	if diff := cmp.Diff(want, got.Groups); diff != "" || got.Username != ts.username() || got.UID != string(ts.account.UID) {
		t.Errorf("got user %+v; groups -want +got\n%s", got, diff)
	}
	cfg.BearerToken = ts.own + "x"
	_, err := kubernetes.NewForConfigOrDie(cfg).CoreV1().Pods(ts.namespace).List(testContext(t), metav1.ListOptions{})
	if !apierrors.IsUnauthorized(err) {
		t.Errorf("a token that was changed: got %v, want Unauthorized", err)
	}
}

func (ts *tokens) testReview(t *testing.T) {
	if got := ts.review(t, ts.own); !got.Authenticated || got.User.Username != ts.username() {
		t.Errorf("got %+v", got)
	}
	if got := ts.review(t, ts.own, "other"); got.Authenticated || got.Error == "" {
		t.Errorf("for another audience: got %+v", got)
	}
	if got := ts.review(t, ts.issue(t, authenticationv1.TokenRequestSpec{Audiences: []string{"other"}}), "other"); !got.Authenticated {
		t.Errorf("for its audience: got %+v", got)
	}
	if got := ts.review(t, "nonsense"); got.Authenticated {
		t.Errorf("no token: got %+v", got)
	}
}

func (ts *tokens) testTooShort(t *testing.T) {
	_, err := ts.accounts().CreateToken(testContext(t), "app", &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(10))},
	}, metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		t.Errorf("got %v, want Invalid", err)
	}
}

func (ts *tokens) testEndWithObject(t *testing.T) {
	if got := ts.review(t, ts.bound); !got.Authenticated {
		t.Fatalf("before: %+v", got)
	}
	if err := ts.kube.CoreV1().Secrets(ts.namespace).Delete(testContext(t), ts.secret.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the bound token is invalid", func() bool { return !ts.review(t, ts.bound).Authenticated })
}

func (ts *tokens) testEndWithAccount(t *testing.T) {
	if err := ts.accounts().Delete(testContext(t), "app", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the token is invalid", func() bool { return !ts.review(t, ts.own).Authenticated })
}
