package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

func (h *home) variables(args ...string) map[string]string {
	h.t.Helper()
	variables := map[string]string{}
	if err := json.Unmarshal([]byte(h.must(append([]string{"env", "-o", "json"}, args...)...)), &variables); err != nil {
		h.t.Fatal(err)
	}
	return variables
}

// TestOnly starts the object store alone, with a fixed key and buckets of all protocols, and uses each with its variables.
func TestOnly(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	data := filepath.Join(h.dir, "data")
	args := []string{"--only", "s3,gcs,azure", "--bucket", "photos", "--bucket", "gcs:letters", "--bucket", "azure:files", "--data-dir", data}
	h.env = append(h.env, "COSI_EMU_S3_ROOT_KEY=test:testtest")
	info := h.up(append(args, "--s3-region", "us-west-2")...)
	h.env = h.env[:len(h.env)-1]
	expectStoreOnly(t, info)
	h.useS3()
	h.useGCS()
	h.useAzure()
	if logs := h.must("logs", "store"); !strings.Contains(logs, "PutObject photos/hello.txt") || strings.Contains(logs, "testtest") {
		t.Errorf("the log of the store is\n%s", logs)
	}
	h.must("down")
	h.expectNothingLeft()

	h.up(args...) // the directory has the key and the region
	if got := openBucket(h.variables("--bucket", "photos")).get(t, "hello.txt"); got != "hello" {
		t.Errorf("after a restart, the object is %q", got)
	}
	if key := h.variables()[v1alpha2.SecretKeyS3AccessKeyID]; key != "test" {
		t.Errorf("after a restart, the key is %s", key)
	}
	if region := h.variables()[v1alpha2.SecretKeyS3Region]; region != "us-west-2" {
		t.Errorf("after a restart, the region is %s", region)
	}
	h.must("down")
}

func expectStoreOnly(t *testing.T, info instance.Info) {
	t.Helper()
	for _, c := range info.Components {
		if !slices.Contains([]string{emulator.ComponentStore, emulator.ComponentGCS, emulator.ComponentAzure}, c.Name) {
			t.Errorf("component %s runs", c.Name)
		}
	}
	if info.Kubeconfig != "" || info.APIServer != "" || info.DriverName != "" {
		t.Errorf("there is more than the store: %+v", info)
	}
}

// TestOnlyCommands runs commands that require an API server, which report that, and status.
func TestOnlyCommands(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.up("--only", "s3", "--bucket", "photos")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"env", "--access", "demo/photos-rw"}, "has no API server"},
		{[]string{"ui"}, "has no API server"},
		{[]string{"orphans"}, "has no API server"},
		{[]string{"snapshot", "save", filepath.Join(h.dir, "x.snapshot")}, "has no API server"},
		{[]string{"env", "--bucket", "photo"}, `has no bucket photo: did you mean "photos"?`},
	} {
		if r := h.run(c.args...); r.code == 0 || !strings.Contains(r.err, c.want) {
			t.Errorf("%v: exit code %d, %s; want %q", c.args, r.code, r.err, c.want)
		}
	}
	if status := h.must("status"); !strings.Contains(status, "S3 endpoint") || strings.Contains(status, "kubeconfig") {
		t.Errorf("status is\n%s", status)
	}
	h.must("down")
}

// useS3 writes an object, and creates and deletes a bucket. A bucket with an object stays.
func (h *home) useS3() {
	h.t.Helper()
	photos := h.variables("--bucket", "photos")
	if photos[v1alpha2.SecretKeyS3AccessKeyID] != "test" || photos[v1alpha2.SecretKeyS3SecretAccessKey] != "testtest" {
		h.t.Errorf("the key is %s, and not the one of the environment", photos[v1alpha2.SecretKeyS3AccessKeyID])
	}
	b := openBucket(photos)
	b.put(h.t, "hello.txt", "hello")
	if _, err := b.client.CreateBucket(h.t.Context(), &s3.CreateBucketInput{Bucket: new("mine")}); err != nil {
		h.t.Errorf("create a bucket with the root key: %v", err)
	}
	for name, isEmpty := range map[string]bool{"mine": true, "photos": false} {
		if _, err := b.client.DeleteBucket(h.t.Context(), &s3.DeleteBucketInput{Bucket: &name}); (err == nil) != isEmpty {
			h.t.Errorf("delete bucket %s with the root key: %v", name, err)
		}
	}
}

func (h *home) useGCS() {
	h.t.Helper()
	v := h.variables("--bucket", "letters")
	header := http.Header{"Authorization": {"Bearer " + v[v1alpha2.SecretKeyGCSHMACAccessID] + ":" + v[v1alpha2.SecretKeyGCSHMACSecret]}}
	upload := v["COSI_GCS_ENDPOINT"] + "/upload/storage/v1/b/" + v[v1alpha2.SecretKeyBucketName] + "/o?uploadType=media&name=x"
	h.send(http.MethodPost, upload, header)
}

