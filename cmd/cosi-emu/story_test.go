package main_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// story is an emulator from the first command to the last.
type story struct {
	*cluster
	home   *home
	info   instance.Info
	secret map[string]string
	bucket bucket
}

// TestStory follows the README as a new user, and checks the state in between.
func TestStory(t *testing.T) {
	t.Parallel()
	h := newHomeWithPrograms(t)
	info := h.up()
	s := &story{cluster: connect(t, info.Kubeconfig), home: h, info: info}
	follower := h.start("logs", "-f")

	s.secret = s.quickstart()
	s.bucket = openBucket(s.secret)
	s.useBucket()
	s.checkStatus()
	s.checkEnvironment()
	s.checkLogs()
	s.checkKubectl()
	s.checkFiles()
	s.deleteAccess()
	s.deleteClaim()
	s.remove(client.ObjectKey{Name: "demo"}, &corev1.Namespace{})

	if diff := cmp.Diff("emulator \"default\" is stopped\n", h.must("down")); diff != "" {
		t.Errorf("down: -want, +got:\n%s", diff)
	}
	if code := follower.wait(); code != 0 {
		t.Errorf("logs -f ended with %d when the emulator stopped: %s", code, follower.err.String())
	}
	if !strings.Contains(follower.out.String(), "sidecar") {
		t.Errorf("logs -f has shown nothing of the sidecar:\n%s", follower.out.String())
	}
	h.expectNothingLeft()
}

func (s *story) useBucket() {
	s.t.Helper()
	if diff := cmp.Diff([]string{
		"AWS_ACCESS_KEY_ID", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_S3_ADDRESSING_STYLE",
		"AWS_SECRET_ACCESS_KEY", "BUCKET_NAME", "COSI_PROTOCOL",
	}, slices.Sorted(maps.Keys(s.secret))); diff != "" {
		s.t.Errorf("keys of the Secret: -want, +got:\n%s", diff)
	}
	s.bucket.put(s.t, "hello.txt", "hello")
	if got := s.bucket.get(s.t, "hello.txt"); got != "hello" {
		s.t.Errorf("the object is %q", got)
	}
	listed, err := s.bucket.list(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"hello.txt"}, listed); diff != "" {
		s.t.Errorf("objects: -want, +got:\n%s", diff)
	}
}

func (s *story) checkStatus() {
	s.t.Helper()
	text := s.home.must("status")
	for _, want := range []string{`Emulator "default" is up`, s.info.Kubeconfig, s.info.APIServer, s.info.S3Endpoint, s.info.DriverEndpoint} {
		if !strings.Contains(text, want) {
			s.t.Errorf("status does not say %q:\n%s", want, text)
		}
	}
	info := s.home.info("status", "-o", "json")
	var names []string
	for _, c := range info.Components {
		names = append(names, c.Name+" "+string(c.State))
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{
		"controller Running", "driver Running", "etcd Running", "kube-apiserver Running",
		"kube-controller-manager Running", "sidecar Running", "store Running",
	}, names); diff != "" {
		s.t.Errorf("components: -want, +got:\n%s", diff)
	}
	if info.PID != s.info.PID {
		s.t.Errorf("status says process %d, up has said %d", info.PID, s.info.PID)
	}
}

func (s *story) checkLogs() {
	s.t.Helper()
	all := s.home.must("logs")
	for _, want := range []string{"DriverCreateBucket", "PutObject", "create buckets", "(incarnation 1)"} {
		if !strings.Contains(all, want) {
			s.t.Errorf("logs do not show %q", want)
		}
	}
	for line := range strings.Lines(s.home.must("logs", "sidecar", "--seam", "rpc", "-o", "json")) {
		var event journal.Event
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			s.t.Fatal(err)
		}
		if event.Component != "sidecar" || event.Seam != journal.SeamRPC {
			s.t.Errorf("logs sidecar --seam rpc shows %s", line)
		}
	}
	plane := s.home.must("logs", "kube-apiserver")
	if !strings.Contains(plane, "apiserver") {
		s.t.Errorf("logs kube-apiserver:\n%s", plane)
	}
	if key := s.secret[v1alpha2.SecretKeyS3SecretAccessKey]; strings.Contains(all+s.home.must("logs", "-o", "json")+plane, key) {
		s.t.Error("the secret key is in the logs")
	}
	s.checkLogsRefused()
}

func (s *story) checkLogsRefused() {
	s.t.Helper()
	unknown := s.home.run("logs", "kube-scheduler")
	if unknown.code != 2 || !strings.Contains(unknown.err, "etcd, kube-apiserver") {
		s.t.Errorf("logs of an unknown component: exit code %d, %s", unknown.code, unknown.err)
	}
	text := s.home.run("logs", "etcd", "-o", "json")
	if text.code != 2 || !strings.Contains(text.err, "plain text") {
		s.t.Errorf("logs of a process as json: exit code %d, %s", text.code, text.err)
	}
}

// checkFiles expects that other users cannot read the files of the emulator.
func (s *story) checkFiles() {
	s.t.Helper()
	err := filepath.WalkDir(s.info.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		// Files in a directory that other users cannot enter are safe; credentials and sockets are
		// protected themselves, too.
		file := !entry.IsDir() && (path == s.info.Kubeconfig || entry.Type() == os.ModeSocket || strings.HasSuffix(path, ".key"))
		if (file || entry.IsDir()) && info.Mode().Perm()&0o077 != 0 {
			s.t.Errorf("others have access to %s: %s", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
}

func (s *story) deleteAccess() {
	s.t.Helper()
	s.remove(accessKey, &v1alpha2.BucketAccess{})
	if code := s.bucket.rejection(s.t); code != "InvalidAccessKeyId" {
		s.t.Errorf("the store says %q to the key when the BucketAccess is gone", code)
	}
	if err := s.client.Get(s.t.Context(), secretKey, &corev1.Secret{}); !apierrors.IsNotFound(err) {
		s.t.Errorf("the Secret when the BucketAccess is gone: %v", err)
	}
}

func (s *story) deleteClaim() {
	s.t.Helper()
	s.removeClaim()
	buckets := &v1alpha2.BucketList{}
	if err := s.client.List(s.t.Context(), buckets); err != nil || len(buckets.Items) > 0 {
		s.t.Errorf("Buckets when BucketClaim and Bucket are gone: %v, %v", buckets.Items, err)
	}
	// The keys of the store are revoked, so the store lists its contents itself.
	id := s.secret[v1alpha2.SecretKeyBucketName]
	var done []string
	for line := range strings.Lines(s.home.must("logs", "--seam", "store", "-o", "json")) {
		var event journal.Event
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			s.t.Fatal(err)
		}
		if event.Operation.Subject == id && strings.HasSuffix(event.Operation.Name, "DeleteBucket") {
			done = append(done, event.Outcome)
		}
	}
	if diff := cmp.Diff([]string{journal.OutcomeOK}, done); diff != "" {
		s.t.Errorf("deletions of bucket %s in the store: -want, +got:\n%s", id, diff)
	}
}
