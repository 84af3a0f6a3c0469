package main_test

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestAzure runs the session of docs/azure.md: an application finds everything in the environment,
// also after a restart on another port, until its access is revoked.
func TestAzure(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	data := filepath.Join(h.dir, "data")
	flags := []string{"--protocols", "S3,Azure", "--data-dir", data}
	first := h.up(flags...)
	connect(t, first.Kubeconfig).apply(h.must("example", "--protocol", "Azure"))
	variables := h.awaitAccess("default")
	if want := first.AzureEndpoint + "/" + variables["AZURE_STORAGE_ACCOUNT"] + "/" + variables["BUCKET_NAME"] + "?"; !strings.HasPrefix(
		variables["AZURE_STORAGE_SAS_TOKEN"], want) {
		t.Errorf("the URI of the container does not start with %s", want)
	}
	blob := "/2026/hello.txt?"
	request := func(method, body string) (status int, content string) {
		t.Helper()
		target := strings.Replace(variables["AZURE_STORAGE_SAS_TOKEN"], "?", blob, 1)
		r, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Ms-Version", "2026-02-06")
		if method == http.MethodPut {
			r.Header.Set("X-Ms-Blob-Type", "BlockBlob")
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		read, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(read)
	}
	if status, said := request(http.MethodPut, "hello"); status != http.StatusCreated {
		t.Fatalf("Put Blob: %d %s", status, said)
	}
	h.must("down")

	second := h.up(flags...)
	harness.Until(t, "the URI is below "+second.AzureEndpoint, func(context.Context) (bool, error) {
		variables = h.awaitAccess("default")
		return strings.HasPrefix(variables["AZURE_STORAGE_SAS_TOKEN"], second.AzureEndpoint), nil
	})
	if status, content := request(http.MethodGet, ""); status != http.StatusOK || content != "hello" {
		t.Errorf("Get Blob after a restart: %d %s", status, content)
	}
	connect(t, second.Kubeconfig).remove(accessKey, &v1alpha2.BucketAccess{})
	if status, said := request(http.MethodGet, ""); status != http.StatusForbidden || !strings.Contains(said, "AuthenticationFailed") {
		t.Errorf("Get Blob after the revocation: %d %s", status, said)
	}
	h.must("down")
	h.expectNothingLeft()
}
