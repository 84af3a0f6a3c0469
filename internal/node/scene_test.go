package node

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

const nodeName = "node-1"

// scene is a node with a Pod, its ServiceAccount, its access, and the Secret of the access.
type scene struct {
	*cluster.Cluster

	options  Options
	config   *rest.Config
	pod      *corev1.Pod
	token    string
	volumeID string
	target   string
}

func newScene(t *testing.T, version objectstorage.Version) *scene {
	t.Helper()
	s := &scene{Cluster: cluster.New(t, version), volumeID: "csi-" + uuid.NewString()}
	dir := t.TempDir()
	s.target = filepath.Join(dir, "pods", "volumes", "photos", "mount")
	s.Must(os.MkdirAll(filepath.Dir(s.target), 0o700)) // as the kubelet does
	s.options = Options{
		Endpoint: "unix://" + filepath.Join(harness.SocketDir(t), "csi.sock"), NodeName: nodeName,
		StateDir: filepath.Join(dir, "state"), Medium: volume.Disk, API: version,
	}.withDefaults()
	s.config = s.Config(deploy.NodeServiceAccount)
	s.hasRights()
	s.pod = &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "web"},
		Spec:       corev1.PodSpec{ServiceAccountName: "app", Containers: []corev1.Container{{Name: "web", Image: "web"}}},
	}
	s.Make(s.pod)
	t.Cleanup(func() { s.ForceRemove(s.access()) })
	return s
}

// hasRights gives the rights of deploy/node to the adapter, and of deploy/node/example to the ServiceAccount of the Pod.
func (s *scene) hasRights() {
	s.Helper()
	files, err := deploy.NodeRBAC()
	s.Must(err)
	for _, file := range files {
		objects, err := manifest.Decode(file.Data)
		s.Must(err)
		s.Must(manifest.Apply(s.Context(), s.Client, objects))
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "node-" + s.Namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cosi-node"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: deploy.Namespace, Name: deploy.NodeServiceAccount}},
	}
	s.Make(binding)
	s.Cleanup(func() { s.ForceRemove(binding) })
	s.Make(
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app"}},
		&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app"}, Rules: []rbacv1.PolicyRule{
			{
				APIGroups: []string{v1alpha2.GroupName}, Resources: []string{"bucketaccesses"},
				ResourceNames: []string{"photos-rw"}, Verbs: []string{"get", "watch"},
			},
			{
				APIGroups: []string{""}, Resources: []string{"secrets"},
				ResourceNames: []string{"photos", "videos"}, Verbs: []string{"get"},
			},
		}},
		&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "app"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "app"},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: s.Namespace, Name: "app"}},
		})
	s.token = s.tokenOf("app")
}

func (s *scene) tokenOf(account string) string {
	s.Helper()
	request := &authenticationv1.TokenRequest{}
	object := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: account}}
	s.Must(s.SubResource("token").Create(s.Context(), object, request))
	return request.Status.Token
}

// service returns a new instance of the node adapter, as after a crash.
func (s *scene) service() *service {
	s.Helper()
	made, err := newService(s.config, s.options)
	s.Must(err)
	return made
}

// access returns an empty BucketAccess "photos-rw" of the version.
func (s *scene) access() client.Object {
	meta := metav1.ObjectMeta{Namespace: s.Namespace, Name: "photos-rw"}
	if s.options.API == objectstorage.V1alpha1 {
		return &v1alpha1.BucketAccess{ObjectMeta: meta}
	}
	return &v1alpha2.BucketAccess{ObjectMeta: meta}
}

// hasAccess makes the access to some claims. Its Secrets have the names of the claims.
func (s *scene) hasAccess(claims ...string) client.Object {
	s.Helper()
	object := s.access()
	object.SetFinalizers([]string{v1alpha2.ProtectionFinalizer}) // of the sidecar
	switch o := object.(type) {
	case *v1alpha1.BucketAccess:
		o.Spec = v1alpha1.BucketAccessSpec{BucketClaimName: claims[0], BucketAccessClassName: "keys", CredentialsSecretName: claims[0]}
	case *v1alpha2.BucketAccess:
		o.Spec = v1alpha2.BucketAccessSpec{BucketAccessClassName: "keys", Protocol: v1alpha2.ProtocolS3}
		for _, claim := range claims {
			o.Spec.BucketClaims = append(o.Spec.BucketClaims, v1alpha2.BucketClaimAccess{
				BucketClaimName: claim, AccessSecretName: claim,
				AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
			})
		}
	}
	s.Make(object)
	return object
}

// isReady marks the access as ready, as the sidecar does.
func (s *scene) isReady(object client.Object) {
	s.Helper()
	s.ModifyStatus(object, func() {
		switch o := object.(type) {
		case *v1alpha1.BucketAccess:
			o.Status.AccessGranted, o.Status.AccountID = true, "acc"
		case *v1alpha2.BucketAccess:
			o.Status.ReadyToUse, o.Status.AccountID = true, "acc"
		}
	})
}

