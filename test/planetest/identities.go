package planetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func testIdentities(t *testing.T, f *fixture) {
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

func whoAmI(t *testing.T, cfg *rest.Config) authenticationv1.UserInfo {
	t.Helper()
	review := must(kubernetes.NewForConfigOrDie(cfg).AuthenticationV1().SelfSubjectReviews().
		Create(testContext(t), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{}))(t)
	return review.Status.UserInfo
}

func testTokens(t *testing.T, f *fixture) {
	ctx, namespace := testContext(t), f.namespace(t)
	accounts := f.kube.CoreV1().ServiceAccounts(namespace)
	account := must(accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "app"}}, metav1.CreateOptions{}))(t)
	secret := must(f.kube.CoreV1().Secrets(namespace).Create(ctx,
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "bound"}}, metav1.CreateOptions{}))(t)
	issue := func(spec authenticationv1.TokenRequestSpec) string {
		t.Helper()
		return must(accounts.CreateToken(ctx, "app", &authenticationv1.TokenRequest{Spec: spec}, metav1.CreateOptions{}))(t).Status.Token
	}
	own := issue(authenticationv1.TokenRequestSpec{})
	bound := issue(authenticationv1.TokenRequestSpec{BoundObjectRef: &authenticationv1.BoundObjectReference{
		APIVersion: "v1", Kind: "Secret", Name: secret.Name, UID: secret.UID,
	}})
	review := func(token string, audiences ...string) authenticationv1.TokenReviewStatus {
		t.Helper()
		return must(f.kube.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
			Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: audiences},
		}, metav1.CreateOptions{}))(t).Status
	}
	name := "system:serviceaccount:" + namespace + ":app"

	t.Run("AsUser", func(t *testing.T) {
		cfg := rest.AnonymousClientConfig(f.config)
		cfg.BearerToken = own
		got := whoAmI(t, cfg)
		want := []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"}
		if diff := cmp.Diff(want, got.Groups); diff != "" || got.Username != name || got.UID != string(account.UID) {
			t.Errorf("got user %+v; groups -want +got\n%s", got, diff)
		}
		cfg.BearerToken = own + "x"
		_, err := kubernetes.NewForConfigOrDie(cfg).CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if !apierrors.IsUnauthorized(err) {
			t.Errorf("a token that was changed: got %v, want Unauthorized", err)
		}
	})
	t.Run("Review", func(t *testing.T) {
		if got := review(own); !got.Authenticated || got.User.Username != name {
			t.Errorf("got %+v", got)
		}
		if got := review(own, "other"); got.Authenticated || got.Error == "" {
			t.Errorf("for another audience: got %+v", got)
		}
		if got := review(issue(authenticationv1.TokenRequestSpec{Audiences: []string{"other"}}), "other"); !got.Authenticated {
			t.Errorf("for its audience: got %+v", got)
		}
		if got := review("nonsense"); got.Authenticated {
			t.Errorf("no token: got %+v", got)
		}
	})
	t.Run("TooShort", func(t *testing.T) {
		_, err := accounts.CreateToken(ctx, "app", &authenticationv1.TokenRequest{
			Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(10))},
		}, metav1.CreateOptions{})
		if !apierrors.IsInvalid(err) {
			t.Errorf("got %v, want Invalid", err)
		}
	})
	t.Run("EndWithObject", func(t *testing.T) {
		if got := review(bound); !got.Authenticated {
			t.Fatalf("before: %+v", got)
		}
		if err := f.kube.CoreV1().Secrets(namespace).Delete(ctx, secret.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		until(t, "the bound token is invalid", func() bool { return !review(bound).Authenticated })
	})
	t.Run("EndWithAccount", func(t *testing.T) {
		if err := accounts.Delete(ctx, "app", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		until(t, "the token is invalid", func() bool { return !review(own).Authenticated })
	})
}
