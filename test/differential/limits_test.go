package differential

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// limit draws the limits of a run: in some, a user has drawn rights, and a ResourceQuota is used up. It
// returns the user when both servers obey the limits. These do not change during the run:
// kube-apiserver decides by caches, which may be behind. Objects of the free kind have no quota.
func (d *differential) limit(t *testing.T, random *rand.Rand, kinds []*kind, free *kind, namespace string) (user string) {
	t.Helper()
	if random.IntN(2) == 0 {
		user = "limited-" + namespace
		d.grant(t, random, kinds, namespace, user)
	}
	// A quota of quotas would reject the second one.
	if k := pick(random, kinds); k != free && k.Resource != "resourcequotas" && random.IntN(2) == 0 {
		d.useUp(t, random, kinds, k, namespace)
	}
	return user
}

const rbac = "/apis/rbac.authorization.k8s.io/v1"

// grant gives a user drawn rights in the namespace, and one by which the test sees that they are in
// force.
func (d *differential) grant(t *testing.T, random *rand.Rand, kinds []*kind, namespace, user string) {
	t.Helper()
	rules := []any{map[string]any{"apiGroups": []string{"cosi.example"}, "resources": []string{"markers"}, "verbs": []string{"get"}}}
	for range 1 + random.IntN(3) {
		rules = append(rules, rule(random, kinds))
	}
	d.make(t, rbac+"/clusterroles", map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": user}, "rules": rules,
	})
	binding := map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": map[string]any{"name": user},
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}},
	}
	path, asked := rbac+"/namespaces/"+namespace+"/rolebindings", namespace
	binding["kind"] = "RoleBinding"
	if random.IntN(3) == 0 {
		path, asked = rbac+"/clusterrolebindings", ""
		binding["kind"] = "ClusterRoleBinding"
	}
	d.make(t, path, binding)
	review := request{
		Method: http.MethodPost, Path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", ContentType: "application/json", User: user,
		Body: text(map[string]any{
			"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
			"spec": map[string]any{"resourceAttributes": map[string]any{
				"group": "cosi.example", "resource": "markers", "verb": "get", "namespace": asked,
			}},
		}),
	}
	d.await(t, "the rights of "+user, review, func(r response) bool {
		body, _ := r.Body.(map[string]any)
		status, _ := body["status"].(map[string]any)
		return status["allowed"] == true
	})
}

// rule draws a rule about the kinds of a run, or about rights.
func rule(random *rand.Rand, kinds []*kind) map[string]any {
	k := pick(random, kinds)
	drawn := map[string]any{
		"apiGroups": []string{pick(random, []string{k.Group, k.Group, "rbac.authorization.k8s.io", "*"})},
		"resources": []string{
			pick(random, []string{k.Resource, k.Resource + "/status", "*", "*/status"}),
			pick(random, []string{k.Resource, "roles", "rolebindings", "clusterroles"}),
		},
		"verbs": []string{
			pick(random, []string{"create", "update", "patch", "*", "get"}),
			pick(random, []string{"list", "watch", "delete", "deletecollection", "create", "bind", "escalate"}),
		},
	}
	if random.IntN(3) == 0 {
		drawn["resourceNames"] = []string{pick(random, names)}
	}
	return drawn
}

// useUp creates a ResourceQuota for one kind of the run, with scopes now and then, that is used up. No
// controller counts, so the status is a part of the request.
func (d *differential) useUp(t *testing.T, random *rand.Rand, kinds []*kind, k *kind, namespace string) {
	t.Helper()
	constraint := constraintOf(k)
	if k.Group == "" && random.IntN(2) == 0 {
		constraint = k.Resource // as of old, for some kinds
	}
	spec := map[string]any{"hard": map[string]any{constraint: "3"}}
	if random.IntN(3) == 0 {
		scopes := []string{"BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "PriorityClass", "Other"}
		spec["scopes"] = []string{pick(random, scopes)}
	}
	d.quota(t, namespace, "limit", spec, pick(random, []string{"3", "4", "3", "unknown"}))
	// The quota that was made last is in force last. The run has no objects of its kind.
	other := d.kinds[slices.IndexFunc(d.kinds, func(k *kind) bool {
		return slices.Contains([]string{"configmaps", "serviceaccounts", "leases", "secrets"}, k.Resource) && !slices.Contains(kinds, k)
	})]
	d.quota(t, namespace, "marker", map[string]any{"hard": map[string]any{constraintOf(other): "0"}}, "0")
	d.await(t, "the quotas of "+namespace, request{
		Method: http.MethodPost, Path: other.path(namespace), ContentType: "application/json", Query: url.Values{"dryRun": {"All"}},
		Body: text(other.object(0, namespace, "one")),
	}, func(r response) bool { return r.Code == http.StatusForbidden })
}

// constraintOf returns the constraint of a quota that counts objects of a kind.
func constraintOf(k *kind) string {
	if k.Group == "" {
		return "count/" + k.Resource
	}
	return "count/" + k.Resource + "." + k.Group
}

// quota creates a quota whose status has so much in use. Both servers may reject it.
func (d *differential) quota(t *testing.T, namespace, name string, spec map[string]any, used string) {
	t.Helper()
	path := "/api/v1/namespaces/" + namespace + "/resourcequotas"
	body := map[string]any{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": map[string]any{"name": name}, "spec": spec}
	create := request{Method: http.MethodPost, Path: path, Object: path + "/" + name, ContentType: "application/json", Body: text(body)}
	if !d.same(t, create) || used == "unknown" {
		return
	}
	inUse := map[string]any{}
	for constraint := range spec["hard"].(map[string]any) { //nolint:forcetypeassert // this file makes it
		inUse[constraint] = used
	}
	d.same(t, request{
		Method: http.MethodPatch, Path: path + "/" + name + "/status", Object: path + "/" + name,
		ContentType: "application/merge-patch+json", Body: text(map[string]any{"status": map[string]any{"hard": spec["hard"], "used": inUse}}),
	})
}

// same sends a request that both servers must answer alike, and returns whether they fulfilled it.
func (d *differential) same(t *testing.T, r request) bool {
	t.Helper()
	diff, answers := d.compare(t, r)
	if diff != "" {
		d.found++
		t.Errorf("%s\n%s", r, diff)
	}
	return answers[0].Code < http.StatusMultipleChoices
}

// make creates an object that is valid.
func (d *differential) make(t *testing.T, path string, object map[string]any) {
	t.Helper()
	for i, answer := range d.mustDo(t, request{Method: http.MethodPost, Path: path, ContentType: "application/json", Body: text(object)}) {
		if answer.Code != http.StatusCreated {
			t.Fatalf("server %d: create %s: %v", i, text(object), answer)
		}
	}
}

// await repeats a request until both servers give the answer.
func (d *differential) await(t *testing.T, what string, r request, isReached func(response) bool) {
	t.Helper()
	harness.Eventually(t, what, func(context.Context) error {
		for i, answer := range d.mustDo(t, r) {
			if !isReached(answer) {
				return fmt.Errorf("server %d answers %d: %v", i, answer.Code, answer.Body)
			}
		}
		return nil
	})
}
