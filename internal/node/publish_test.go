package node

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// forEach runs a test with the kinds of each version.
func forEach(t *testing.T, test func(t *testing.T, version objectstorage.Version)) {
	t.Helper()
	for _, version := range objectstorage.Versions() {
		t.Run(string(version), func(t *testing.T) { test(t, version) })
	}
}

// TestLife: a Pod gets the files of its access, the access is marked, and nothing is left afterwards.
// Design: CSI-NODE-2, CK-MOUNT-2
func TestLife(t *testing.T) {
	forEach(t, func(t *testing.T, version objectstorage.Version) {
		t.Helper()
		s := newScene(t, version)
		s.hasAll()
		node := s.service()
		s.Must(s.publish(node))
		want := map[string]string{
			"AWS_SECRET_ACCESS_KEY": "key-1", "COSI_S3_ACCESS_SECRET_KEY": "key-1", "BUCKET_NAME": "photos",
			"aws/credentials": "[default]\naws_access_key_id = id\naws_secret_access_key = key-1\n",
		}
		got := map[string]string{}
		for path := range want {
			got[path] = s.file(path)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		if info := s.file("BucketInfo"); !strings.Contains(info, `"accessSecretKey":"key-1"`) {
			t.Errorf("the BucketInfo is %s", info)
		}
		s.expectUsed()
		s.Must(s.unpublish(node))
		s.expectNothingLeft()
		s.Must(s.unpublish(node))
	})
}

// TestRotation: files follow the Secret, and a settled volume causes no write.
// Design: CSI-NODE-7
func TestRotation(t *testing.T) {
	s := newScene(t, objectstorage.V1alpha2)
	s.hasAll()
	s.Must(s.publish(s.service()))
	s.hasSecret("photos", "key-2")
	node := s.service()
	s.Must(s.publish(node))
	if got := s.file("AWS_SECRET_ACCESS_KEY"); got != "key-2" {
		t.Errorf("the key is %q, want key-2", got)
	}
	before, err := os.Readlink(filepath.Join(s.target, "..data"))
	s.Must(err)
	s.Requests.Reset()
	s.Must(s.publish(node))
	if writes := s.Requests.Writes(); len(writes) > 0 {
		t.Errorf("a settled volume writes: %v", writes)
	}
	if after, err := os.Readlink(filepath.Join(s.target, "..data")); err != nil || after != before {
		t.Errorf("the files were replaced by equal ones, %v", err)
	}
}

// TestModes: the files can be read by the group of the Pod, or as the attribute requires.
func TestModes(t *testing.T) {
	for name, tc := range map[string]struct {
		group, mode string
		want        fs.FileMode
	}{
		"Default": {"", "", 0o600},
		"Group":   {fmt.Sprint(os.Getgid()), "", 0o640},
		"Mode":    {"", "0444", 0o444},
		"Both":    {fmt.Sprint(os.Getgid()), "440", 0o440},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, objectstorage.V1alpha2)
			s.hasAll()
			request := s.request(func(attributes map[string]string) {
				if tc.mode != "" {
					attributes[AttributeMode] = tc.mode
				}
			})
			request.VolumeCapability.GetMount().VolumeMountGroup = tc.group
			_, err := s.service().NodePublishVolume(t.Context(), request)
			s.Must(err)
			info, err := os.Stat(filepath.Join(s.target, "AWS_SECRET_ACCESS_KEY"))
			if err != nil || info.Mode() != tc.want {
				t.Errorf("the file is %v, %v; want %v", info, err, tc.want)
			}
		})
	}
}

