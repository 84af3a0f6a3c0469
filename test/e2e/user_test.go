package e2e_test

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// TestOrdinaryUser checks that a Role in a user's own namespace suffices to get, use
// and give back a bucket. What administrators manage stays closed.
// KEP: USE-1, USE-3
func TestOrdinaryUser(t *testing.T) {
	cl := newTestCluster(t)
	cl.Make(cl.bucketClass(), cl.accessClass())
	user := cl.user("alice")

	claim, access := cl.claim("data"), cl.access("app", "data")
	user.Make(claim, access)
	user.WaitReady(claim, access)
	if got := user.Secret(secretOf(access, 0).Name)[v1alpha2.SecretKeyBucketName]; got != bucketID(claim) {
		t.Errorf("the Secret names the bucket %q, want %q", got, bucketID(claim))
	}

	class, accessClass, bucket := cl.bucketClass(), cl.accessClass(), cl.existing()
	for _, object := range []client.Object{class, accessClass, bucket} {
		if err := user.Create(t.Context(), object, client.DryRunAll); !apierrors.IsForbidden(err) {
			t.Errorf("create %T: %v, want forbidden", object, err)
		}
	}
	if err := user.Get(t.Context(), client.ObjectKeyFromObject(bucketOf(claim)), &v1alpha2.Bucket{}); !apierrors.IsForbidden(err) {
		t.Errorf("get the Bucket: %v, want forbidden", err)
	}

	user.Remove(access, claim)
	user.WaitGone(access, claim)
}

// user returns the client of a user with rights to claims, accesses and Secrets in
// the cluster's namespace alone.
func (cl *testCluster) user(name string) *cluster.Cluster {
	cl.Helper()
	in := metav1.ObjectMeta{Namespace: cl.Namespace, Name: name}
	cl.Make(
		&rbacv1.Role{ObjectMeta: in, Rules: []rbacv1.PolicyRule{
			{
				APIGroups: []string{v1alpha2.GroupName}, Resources: []string{"bucketclaims", "bucketaccesses"},
				Verbs: []string{"get", "list", "watch", "create", "delete"},
			},
			{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}},
		}},
		&rbacv1.RoleBinding{
			ObjectMeta: in,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
		},
	)
	cfg, err := cl.emu.ControlPlane().UserConfig(name, "system:authenticated")
	cl.Must(err)
	requests := &cluster.Requests{}
	cfg.Wrap(requests.Wrap)
	cl.Cleanup(requests.CloseIdle)
	c, err := cluster.Connect(cfg)
	cl.Must(err)
	return &cluster.Cluster{TB: cl.TB, Client: c, Namespace: cl.Namespace}
}