func (h *home) useAzure() {
	h.t.Helper()
	container, signature, _ := strings.Cut(h.variables("--bucket", "files")[v1alpha2.SecretKeyAzureSASToken], "?")
	h.send(http.MethodPut, container+"/x?"+signature, http.Header{"X-Ms-Blob-Type": {"BlockBlob"}})
}

// send sends a body, and expects success.
func (h *home) send(method, url string, header http.Header) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, url, strings.NewReader("content"))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header = header
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if answer, err := io.ReadAll(response.Body); err != nil || response.StatusCode >= http.StatusMultipleChoices {
		h.t.Errorf("%s %s: %s %s, %v", method, url, response.Status, answer, err)
	}
}

// TestOnlyListen serves other machines as a container does: without TLS, unless it is requested.
func TestOnlyListen(t *testing.T) {
	t.Parallel()
	for name, tls := range map[string]bool{"Plain": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			abroad := beyondLoopback(t)
			h := newHome(t)
			args := []string{"--only", "s3", "--listen", "0.0.0.0"}
			if tls {
				args = append(args, "--tls")
			}
			info := h.up(args...)
			if tls {
				expectTLS(t, info, abroad)
			} else if status, _ := get(t, at(t, info.S3Endpoint, abroad), nil); status != http.StatusForbidden {
				t.Errorf("an unsigned request: status %d, want 403", status)
			}
			h.must("down")
		})
	}
}

// TestOnlyExec runs a command with the variables of the first bucket.
func TestOnlyExec(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	got := h.must("exec", "--only", "s3", "--s3-root-key", "test:testtest", "--bucket", "photos", "--bucket", "videos",
		"--map", "S3_BUCKET=BUCKET_NAME", "--", "sh", "-c", "echo $AWS_ACCESS_KEY_ID $S3_BUCKET")
	if got != "test photos\n" {
		t.Errorf("the command prints %q", got)
	}
}

// TestOnlyRejects starts nothing for flags that exclude the object store alone.
func TestOnlyRejects(t *testing.T) {
	t.Parallel()
	expectRejected(t, map[string]invalidInput{
		"Protocol": {"It is misspelt.", command("up", "--only", "s4"), "", 2, []string{`protocol "s4" is unknown`, "S3, GCS, Azure"}},
		"Driver": {
			"No driver runs.", command("up", "-d", "--only", "s3", "--driver", "unix:///x.sock"), "", 2, []string{"--only and --driver exclude"},
		},
		"Cluster": {
			"No controller runs.", command("up", "--only", "s3", "--existing-cluster"), "", 2, []string{"--only and --existing-cluster exclude"},
		},
		"API": {
			"There are no kinds.", command("up", "--only", "s3", "--api", "v1alpha1"), "", 2, []string{"--only and --api exclude"},
		},
		"Protocols": {
			"--only has them.", command("up", "--only", "s3", "--protocols", "GCS"), "", 2, []string{"--only and --protocols exclude"},
		},
		"Access": {
			"There are no accesses.", command("exec", "--only", "s3", "--access", "a/b", "--", "true"), "", 2, []string{"--only and --access"},
		},
		"Port": {
			"Nothing listens there.", command("up", "--only", "s3", "--gcs-port", "9090"), "", 2, []string{"there is a GCS port"},
		},
		"Key": {
			"It has no secret.", command("up", "--only", "s3", "--s3-root-key", "test"), "", 2, []string{"must have the form ID:SECRET"},
		},
		"KeyVariable": {
			"It is too short.", command("up", "--only", "s3"), "COSI_EMU_S3_ROOT_KEY=test:abc", 2, []string{"COSI_EMU_S3_ROOT_KEY", "4 to 128"},
		},
		"Bucket": {"S3 has rules.", command("up", "--only", "s3", "--bucket", "My_Photos"), "", 2, []string{"--bucket", "My_Photos"}},
		"BucketGCS": {
			"No service has it.", command("up", "--only", "s3", "--bucket", "gcs:letters"), "", 2, []string{"GCS is not served; add it to --only"},
		},
		"BucketDriver": {
			"The store is not there.", command("up", "--no-fake-driver", "--bucket", "photos"), "", 2, []string{"--bucket", "your own driver"},
		},
		"Manifest": {"No API server reads it.", func(h *home) []string {
			h.writeInit("init", map[string]string{"claim.yaml": initManifests})
			return []string{"up", "--only", "s3", "--init", filepath.Join(h.dir, "init")}
		}, "", 2, []string{"--init", "has manifests", "no API server"}},
	})
}

// TestOnlyKeyIsSecret expects that the process in the background does not show the key of a variable.
func TestOnlyKeyIsSecret(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.env = append(h.env, "COSI_EMU_S3_ROOT_KEY=test:very-secret")
	info := h.up("--only", "s3")
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", info.PID))
	if err != nil {
		t.Skip("this system has no /proc")
	}
	if strings.Contains(string(line), "very-secret") {
		t.Errorf("the command line has the key: %q", line)
	}
	h.must("down")
}
