package embedded_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// The paths of the objects that the seeds are about.
const (
	fuzzedClaims = "/apis/objectstorage.k8s.io/v1alpha2/namespaces/default/bucketclaims"
	fuzzedCore   = "/api/v1/namespaces/default/"
)

// FuzzRequest sends requests of all kinds. The server must not panic; a read must return each
// write that it accepted, and a write that it rejected must change nothing.
func FuzzRequest(f *testing.F) {
	const (
		claim = `{"apiVersion":"objectstorage.k8s.io/v1alpha2","kind":"BucketClaim","metadata":{"name":"c"},` +
			`"spec":{"bucketClassName":"k","protocols":["S3"]}}`
		secret    = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"k":"v"}}`
		plain     = "application/json"
		merge     = "application/merge-patch+json"
		patches   = "application/json-patch+json"
		strategic = "application/strategic-merge-patch+json"
		applied   = "application/apply-patch+yaml"
	)
	for _, seed := range [][5]string{
		{http.MethodPost, fuzzedClaims, "", plain, claim},
		{http.MethodPost, fuzzedClaims, "dryRun=All&fieldValidation=Strict", plain, claim},
		{http.MethodPut, fuzzedClaims + "/c", "", plain, claim},
		{http.MethodPatch, fuzzedClaims + "/c", "", merge, `{"metadata":{"labels":{"a":"b"},"finalizers":["cosi.example/a"]}}`},
		{http.MethodPatch, fuzzedClaims + "/c", "", patches, `[{"op":"replace","path":"/spec/protocols","value":["S4"]}]`},
		{http.MethodPatch, fuzzedClaims + "/c", "fieldManager=m&force=true", applied, claim},
		{http.MethodPatch, fuzzedClaims + "/c/status", "", merge, `{"status":{"readyToUse":true,"boundBucketName":"b"}}`},
		{http.MethodPatch, fuzzedClaims + "/c/status", "", merge, `{"status":[]}`},
		{http.MethodDelete, fuzzedClaims + "/c", "propagationPolicy=Foreground", plain, `{"preconditions":{"uid":"x"}}`},
		{http.MethodGet, fuzzedClaims, "limit=1&labelSelector=a%3Db&continue=e30", "", ""},
		{http.MethodGet, fuzzedClaims, "watch=1&resourceVersion=1&timeoutSeconds=1", "", ""},
		{http.MethodPost, fuzzedCore + "secrets", "", plain, secret},
		{http.MethodPatch, fuzzedCore + "secrets/s", "", strategic, `{"data":{"k":null},"immutable":true}`},
		{http.MethodPatch, fuzzedCore + "secrets/s", "", merge, `{"type":"kubernetes.io/tls"}`},
		{http.MethodPost, fuzzedCore + "configmaps", "", "application/yaml", "kind: ConfigMap\nmetadata: {generateName: a}\n"},
		{http.MethodPost, fuzzedCore + "events", "", plain, `{"metadata":{"name":"e"},"involvedObject":{"namespace":"default"}}`},
		{http.MethodPost, fuzzedCore + "pods", "", plain, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"b"}]}}`},
		{http.MethodPost, fuzzedCore + "serviceaccounts/default/token", "", plain, `{"spec":{"expirationSeconds":-1}}`},
		{http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "", plain, `{"spec":{}}`},
		{http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/clusterroles", "", plain, `{"metadata":{"name":"r"},"rules":[{}]}`},
		{http.MethodPost, "/api/v1/namespaces", "", "application/vnd.kubernetes.protobuf", "k8s\x00\x0a"},
		{http.MethodDelete, fuzzedCore + "secrets", "fieldSelector=metadata.name%3Ds", plain, `null`},
		{http.MethodGet, "/openapi/v3/apis/objectstorage.k8s.io/v1alpha2", "hash=x", "", ""},
		{http.MethodGet, "/apis/no.such.group/v1/things/..%2f..", "", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], []byte(seed[4]))
	}
	client := newFuzzClient(f)
	f.Fuzz(func(t *testing.T, method, path, query, contentType string, body []byte) {
		address := &url.URL{Scheme: "https", Host: "embedded", Path: path, RawQuery: query}
		if !isRequest(method, path, contentType) {
			t.Skip("it is no request of HTTP")
		}
		object := strings.TrimSuffix(strings.TrimSuffix(path, "/status"), "/finalize")
		before, existed := client.object(t, object)
		status, answer := client.send(t, method, address, contentType, body)
		if status == http.StatusInternalServerError && strings.Contains(string(answer), "panic") {
			t.Fatalf("%s %s: %s", method, address, answer)
		}
		if method == http.MethodGet || method == http.MethodDelete || address.Query().Has("dryRun") {
			return
		}
		if status >= http.StatusBadRequest {
			after, exists := client.object(t, object)
			if diff := cmp.Diff(before, after); diff != "" || exists != existed {
				t.Errorf("%s %s was rejected with %d, and changed the object: -before +after\n%s", method, address, status, diff)
			}
			return
		}
		client.checkWritten(t, method, object, answer)
	})
}