// hasSecret makes or replaces the Secret of a claim, with an access key.
func (s *scene) hasSecret(claim, key string) {
	s.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: claim}}
	s.Remove(secret)
	secret.ResourceVersion = ""
	secret.StringData = map[string]string{
		"COSI_PROTOCOL": "S3", "BUCKET_NAME": claim, "AWS_ENDPOINT_URL": "http://s3", "AWS_DEFAULT_REGION": "r",
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": key,
	}
	if s.options.API == objectstorage.V1alpha1 {
		info, err := json.Marshal(v1alpha1.BucketInfo{Spec: v1alpha1.BucketInfoSpec{
			BucketName: claim, Protocols: []v1alpha1.Protocol{v1alpha1.ProtocolS3},
			SecretS3: &v1alpha1.SecretS3{Endpoint: "http://s3", Region: "r", AccessKeyID: "id", AccessSecretKey: key},
		}})
		s.Must(err)
		secret.StringData = map[string]string{"BucketInfo": string(info)}
	}
	s.Make(secret)
}

// hasAll makes an access to a bucket, ready to use.
func (s *scene) hasAll() client.Object {
	s.Helper()
	object := s.hasAccess("photos")
	s.hasSecret("photos", "key-1")
	s.isReady(object)
	return object
}

// request is a request as the kubelet sends it. The edits change its attributes.
func (s *scene) request(edits ...func(attributes map[string]string)) *csi.NodePublishVolumeRequest {
	s.Helper()
	tokens, err := json.Marshal(map[string]any{"": map[string]string{"token": s.token, "expirationTimestamp": "2030-01-02T03:04:05Z"}})
	s.Must(err)
	attributes := map[string]string{
		AttributeAccess: "photos-rw", attributeEphemeral: "true", attributePod: s.pod.Name, attributeNamespace: s.Namespace,
		attributePodUID: string(s.pod.UID), attributeTokens: string(tokens), kubeletPrefix + "serviceAccount.name": "app",
	}
	for _, edit := range edits {
		edit(attributes)
	}
	return &csi.NodePublishVolumeRequest{
		VolumeId: s.volumeID, TargetPath: s.target, VolumeContext: attributes, Readonly: true,
		VolumeCapability: &csi.VolumeCapability{
			AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{}},
			AccessMode: &csi.VolumeCapability_AccessMode{Mode: csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER},
		},
	}
}

func (s *scene) publish(on *service, edits ...func(map[string]string)) error {
	s.Helper()
	_, err := on.NodePublishVolume(harness.Context(s), s.request(edits...))
	return err
}

func (s *scene) unpublish(on *service) error {
	s.Helper()
	_, err := on.NodeUnpublishVolume(harness.Context(s), &csi.NodeUnpublishVolumeRequest{VolumeId: s.volumeID, TargetPath: s.target})
	return err
}

// file returns the content of a file of the volume, or the error.
func (s *scene) file(path string) string {
	text, err := os.ReadFile(filepath.Join(s.target, path))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// users returns the marks of the access.
func (s *scene) users() (users []string) {
	s.Helper()
	object := s.access()
	s.Must(client.IgnoreNotFound(s.Get(harness.Context(s), client.ObjectKeyFromObject(object), object)))
	for key, value := range object.GetAnnotations() {
		if strings.HasPrefix(key, v1alpha2.VolumeAnnotationPrefix) {
			users = append(users, value)
		}
	}
	return users
}

// expectUsed expects the mark of the Pod.
func (s *scene) expectUsed() {
	s.Helper()
	want := []string{v1alpha2.VolumeUser{Node: nodeName, Pod: s.pod.Name, PodUID: s.pod.UID}.String()}
	if diff := cmp.Diff(want, s.users()); diff != "" {
		s.Errorf("marks of the access (-want +got):\n%s", diff)
	}
}

// expectNothingLeft is the oracle of leaks: no mark, no record, no temporary file, no file of a volume, no mount.
func (s *scene) expectNothingLeft() {
	s.Helper()
	if users := s.users(); len(users) > 0 {
		s.Errorf("the access still has the marks %v", users)
	}
	dir := filepath.Dir(s.options.StateDir)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && (!entry.IsDir() || path == s.target) {
			s.Errorf("%s is left", path)
		}
		return err
	})
	s.Must(err)
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err == nil && strings.Contains(string(mounts), dir) {
		s.Errorf("a file system below %s is mounted", dir)
	}
}

// retried repeats an operation as the kubelet does.
func (s *scene) retried(what string, operation func() error) {
	s.Helper()
	harness.Eventually(s, what, func(context.Context) error { return operation() })
}