// TestSeveralBuckets: each bucket has a directory, or the volume has the one that an attribute selects.
func TestSeveralBuckets(t *testing.T) {
	s := newScene(t, objectstorage.V1alpha2)
	object := s.hasAccess("photos", "videos")
	s.hasSecret("photos", "key-1")
	s.hasSecret("videos", "key-2")
	s.isReady(object)
	node := s.service()
	s.Must(s.publish(node))
	got := []string{s.file("photos/AWS_SECRET_ACCESS_KEY"), s.file("videos/aws/credentials")}
	want := []string{"key-1", "[default]\naws_access_key_id = id\naws_secret_access_key = key-2\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	s.Must(s.unpublish(node))
	s.Must(s.publish(node, func(attributes map[string]string) { attributes[AttributeClaim] = "videos" }))
	if got := s.file("BUCKET_NAME"); got != "videos" {
		t.Errorf("the bucket is %q, want videos", got)
	}
}

// TestWaits: the call returns once the access is ready.
// Design: CSI-NODE-5, CK-MOUNT-5
func TestWaits(t *testing.T) {
	forEach(t, func(t *testing.T, version objectstorage.Version) {
		t.Helper()
		s := newScene(t, version)
		s.options.ReadyTimeout = harness.Timeout
		object := s.hasAccess("photos")
		s.hasSecret("photos", "key-1")
		published := make(chan error, 1)
		node := s.service()
		request := s.request()
		go func() {
			_, err := node.NodePublishVolume(t.Context(), request)
			published <- err
		}()
		harness.Until(t, "the node adapter watches the access", func(context.Context) (bool, error) {
			for _, request := range s.Requests.All() {
				if strings.Contains(request.Path, "bucketaccesses") && !strings.Contains(request.Path, "photos-rw") {
					return true, nil
				}
			}
			return false, nil
		})
		s.isReady(object)
		s.Must(harness.Receive(t, "the answer", published))
		if got := s.file("BUCKET_NAME"); got != "photos" {
			t.Errorf("the bucket is %q, want photos", got)
		}
	})
}

// TestRejected: the message, which the kubelet shows in an Event, has the cause, and nothing is left.
func TestRejected(t *testing.T) {
	attribute := func(name, value string) func(*scene) []func(map[string]string) {
		return func(s *scene) []func(map[string]string) {
			s.hasAll()
			return []func(map[string]string){func(attributes map[string]string) { attributes[name] = value }}
		}
	}
	tests := map[string]struct {
		given func(*scene) []func(map[string]string)
		code  codes.Code
		want  string
	}{
		"NoAccess": {
			func(*scene) []func(map[string]string) { return nil }, codes.NotFound, `bucketaccesses.objectstorage.k8s.io "photos-rw" not found`,
		},
		"NotReady": {
			func(s *scene) []func(map[string]string) {
				access, _ := s.hasAccess("photos").(*v1alpha2.BucketAccess)
				s.ModifyStatus(access, func() {
					condition.For(&access.Status.Conditions, 1).Set(v1alpha2.ConditionProvisioned, metav1.ConditionUnknown,
						v1alpha2.ReasonWaitingForBucket, `waiting for Bucket "b"`)
				})
				return nil
			}, codes.Unavailable, `photos-rw is not ready: WaitingForBucket: waiting for Bucket "b"`,
		},
		"DriverFails": {
			func(s *scene) []func(map[string]string) {
				access, _ := s.hasAccess("photos").(*v1alpha2.BucketAccess)
				s.ModifyStatus(access, func() {
					conditions := condition.For(&access.Status.Conditions, 1)
					conditions.Set(v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonDriverError, "m")
					conditions.Set(v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError, "quota exceeded")
				})
				return nil
			}, codes.Unavailable, "is not ready: DriverError: quota exceeded",
		},
		"NotReconciled": {
			func(s *scene) []func(map[string]string) { s.hasAccess("photos"); return nil },
			codes.Unavailable, "check that the COSI controller and the sidecar of its driver run",
		},
		"Deleting": {
			func(s *scene) []func(map[string]string) { s.Must(s.Delete(s.Context(), s.hasAll())); return nil },
			codes.Unavailable, "is not ready: it is being deleted",
		},
		"NoSecret": {
			func(s *scene) []func(map[string]string) { s.isReady(s.hasAccess("photos")); return nil },
			codes.NotFound, `secrets "photos" not found`,
		},
		"NoRights": {
			func(s *scene) []func(map[string]string) {
				s.hasAll()
				s.Remove(&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app"}})
				return nil
			}, codes.PermissionDenied, "the ServiceAccount of the Pod has no right to get BucketAccess",
		},
		"NoToken": {
			func(*scene) []func(map[string]string) {
				return []func(map[string]string){func(attributes map[string]string) { delete(attributes, attributeTokens) }}
			}, codes.InvalidArgument, "set spec.tokenRequests of the CSIDriver",
		},
		"WrongToken": {
			attribute(attributeTokens, `{"":{"token":"wrong"}}`), codes.Unauthenticated, "the API server rejects the token of the Pod",
		},
		"BrokenTokens":     {attribute(attributeTokens, "hidden"), codes.InvalidArgument, "is no JSON object of tokens by audience"},
		"Claim":            {attribute(AttributeClaim, "videos"), codes.InvalidArgument, "photos-rw has no such BucketClaim"},
		"Mode":             {attribute(AttributeMode, "1777"), codes.InvalidArgument, `volumeAttributes.mode "1777" must be octal digits`},
		"NoMode":           {attribute(AttributeMode, "0040"), codes.InvalidArgument, "let the owner read"},
		"UnknownAttribute": {attribute("bucketacess", "x"), codes.InvalidArgument, "unknown volumeAttributes.bucketacess: it must be"},
		"NoAttribute":      {attribute(AttributeAccess, ""), codes.InvalidArgument, "volumeAttributes.bucketAccess is required"},
		"Persistent":       {attribute(attributeEphemeral, "false"), codes.InvalidArgument, "only ephemeral inline volumes"},
		"NoPod":            {attribute(attributePodUID, ""), codes.InvalidArgument, "set spec.podInfoOnMount of the CSIDriver"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, objectstorage.V1alpha2)
			s.options.ReadyTimeout = 100 * time.Millisecond
			err := s.publish(s.service(), tc.given(s)...)
			if status.Code(err) != tc.code || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error is %v, want %s with %q", err, tc.code, tc.want)
			}
			s.expectNothingLeft()
		})
	}
}

