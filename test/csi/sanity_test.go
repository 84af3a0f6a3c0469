// Package csi_test runs csi-sanity, the tests of the Kubernetes storage community for CSI drivers, against the node
// adapter. It is a module of its own, because csi-sanity brings a test framework.
package csi_test

import (
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/kubernetes-csi/csi-test/v5/pkg/sanity"
	"github.com/onsi/ginkgo/v2" //nolint:depguard // csi-sanity requires it
	"github.com/onsi/gomega"    //nolint:depguard // csi-sanity requires it
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/node"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestSanity runs all tests of the services Identity and Node.
// Design: CSI-NODE-1, CSI-NODE-2, CSI-RPC-3
func TestSanity(t *testing.T) {
	// Not cluster.New: it would wait for the end of a goroutine that the test framework leaves.
	plane := controlplanetest.StartVersion(t, objectstorage.V1alpha2)
	admin, err := cluster.Connect(plane.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster.Cluster{TB: t, Client: admin, Namespace: controlplanetest.NamespaceIn(t, plane)}
	cfg, err := plane.UserConfig("system:serviceaccount:cosi-system:cosi-node", "system:serviceaccounts", "system:authenticated")
	c.Must(err)
	dir := harness.SocketDir(t)
	options := node.Options{
		Endpoint: "unix://" + filepath.Join(dir, "csi.sock"), NodeName: "node-1", StateDir: filepath.Join(dir, "state"), Medium: volume.Disk,
	}
	volumeContext := prepare(t, c)
	adapter, err := node.New(cfg, options)
	c.Must(err)
	c.Start(adapter)
	conn, err := grpc.NewClient(options.Endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	c.Must(err)
	front := filepath.Join(dir, "front.sock")
	serve(t, front, newController(conn, volumeContext))

	config := sanity.NewTestConfig()
	config.Address = "unix://" + front
	config.TargetPath, config.StagingPath = filepath.Join(dir, "mount"), filepath.Join(dir, "staging")
	run(t, &config)
	c.Must(conn.Close())
	expectNothingLeft(t, c, options.StateDir)
}

// run is sanity.Test without the tests of the Controller, which is not ours.
func run(t *testing.T, config *sanity.TestConfig) {
	t.Helper()
	tests := sanity.GinkgoTest(config)
	gomega.RegisterFailHandler(ginkgo.Fail)
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.SkipStrings = []string{"Controller Service", "GroupController Service"}
	ginkgo.RunSpecs(t, "csi-sanity", suite, reporter)
	tests.Finalize()
}

func serve(t *testing.T, socket string, c *controller) {
	t.Helper()
	listener, err := net.Listen("unix", socket) //nolint:noctx // binding does not wait
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	c.register(server)
	harness.ServeOn(t, server, listener)
}

// prepare makes a Pod with a ready access, and returns the context of its volume.
func prepare(t *testing.T, c *cluster.Cluster) map[string]string {
	t.Helper()
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: c.Namespace, Name: name} }
	admin := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"}
	access := &v1alpha2.BucketAccess{ObjectMeta: meta("photos-rw"), Spec: v1alpha2.BucketAccessSpec{
		BucketAccessClassName: "keys", Protocol: v1alpha2.ProtocolS3, BucketClaims: []v1alpha2.BucketClaimAccess{{
			BucketClaimName: "photos", AccessSecretName: "photos",
			AccessModes: v1alpha2.BucketAccessModes{ObjectData: v1alpha2.BucketAccessModeReadWrite},
		}},
	}}
	pod := &corev1.Pod{ObjectMeta: meta("web"), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}}}
	account, token := &corev1.ServiceAccount{ObjectMeta: meta("app")}, &authenticationv1.TokenRequest{}
	rights := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "sanity-" + c.Namespace}, RoleRef: admin,
		Subjects: []rbacv1.Subject{
			{Kind: "ServiceAccount", Namespace: "cosi-system", Name: "cosi-node"}, {Kind: "ServiceAccount", Namespace: c.Namespace, Name: "app"},
		},
	}
	c.Make(account, rights, pod, access, &corev1.Secret{ObjectMeta: meta("photos"), StringData: map[string]string{
		"COSI_PROTOCOL": "S3", "BUCKET_NAME": "photos", "AWS_ENDPOINT_URL": "http://s3", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key",
	}})
	t.Cleanup(func() { c.ForceRemove(rights) })
	c.ModifyStatus(access, func() { access.Status.ReadyToUse, access.Status.AccountID = true, "acc" })
	c.Must(c.SubResource("token").Create(t.Context(), account, token))
	tokens, err := json.Marshal(map[string]any{"": map[string]string{"token": token.Status.Token}})
	c.Must(err)
	return map[string]string{
		node.AttributeAccess: access.Name, "csi.storage.k8s.io/ephemeral": "true", "csi.storage.k8s.io/pod.name": pod.Name,
		"csi.storage.k8s.io/pod.namespace": c.Namespace, "csi.storage.k8s.io/pod.uid": string(pod.UID),
		"csi.storage.k8s.io/serviceAccount.tokens": string(tokens),
	}
}

func expectNothingLeft(t *testing.T, c *cluster.Cluster, state string) {
	t.Helper()
	records, err := fs.ReadDir(os.DirFS(state), ".")
	if err != nil || len(records) > 0 {
		t.Errorf("records of volumes are left: %v, %v", records, err)
	}
	access := &v1alpha2.BucketAccess{}
	c.Must(c.Get(t.Context(), client.ObjectKey{Namespace: c.Namespace, Name: "photos-rw"}, access))
	if pods := v1alpha2.PodsWithVolumes(access); len(pods) > 0 {
		t.Errorf("the access is marked as used by %v", pods)
	}
}
