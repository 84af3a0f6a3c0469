package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/dialectdriver"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestSidecarBridge runs the sidecar with a driver of an earlier dialect that chooses its own IDs,
// over the life of a bucket and an access. The sidecar is killed in between, and the next one knows
// the IDs.
func TestSidecarBridge(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reason string
		place  func(h *home) []string
		stored func(h *home, c *cluster) int
	}{
		"Home": {
			reason: "no flag is needed on a laptop", place: func(*home) []string { return nil },
			stored: func(h *home, _ *cluster) int {
				return len(glob(h.t, filepath.Join(h.dir, "state", "cosi-emu", "bridge.d", dialectdriver.Name, "*.json")))
			},
		},
		"Directory": {
			reason: "as of 'cosi-emu bridge'", place: func(h *home) []string { return []string{"--state-dir", filepath.Join(h.dir, "ids")} },
			stored: func(h *home, _ *cluster) int { return len(glob(h.t, filepath.Join(h.dir, "ids", "*.json"))) },
		},
		"ConfigMaps": {
			reason: "as in a Pod, whose files are lost", place: func(*home) []string { return []string{"--namespace", "default"} },
			stored: func(h *home, c *cluster) int {
				list := &corev1.ConfigMapList{}
				err := c.client.List(h.t.Context(), list, client.MatchingLabels{bridge.ConfigMapLabel: dialectdriver.Name})
				if err != nil {
					h.t.Fatal(err)
				}
				return len(list.Items)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			t.Cleanup(func() { _ = os.RemoveAll(filepath.Join(h.dir, "state", "cosi-emu", "bridge.d")) }) // the next sidecar needs it
			info := h.up("--no-fake-driver")
			c := connect(t, info.Kubeconfig)
			driver := &dialectdriver.Driver{Dialect: dialects.OneMode, IDOf: func(name string) string { return "loc:" + name }}
			args := append([]string{"sidecar", "--kubeconfig", info.Kubeconfig, "--endpoint", driver.Listen(t)}, tc.place(h)...)
			first := h.start(args...)
			claim, access := c.claimFrom(dialectdriver.Name)
			c.waitProvisioned(client.ObjectKeyFromObject(claim), claim, func() []metav1.Condition { return claim.Status.Conditions })
			c.waitProvisioned(client.ObjectKeyFromObject(access), access, func() []metav1.Condition { return access.Status.Conditions })
			bucket, account := claim.Status.BoundBucketName, v1alpha2.AccountNameForAccess(access.UID)
			want := []string{"bucket loc:" + bucket + " of " + bucket, "account loc:" + account + " of " + account}
			if diff := cmp.Diff(want, driver.Left()); diff != "" {
				t.Errorf("what the driver has (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]string{"loc:" + bucket: "READ_WRITE"}, driver.Modes()); diff != "" {
				t.Errorf("modes (-want +got):\n%s", diff)
			}
			if n := tc.stored(h, c); n != 2 {
				t.Errorf("%s: %d IDs are stored, want 2", tc.reason, n)
			}
			kill(t, first.cmd.Process.Pid)
			first.wait()
			second := h.start(args...)
			c.remove(client.ObjectKeyFromObject(access), &v1alpha2.BucketAccess{})
			c.remove(client.ObjectKeyFromObject(claim), &v1alpha2.BucketClaim{})
			harness.Eventually(t, "the driver has nothing left", func(context.Context) error {
				if left := driver.Left(); left != nil {
					return fmt.Errorf("it has %v", left)
				}
				return nil
			})
			second.signal(os.Interrupt)
			if code := second.wait(); code != 0 || !strings.Contains(second.err.String(), "dialect one-mode") {
				t.Errorf("the sidecar ends with %d: %s", code, second.err.String())
			}
			h.must("down")
		})
	}
}

// TestSidecarBridgeOfV1alpha1: the sidecar of v1alpha2 serves a driver of v1alpha1.
func TestSidecarBridgeOfV1alpha1(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	driver := h.newOldDriver("-id-prefix", "arn:old:")
	info := h.up("--no-fake-driver")
	c := connect(t, info.Kubeconfig)
	h.start("sidecar", "--kubeconfig", info.Kubeconfig, "--endpoint", driver.socket, "--state-dir", filepath.Join(h.dir, "ids"))
	claim, access := c.claimFrom("old.example.com")
	c.waitProvisioned(client.ObjectKeyFromObject(access), access, func() []metav1.Condition { return access.Status.Conditions })
	c.remove(client.ObjectKeyFromObject(access), &v1alpha2.BucketAccess{})
	c.remove(client.ObjectKeyFromObject(claim), &v1alpha2.BucketClaim{})
	driver.expectNothing()
	h.must("down")
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// claimFrom creates classes of a driver, a claim, and an access to it.
func (c *cluster) claimFrom(driver string) (*v1alpha2.BucketClaim, *v1alpha2.BucketAccess) {
	c.t.Helper()
	meta := metav1.ObjectMeta{Namespace: "default", Name: "old"}
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: meta, Spec: v1alpha2.BucketClaimSpec{BucketClassName: "old", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	access := &v1alpha2.BucketAccess{ObjectMeta: meta, Spec: v1alpha2.BucketAccessSpec{
		BucketAccessClassName: "old", Protocol: v1alpha2.ProtocolS3,
		BucketClaims: []v1alpha2.BucketClaimAccess{{
			BucketClaimName: "old", AccessSecretName: "key", AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
		}},
	}}
	for _, object := range []client.Object{
		&v1alpha2.BucketClass{
			ObjectMeta: metav1.ObjectMeta{Name: "old"},
			Spec:       v1alpha2.BucketClassSpec{DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyDelete},
		},
		&v1alpha2.BucketAccessClass{
			ObjectMeta: metav1.ObjectMeta{Name: "old"},
			Spec: v1alpha2.BucketAccessClassSpec{
				DriverName: driver, AuthenticationType: v1alpha2.AuthenticationTypeKey,
			},
		}, claim, access,
	} {
		if err := c.client.Create(c.t.Context(), object); err != nil {
			c.t.Fatal(err)
		}
	}
	return claim, access
}