// TestBlockVolume: a volume has files, and is no block device.
// Design: CK-MOUNT-4
func TestBlockVolume(t *testing.T) {
	s := newScene(t, objectstorage.V1alpha2)
	s.hasAll()
	request := s.request()
	request.VolumeCapability.AccessType = &csi.VolumeCapability_Block{Block: &csi.VolumeCapability_BlockVolume{}}
	_, err := s.service().NodePublishVolume(t.Context(), request)
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "block devices are unsupported") {
		t.Errorf("the error is %v", err)
	}
	s.expectNothingLeft()
}

// TestRepublishKeepsFiles: a Pod keeps its files when its access, the Secret, or both are gone or being deleted.
func TestRepublishKeepsFiles(t *testing.T) {
	secret := func(s *scene) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "photos"}}
	}
	for name, change := range map[string]func(s *scene, access client.Object){
		"AccessDeleting": func(s *scene, access client.Object) { s.Must(s.Delete(s.Context(), access)) },
		"AccessGone":     func(s *scene, access client.Object) { s.ForceRemove(access) },
		"SecretGone":     func(s *scene, _ client.Object) { s.Remove(secret(s)) },
		"BothGone":       func(s *scene, access client.Object) { s.Remove(secret(s)); s.ForceRemove(access) },
		"AnotherAccess": func(s *scene, access client.Object) {
			s.ForceRemove(access)
			s.isReady(s.hasAccess("photos"))
			s.hasSecret("photos", "another")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, objectstorage.V1alpha2)
			access := s.hasAll()
			s.Must(s.publish(s.service()))
			change(s, access)
			s.Must(s.publish(s.service()))
			if got := s.file("AWS_SECRET_ACCESS_KEY"); got != "key-1" {
				t.Errorf("the key is %q, want key-1", got)
			}
			s.Remove(s.pod)
			s.Must(s.unpublish(s.service()))
			s.expectNothingLeft()
		})
	}
}

// TestDeletedWhilePublishing: an access that is deleted after it was read is not used.
// Design: CK-ATTACH-17
func TestDeletedWhilePublishing(t *testing.T) {
	for name, remove := range map[string]func(*scene, client.Object){
		"Deleting": func(s *scene, access client.Object) { s.Must(s.Delete(s.Context(), access)) },
		"Gone":     func(s *scene, access client.Object) { s.ForceRemove(access) },
		"Another":  func(s *scene, access client.Object) { s.ForceRemove(access); s.isReady(s.hasAccess("photos")) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, objectstorage.V1alpha2)
			access := s.hasAll()
			node := s.service()
			node.records = beforeSave{node.records, func() { remove(s, access) }}
			err := s.publish(node)
			if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "it is being deleted") {
				t.Errorf("the error is %v", err)
			}
			s.expectNothingLeft()
		})
	}
}

// beforeSave does something before a record is saved, once.
type beforeSave struct {
	volume.Records

	do func()
}

func (b beforeSave) Save(record *volume.Record) error {
	if record.State == volume.Publishing {
		b.do()
	}
	return b.Records.Save(record)
}
