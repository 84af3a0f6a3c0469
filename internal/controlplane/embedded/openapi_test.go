package embedded_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestOpenAPIFollowsDefinitions: both documents have the custom resources that exist when a client asks, also one that
// has asked before.
func TestOpenAPIFollowsDefinitions(t *testing.T) {
	config := start(t, controlplane.Options{NoControllers: true}).AdminConfig()
	if v2, v3 := describesClaims(t, config); v2 || v3 {
		t.Fatalf("before the definition exists: version 2 %t, version 3 %t; want neither", v2, v3)
	}
	definitions, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	if err := controlplane.InstallCRDs(t.Context(), config, definitions); err != nil {
		t.Fatal(err)
	}
	if v2, v3 := describesClaims(t, config); !v2 || !v3 {
		t.Errorf("when claims are served: version 2 %t, version 3 %t; want both", v2, v3)
	}
	extensions := apiextensionsclient.NewForConfigOrDie(config).CustomResourceDefinitions()
	for _, d := range definitions {
		if err := extensions.Delete(t.Context(), d.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	harness.Until(t, "documents without claims, whose definition was deleted", func(context.Context) (bool, error) {
		v2, v3 := describesClaims(t, config)
		return !v2 && !v3, nil
	})
}

// TestOpenAPIUnchanged: a client that has a document does not get it again.
func TestOpenAPIUnchanged(t *testing.T) {
	config := start(t, controlplane.Options{NoControllers: true}).AdminConfig()
	for _, path := range []string{"/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1"} {
		etag := ""
		for _, want := range []int{http.StatusOK, http.StatusNotModified} {
			var got int
			if got, etag = askAgain(t, config, path, etag); got != want {
				t.Errorf("%s: got %d, want %d", path, got, want)
			}
		}
	}
}

func describesClaims(t *testing.T, config *rest.Config) (v2, v3 bool) {
	t.Helper()
	client := discovery.NewDiscoveryClientForConfigOrDie(config)
	document, err := client.OpenAPISchema()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range document.GetDefinitions().GetAdditionalProperties() {
		v2 = v2 || strings.HasSuffix(d.GetName(), ".v1alpha2.BucketClaim")
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		t.Fatal(err)
	}
	_, v3 = paths["apis/objectstorage.k8s.io/v1alpha2"]
	return v2, v3
}

// askAgain sends a request of a client that has a document with an ETag.
func askAgain(t *testing.T, config *rest.Config, path, etag string) (status int, now string) {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("If-None-Match", etag)
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode, response.Header.Get("ETag")
}
