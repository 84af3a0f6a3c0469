package main_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/examples"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// The objects of the quickstart.
var (
	claimKey  = client.ObjectKey{Namespace: "demo", Name: "photos"}
	accessKey = client.ObjectKey{Namespace: "demo", Name: "photos-rw"}
	secretKey = client.ObjectKey{Namespace: "demo", Name: "photos-credentials"}
)

// cluster has a kubeconfig of an emulator, as kubectl does.
type cluster struct {
	t      *testing.T
	config *rest.Config
	client client.Client
}

func connect(t *testing.T, kubeconfig string) *cluster {
	t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return connectConfig(t, cfg)
}

func connectConfig(t *testing.T, cfg *rest.Config) *cluster {
	t.Helper()
	cfg.QPS = -1
	scheme, err := emulator.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{t: t, config: cfg, client: c}
}

// quickstart applies the example and returns the application's Secret.
func (c *cluster) quickstart() map[string]string {
	c.t.Helper()
	c.apply(string(examples.Quickstart))
	claim, access := &v1alpha2.BucketClaim{}, &v1alpha2.BucketAccess{}
	c.waitProvisioned(claimKey, claim, func() []metav1.Condition { return claim.Status.Conditions })
	c.waitProvisioned(accessKey, access, func() []metav1.Condition { return access.Status.Conditions })
	return c.secret()
}

// waitProvisioned is kubectl wait --for=condition=Provisioned.
func (c *cluster) waitProvisioned(key client.ObjectKey, object client.Object, conditions func() []metav1.Condition) {
	c.t.Helper()
	harness.Until(c.t, key.String()+" becomes Provisioned", func(ctx context.Context) (bool, error) {
		err := c.client.Get(ctx, key, object)
		return meta.IsStatusConditionTrue(conditions(), v1alpha2.ConditionProvisioned), err
	})
}

// secret returns the Secret as an application reads it.
func (c *cluster) secret() map[string]string {
	c.t.Helper()
	secret := &corev1.Secret{}
	if err := c.client.Get(c.t.Context(), secretKey, secret); err != nil {
		c.t.Fatal(err)
	}
	data := map[string]string{}
	for name, value := range secret.Data {
		data[name] = string(value)
	}
	return data
}

// remove is kubectl delete, which waits for the end of the deletion.
func (c *cluster) remove(key client.ObjectKey, object client.Object) {
	c.t.Helper()
	object.SetNamespace(key.Namespace)
	object.SetName(key.Name)
	if err := c.client.Delete(c.t.Context(), object); err != nil {
		c.t.Fatal(err)
	}
	harness.Until(c.t, key.String()+" goes", func(ctx context.Context) (bool, error) {
		err := c.client.Get(ctx, key, object)
		return err != nil, client.IgnoreNotFound(err)
	})
}

// removeClaim deletes the claim of the quickstart, and waits until its Bucket is deleted, too.
func (c *cluster) removeClaim() {
	c.t.Helper()
	claim, bucket := &v1alpha2.BucketClaim{}, &v1alpha2.Bucket{}
	if err := c.client.Get(c.t.Context(), claimKey, claim); err != nil {
		c.t.Fatal(err)
	}
	key := client.ObjectKey{Name: claim.Status.BoundBucketName}
	c.remove(claimKey, claim)
	harness.Until(c.t, "Bucket "+key.Name+" goes", func(ctx context.Context) (bool, error) {
		err := c.client.Get(ctx, key, bucket)
		return err != nil, client.IgnoreNotFound(err)
	})
}
