package embedded_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestQuotaOfFailedCreate: an object that is admitted and not stored does not use up a quota.
func TestQuotaOfFailedCreate(t *testing.T) {
	ctx, kube := testContext(t), client(t, start(t, controlplane.Options{}))
	quotas, secrets := kube.CoreV1().ResourceQuotas("default"), kube.CoreV1().Secrets("default")
	if _, err := quotas.Create(ctx, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "two"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"secrets": resource.MustParse("2")}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	used := func(want string) {
		t.Helper()
		harness.Eventually(t, "the quota", func(context.Context) error {
			quota, err := quotas.Get(ctx, "two", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if got, ok := quota.Status.Used["secrets"]; !ok || got.String() != want {
				return fmt.Errorf("%s Secrets are counted, want %s", got.String(), want)
			}
			return nil
		})
	}
	used("0")
	create := func(name string) error {
		_, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		return err
	}
	if err := create("first"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := create("first"); !apierrors.IsAlreadyExists(err) {
			t.Fatalf("got %v, want AlreadyExists", err)
		}
	}
	used("1")
	if err := create("second"); err != nil {
		t.Errorf("there is room for another Secret, but %v", err)
	}
	used("2")
}