// isRequest reports whether an HTTP client can send a request with these parts.
func isRequest(method, path, contentType string) bool {
	return isMethod(method) && strings.HasPrefix(path, "/") && !strings.ContainsAny(contentType, "\r\n\x00")
}

func isMethod(method string) bool {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return true
	}
	return false
}

// fuzzClient sends requests to a control plane, as an administrator.
type fuzzClient struct{ http http.RoundTripper }

// newFuzzClient starts a control plane without controllers, which change objects by themselves.
func newFuzzClient(f *testing.F) *fuzzClient {
	f.Helper()
	kinds, err := crds.All()
	if err != nil {
		f.Fatal(err)
	}
	plane := start(f, controlplane.Options{CRDs: kinds, NoControllers: true})
	transport, err := rest.TransportFor(plane.InProcessConfig(controlplane.AdminUser, controlplane.AdminGroup))
	if err != nil {
		f.Fatal(err)
	}
	return &fuzzClient{transport}
}

// send returns the status and the body of an answer. Of a watch it returns no body.
func (c *fuzzClient) send(t *testing.T, method string, address *url.URL, contentType string, body []byte) (int, []byte) {
	t.Helper()
	ctx := harness.Context(t)
	request, err := http.NewRequestWithContext(ctx, method, address.String(), strings.NewReader(string(body)))
	if err != nil {
		t.Skip(err)
	}
	request.Header.Set("Content-Type", contentType)
	response, err := c.http.RoundTrip(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	defer response.Body.Close() //nolint:errcheck // nothing was written
	if address.Query().Has("watch") || strings.Contains(address.Path, "/watch/") {
		return response.StatusCode, nil
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	return response.StatusCode, answer
}

// object returns the object at a path.
func (c *fuzzClient) object(t *testing.T, path string) (map[string]any, bool) {
	t.Helper()
	status, answer := c.send(t, http.MethodGet, &url.URL{Scheme: "https", Host: "embedded", Path: path}, "", nil)
	var object map[string]any
	if status != http.StatusOK || json.Unmarshal(answer, &object) != nil || object["metadata"] == nil {
		return nil, false
	}
	return object, true
}

// checkWritten compares the answer to a write with a read. Objects that are not stored, such as
// reviews, have no resourceVersion.
func (c *fuzzClient) checkWritten(t *testing.T, method, path string, answer []byte) {
	t.Helper()
	var written map[string]any
	if json.Unmarshal(answer, &written) != nil {
		return
	}
	metadata, _ := written["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	if metadata["resourceVersion"] == nil || name == "" {
		return
	}
	if method == http.MethodPost {
		path = strings.TrimSuffix(path, "/") + "/" + name
	}
	stored, exists := c.object(t, path)
	if _, deleted := metadata["deletionTimestamp"]; deleted && !exists {
		return // the write removed the last finalizer
	}
	if diff := cmp.Diff(written, stored); diff != "" {
		t.Errorf("%s %s: -written +read\n%s", method, path, diff)
	}
}
