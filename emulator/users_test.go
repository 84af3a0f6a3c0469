package emulator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestRolesOfUsers: who has the ClusterRole view or edit in a namespace has COSI's
// namespaced kinds in it, and no others.
func TestRolesOfUsers(t *testing.T) {
	t.Parallel()
	s := newStory(t, emulatortest.Start(t, emulator.Options{}))
	for _, role := range []string{"view", "edit"} {
		s.create(&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.claim.Namespace, Name: role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "user-with-" + role}},
		})
	}
	for _, tc := range []struct {
		role, resource string
		want           []string
	}{
		{"view", "bucketclaims", []string{"get", "list", "watch"}},
		{"view", "bucketaccesses", []string{"get", "list", "watch"}},
		{"view", "bucketclaims/status", nil},
		{"view", "buckets", nil},
		{"edit", "bucketclaims", []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}},
		{"edit", "bucketaccesses", []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}},
		{"edit", "bucketclaims/status", nil},
		{"edit", "bucketclasses", nil},
	} {
		t.Run(tc.role+" of "+tc.resource, func(t *testing.T) {
			harness.Eventually(t, "the user has the rights", func(ctx context.Context) error {
				got, err := s.verbs(ctx, "user-with-"+tc.role, tc.resource)
				if diff := cmp.Diff(tc.want, got); diff != "" {
					return fmt.Errorf("verbs (-want +got):\n%s", diff)
				}
				return err
			})
		})
	}
}

// verbs returns the verbs that a user may use with a resource in the namespace of the story.
func (s *story) verbs(ctx context.Context, user, resource string) ([]string, error) {
	var allowed []string
	name, subresource, _ := strings.Cut(resource, "/")
	for _, verb := range []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"} {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user, Groups: []string{"system:authenticated"},
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: s.claim.Namespace, Verb: verb, Group: v1alpha2.SchemeGroupVersion.Group, Resource: name, Subresource: subresource,
			},
		}}
		if err := s.emu.Client().Create(ctx, review); err != nil {
			return nil, err
		}
		if review.Status.Allowed {
			allowed = append(allowed, verb)
		}
	}
	return allowed, nil
}

// TestQuotaOfClaims: a ResourceQuota limits the BucketClaims of a namespace, and a
// deleted one makes room for another.
func TestQuotaOfClaims(t *testing.T) {
	t.Parallel()
	s := newStory(t, emulatortest.Start(t, emulator.Options{}))
	const count corev1.ResourceName = "count/bucketclaims.objectstorage.k8s.io"
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.claim.Namespace, Name: "claims"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{count: resource.MustParse("1")}},
	}
	s.create(quota)
	awaitUsed := func(want int64) {
		t.Helper()
		harness.Eventually(t, fmt.Sprintf("the quota counts %d", want), func(ctx context.Context) error {
			err := s.emu.Client().Get(ctx, keyOf(quota), quota)
			if used, counted := quota.Status.Used[count]; !counted || used.Value() != want {
				return fmt.Errorf("status of the quota: %+v", quota.Status)
			}
			return err
		})
	}
	awaitUsed(0)
	s.create(s.claim)
	awaitUsed(1)
	second := s.claim.DeepCopy()
	second.ObjectMeta = metav1.ObjectMeta{Namespace: s.claim.Namespace, Name: "second"}
	// The API server enforces a quota only once it has seen its status.
	harness.Eventually(t, "the quota forbids a second claim", func(ctx context.Context) error {
		if err := s.emu.Client().Create(ctx, second.DeepCopy(), client.DryRunAll); !apierrors.IsForbidden(err) {
			return fmt.Errorf("create: got %v, want it to be forbidden", err) //nolint:errorlint // it may be nil
		}
		return nil
	})
	if err := s.emu.Client().Create(t.Context(), second.DeepCopy()); !apierrors.IsForbidden(err) {
		t.Errorf("a second claim: %v, want it to be forbidden by the quota", err)
	}
	s.delete(s.claim)
	s.waitGone(s.claim)
	awaitUsed(0)
	s.create(second)
}
