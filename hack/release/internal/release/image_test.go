package release_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/cosi-emu/cosi-emu/hack/release/internal/release"
)

// imageIndex returns the index of the archive with the OCI layout.
func imageIndex(t *testing.T) v1.ImageIndex {
	t.Helper()
	f, err := os.Open(filepath.Join(files(t), "cosi-emu_"+version+"_image.tar"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	dir := t.TempDir()
	untar(t, f, dir)
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// image returns the image for this machine from the archive.
func image(t *testing.T) v1.Image {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("images have programs for Linux")
	}
	found, err := find(imageIndex(t))
	if err != nil || found == nil {
		t.Fatalf("image for %s: %v, %v", runtime.GOARCH, found, err)
	}
	return found
}

// find searches for this machine's image in an index, and in the indexes there.
func find(index v1.ImageIndex) (v1.Image, error) {
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	for _, entry := range manifest.Manifests {
		if entry.MediaType.IsIndex() {
			nested, err := index.ImageIndex(entry.Digest)
			if err != nil {
				return nil, err
			}
			return find(nested)
		}
		if entry.Platform != nil && entry.Platform.OS == "linux" && entry.Platform.Architecture == runtime.GOARCH {
			return index.Image(entry.Digest)
		}
	}
	return nil, nil
}

// container applies the layers of the image to a directory, and returns commands that run its
// entrypoint there according to its configuration.
func container(t *testing.T) func(args ...string) *exec.Cmd {
	t.Helper()
	img := image(t)
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, layer := range layers {
		content, err := layer.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		untar(t, content, dir)
		_ = content.Close() // it is read
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "65532:65532" {
		t.Errorf("the user is %q, want one without rights", config.Config.User)
	}
	return func(args ...string) *exec.Cmd {
		cmd := within(t, dir, config.Config.Entrypoint[0], args...)
		cmd.Env, cmd.Dir = config.Config.Env, config.Config.WorkingDir
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65532, Gid: 65532}
		return cmd
	}
}

// TestImageName verifies the annotations from which a container tool and containerd take the name.
func TestImageName(t *testing.T) {
	manifest, err := imageIndex(t).IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"org.opencontainers.image.ref.name": version, "io.containerd.image.name": "ghcr.io/cosi-emu/cosi-emu:" + version,
	}
	if got := manifest.Manifests[0].Annotations; !maps.Equal(got, want) {
		t.Errorf("annotations %v, want %v", got, want)
	}
}

func TestImage(t *testing.T) {
	config, err := image(t).ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if got := config.Config.Entrypoint; len(got) != 1 || got[0] != release.Entrypoint {
		t.Errorf("the entrypoint is %q", got)
	}
	if got := config.Config.Labels["org.opencontainers.image.version"]; got != version || config.Architecture != runtime.GOARCH {
		t.Errorf("version %s for %s", got, config.Architecture)
	}
	text, err := container(t)("version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(text), "cosi-emu "+version) {
		t.Errorf("version: %v\n%s", err, text)
	}
}

// TestImageReadOnly runs the program of the image without the right to write to any directory: Pods have a
// read-only root file system.
func TestImageReadOnly(t *testing.T) {
	cmd := container(t)("sidecar", "--help")
	if err := filepath.WalkDir(cmd.SysProcAttr.Chroot, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o555) //nolint:gosec // in a directory of this test
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestImageUp starts an emulator in the image, and reaches it from outside with its printed
// address.
func TestImageUp(t *testing.T) {
	cmd := container(t)("up", "-o", "json", "--listen", "0.0.0.0")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var info struct {
		APIServer         string `json:"apiServer"`
		S3Endpoint        string `json:"s3Endpoint"`
		KubeconfigContent string `json:"kubeconfigContent"`
	}
	if err := json.NewDecoder(bufio.NewReader(stdout)).Decode(&info); err != nil {
		_ = cmd.Process.Kill() // the log explains the failure
		_ = cmd.Wait()
		t.Fatalf("%v\n%s", err, log.String())
	}
	client := clientOf(t, info.KubeconfigContent)
	for url, want := range map[string]int{
		info.APIServer + "/apis/objectstorage.k8s.io/v1alpha2/bucketclasses": http.StatusOK,
		info.S3Endpoint: http.StatusForbidden,
	} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Error(err)
			continue
		}
		_ = response.Body.Close() // the status is enough
		if response.StatusCode != want {
			t.Errorf("GET %s: status %d, want %d", url, response.StatusCode, want)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("up: %v\n%s", err, log.String())
	}
}

// clientOf returns a client with the keys of a kubeconfig. It trusts each server: package emulator
// tests the certificates.
func clientOf(t *testing.T, kubeconfig string) *http.Client {
	t.Helper()
	field := func(name string) []byte {
		found := regexp.MustCompile(name + `: (\S+)`).FindStringSubmatch(kubeconfig)
		if found == nil {
			t.Fatalf("the kubeconfig has no %s:\n%s", name, kubeconfig)
		}
		content, err := base64.StdEncoding.DecodeString(found[1])
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	pair, err := tls.X509KeyPair(field("client-certificate-data"), field("client-key-data"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(field("certificate-authority-data"))
	transport := &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: roots, Certificates: []tls.Certificate{pair}, InsecureSkipVerify: true, //nolint:gosec // S3 has another authority
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
