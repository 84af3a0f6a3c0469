package deploy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

const group = "objectstorage.k8s.io"

// TestRights asks the API server for every right of the components on COSI's kinds and on Secrets,
// in another namespace. The sidecar has the KEP's "Minimal Sidecar permissions": nothing on claims
// and classes, and no deletion except of Secrets. It lacks the rights in the KEP that it does not
// need.
// KEP: CHANGE-4, OVER-2, RBAC-1, RBAC-2, RBAC-3, RBAC-4, RBAC-5, FLOW-DELETE-4
func TestRights(t *testing.T) {
	c := connect(t)
	if err := manifest.Apply(t.Context(), c, deploytest.Build(t, "rbac")); err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]string{
		deploy.SidecarServiceAccount: {
			"buckets": "get list watch patch", "buckets/status": "patch",
			"bucketaccesses": "get list watch patch", "bucketaccesses/status": "patch", "bucketaccesses/finalizers": "update",
			"secrets": "get list watch create update patch delete",
		},
		deploy.ControllerServiceAccount: {
			"buckets":      "get list watch create patch delete",
			"bucketclaims": "get list watch patch", "bucketclaims/status": "patch",
			"bucketaccesses": "get list watch patch", "bucketaccesses/status": "patch",
			"bucketclasses": "get list watch", "bucketaccessclasses": "get list watch",
		},
	}
	for account, rights := range want {
		t.Run(account, func(t *testing.T) {
			expectRights(t, c, deploy.Namespace+":"+account, "somewhere", rights)
		})
	}
}

// TestSecureMetricsRights verifies that the components may authenticate and authorize readers of
// their metrics.
func TestSecureMetricsRights(t *testing.T) {
	c := connect(t)
	for _, dir := range []string{"rbac", "secure-metrics"} {
		if err := manifest.Apply(t.Context(), c, deploytest.Build(t, dir)); err != nil {
			t.Fatal(err)
		}
	}
	for _, account := range []string{deploy.ControllerServiceAccount, deploy.SidecarServiceAccount} {
		cfg, err := controlplanetest.Start(t).UserConfig("system:serviceaccount:"+deploy.Namespace+":"+account, "system:serviceaccounts")
		if err != nil {
			t.Fatal(err)
		}
		as, err := client.New(cfg, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, question := range []client.Object{
			&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: "unknown"}},
			&authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: "reader", NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "get"},
			}},
		} {
			if err := as.Create(t.Context(), question); err != nil {
				t.Errorf("%s asks: %v", account, err)
			}
		}
	}
}

// expectRights waits until the authorizer, which watches roles and bindings, grants an account exactly these verbs in a
// namespace, by resource.
func expectRights(t *testing.T, c client.Client, account, namespace string, want map[string]string) {
	t.Helper()
	harness.Eventually(t, "rights of "+account+" in "+namespace, func(context.Context) error {
		if diff := cmp.Diff(want, rightsIn(t, c, account, namespace)); diff != "" {
			return fmt.Errorf("-want, +got:\n%s", diff)
		}
		return nil
	})
}

func rightsIn(t *testing.T, c client.Client, account, namespace string) map[string]string {
	t.Helper()
	rights := map[string]string{}
	for _, resource := range []string{"buckets", "bucketclaims", "bucketaccesses", "bucketclasses", "bucketaccessclasses", "secrets"} {
		for _, subresource := range []string{"", "status", "finalizers"} {
			if verbs := allowed(t, c, account, namespace, resource, subresource); len(verbs) > 0 {
				rights[strings.TrimSuffix(resource+"/"+subresource, "/")] = strings.Join(verbs, " ")
			}
		}
	}
	return rights
}

func allowed(t *testing.T, c client.Client, account, namespace, resource, subresource string) []string {
	t.Helper()
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	return slices.DeleteFunc(verbs, func(verb string) bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:   "system:serviceaccount:" + account,
			Groups: []string{"system:serviceaccounts", "system:authenticated"},
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: namespace, Verb: verb, Group: group, Version: "*", Resource: resource, Subresource: subresource,
			},
		}}
		if resource == "secrets" {
			review.Spec.ResourceAttributes.Group = ""
		}
		if err := c.Create(t.Context(), review); err != nil {
			t.Fatal(err)
		}
		return !review.Status.Allowed
	})
}
