package azure_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

const (
	owner   = "test.example.com"
	all     = "racwdltf"
	version = "2024-11-04"
)

// fixture is a service that is being served, with the container photos.
type fixture struct {
	store   *store.Store
	address string
	client  *http.Client
}

func serve(t *testing.T, options azure.Options) *fixture {
	t.Helper()
	return serveIn(t, options, store.Options{})
}

func serveIn(t *testing.T, options azure.Options, kept store.Options) *fixture {
	t.Helper()
	s, err := store.New(kept)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
	})
	options.Store = s
	service, err := azure.New(options)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableCompression: true}
	f := &fixture{store: s, address: "http://" + harness.Serve(t, service.Serve), client: &http.Client{Transport: transport}}
	t.Cleanup(transport.CloseIdleConnections)
	f.container(t, "photos")
	return f
}

func (f *fixture) container(t *testing.T, name string) {
	t.Helper()
	spec := fakedriver.BucketSpec{Name: name, Owner: owner, Protocol: fakedriver.ProtocolAzure}
	if _, err := f.store.CreateBucket(t.Context(), spec); err != nil {
		t.Fatalf("CreateBucket(%q): %v", name, err)
	}
}

func (f *fixture) account(t *testing.T, id string, grant fakedriver.Grant) fakedriver.Credentials {
	t.Helper()
	c, err := f.store.PutAccount(t.Context(), fakedriver.AccountSpec{ID: id, Owner: owner, Grants: []fakedriver.Grant{grant}})
	if err != nil {
		t.Fatalf("PutAccount(%q): %v", id, err)
	}
	return c
}

func everything(container string) fakedriver.Grant {
	return fakedriver.Grant{
		Bucket: container, ObjectData: fakedriver.ReadWrite, ObjectMetadata: fakedriver.ReadWrite, BucketMetadata: fakedriver.ReadWrite,
	}
}

// access is a container with a signature.
type access struct {
	f         *fixture
	container string
	token     url.Values
}

// access grants everything in the container photos.
func (f *fixture) access(t *testing.T) access {
	t.Helper()
	key := f.account(t, "ba-all", everything("photos"))
	return f.signed("photos", key, all)
}

func (f *fixture) signed(container string, key fakedriver.Credentials, permissions string) access {
	return access{f, container, sas.Token(container, key.AccessKeyID, key.SecretAccessKey, permissions, "https,http")}
}

// url returns the URL of a blob, or of the container if the name is empty.
func (a access) url(blob, query string) string {
	path := "/" + sas.Account(a.container) + "/" + a.container
	if blob != "" {
		path += "/" + blob
	}
	joined := a.token.Encode()
	if query != "" {
		joined += "&" + query
	}
	return a.f.address + path + "?" + joined
}

// response is a response that has been read.
type response struct {
	status int
	header http.Header
	body   string
}

// do sends a request. The headers are pairs NAME: VALUE.
func (a access) do(t *testing.T, method, blob, query, body string, headers ...string) response {
	t.Helper()
	return a.f.send(t, method, a.url(blob, query), body, headers...)
}

func (f *fixture) send(t *testing.T, method, target, body string, headers ...string) response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, target, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("x-ms-version", version)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	got, err := f.client.Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, request.URL.Path, err)
	}
	defer func() { _ = got.Body.Close() }()
	data, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, request.URL.Path, err)
	}
	return response{got.StatusCode, got.Header, string(data)}
}

func (r response) code() string {
	if r.status < http.StatusMultipleChoices {
		return "OK"
	}
	return r.header.Get("x-ms-error-code")
}

func (a access) put(t *testing.T, blob, body string, headers ...string) response {
	t.Helper()
	return a.want(t, http.StatusCreated, a.do(t, http.MethodPut, blob, "", body, append([]string{"x-ms-blob-type: BlockBlob"},
		headers...)...))
}

func (a access) want(t *testing.T, status int, got response) response {
	t.Helper()
	if got.status != status {
		t.Fatalf("status %d, %s; want %d", got.status, got.body, status)
	}
	return got
}

func (a access) content(t *testing.T, blob string) string {
	t.Helper()
	return a.want(t, http.StatusOK, a.do(t, http.MethodGet, blob, "", "")).body
}
