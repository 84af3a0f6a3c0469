package dataplane

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// capture is a transport that answers every request alike.
type capture struct {
	status int
	got    *http.Request
}

func (c *capture) RoundTrip(r *http.Request) (*http.Response, error) {
	c.got = r
	if c.status == 0 {
		return nil, errors.New("connection refused")
	}
	return &http.Response{StatusCode: c.status, Body: io.NopCloser(strings.NewReader("text")), Request: r}, nil
}

// TestRequests verifies that each client sends the requests that its service expects, and
// distinguishes denials from missing answers.
func TestRequests(t *testing.T) {
	const secret = "do-not-print-me"
	azure := func(transport http.RoundTripper) Client {
		token := &cosiv1alpha2.AzureCredentialInfo{AccessToken: "https://acct.blob.example.com/box?sp=rw&sig=" + secret}
		client, err := NewAzure(token, token, "")
		if err != nil {
			t.Fatal(err)
		}
		client.http.Transport = transport
		return client
	}
	google := func(endpoint string) func(http.RoundTripper) Client {
		return func(transport http.RoundTripper) Client {
			client := NewGCS(&cosiv1alpha2.GcsBucketInfo{BucketName: "box"},
				&cosiv1alpha2.GcsCredentialInfo{AccessId: "GOOG1E", AccessSecret: secret}, endpoint)
			client.http.Transport = transport
			return client
		}
	}
	tests := map[string]struct {
		client func(http.RoundTripper) Client
		do     func(context.Context, Client) error
		want   string
		// header must have this value at its beginning.
		header, value string
	}{
		"Azure, put": {
			azure, func(ctx context.Context, c Client) error { return c.Put(ctx, "a/b", []byte("x")) },
			"PUT https://acct.blob.example.com/box/a/b", "X-Ms-Blob-Type", "BlockBlob",
		},
		"Azure, list": {
			azure, func(ctx context.Context, c Client) error { return c.List(ctx) }, "GET https://acct.blob.example.com/box", "", "",
		},
		"GCS, put": {
			google(""), func(ctx context.Context, c Client) error { return c.Put(ctx, "a/b", []byte("x")) },
			"PUT https://storage.googleapis.com/box/a/b", "Authorization", "AWS4-HMAC-SHA256 Credential=GOOG1E/",
		},
		"GCS, get": {
			google(""), func(ctx context.Context, c Client) error { _, err := c.Get(ctx, "a/b"); return err },
			"GET https://storage.googleapis.com/box/a/b", "Authorization", "AWS4-HMAC-SHA256 Credential=GOOG1E/",
		},
		"GCS, an emulator": {
			google("http://127.0.0.1:9090"), func(ctx context.Context, c Client) error { return c.Delete(ctx, "a/b") },
			"DELETE http://127.0.0.1:9090/box/a/b", "Authorization", "AWS4-HMAC-SHA256 Credential=GOOG1E/",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for status, want := range map[int]struct{ ok, denied, answer bool }{
				http.StatusOK: {ok: true, answer: true}, http.StatusForbidden: {denied: true, answer: true}, 0: {},
			} {
				transport := &capture{status: status}
				err := tc.do(t.Context(), tc.client(transport))
				if (err == nil) != want.ok || errors.Is(err, ErrDenied) != want.denied || IsAnswer(err) != want.answer {
					t.Errorf("status %d: %v; denied %t, answer %t", status, err, errors.Is(err, ErrDenied), IsAnswer(err))
				}
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("status %d: the error has the secret: %v", status, err)
				}
				uri := *transport.got.URL
				uri.RawQuery = ""
				if got := transport.got.Method + " " + uri.String(); got != tc.want {
					t.Errorf("request %s, want %s", got, tc.want)
				}
				if got := transport.got.Header.Get(tc.header); !strings.HasPrefix(got, tc.value) {
					t.Errorf("header %s: %q, want %q", tc.header, got, tc.value)
				}
			}
		})
	}
}

// TestParseAzureToken verifies that an error does not have the token.
func TestParseAzureToken(t *testing.T) {
	for _, token := range []string{"", "sp=rw&sig=secret", "https://a.example.com/box", "://secret", "%zz?secret"} {
		if _, err := ParseAzureToken(token); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("ParseAzureToken(%q) = %v, want an error without the token", token, err)
		}
	}
}

// TestReachesBucket: that a store does not have the bucket shows nothing about a credential, unlike other answers.
func TestReachesBucket(t *testing.T) {
	body := func(code string) string { return "<Error><Code>" + code + "</Code></Error>" }
	for name, tc := range map[string]struct {
		status int
		codes  []string // of the bucket's names
		want   bool
	}{
		"object":             {http.StatusNotFound, []string{"NoSuchKey"}, true},
		"denied":             {http.StatusForbidden, []string{"AccessDenied"}, true},
		"no bucket":          {http.StatusNotFound, []string{"NoSuchBucket"}, false},
		"no container":       {http.StatusNotFound, []string{"ContainerNotFound"}, false},
		"of another name":    {http.StatusNotFound, []string{"NoSuchBucket", "NoSuchKey"}, true},
		"of none of its two": {http.StatusNotFound, []string{"NoSuchBucket", "NoSuchBucket"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				at, _ := strconv.Atoi(strings.Split(r.URL.Path, "/")[1])
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, body(tc.codes[at]))
			}))
			t.Cleanup(server.Close)
			s3 := func(bucket string) Client {
				return NewS3(&cosiv1alpha2.S3BucketInfo{BucketId: bucket, Endpoint: server.URL},
					&cosiv1alpha2.S3CredentialInfo{AccessKeyId: "AKIA", AccessSecretKey: "secret"})
			}
			gcs := NewGCS(&cosiv1alpha2.GcsBucketInfo{BucketName: "0"},
				&cosiv1alpha2.GcsCredentialInfo{AccessId: "GOOG1E", AccessSecret: "secret"}, server.URL)
			var names []string
			for i := range tc.codes {
				names = append(names, strconv.Itoa(i))
			}
			for service, client := range map[string]Client{"S3": Either(s3, names...), "GCS": gcs} {
				if service == "GCS" && len(names) > 1 {
					continue
				}
				if _, err := client.Get(t.Context(), "none"); ReachesBucket(err) != tc.want {
					t.Errorf("%s: ReachesBucket(%v) = %t, want %t", service, err, !tc.want, tc.want)
				}
				client.Close()
			}
		})
	}
	if !ReachesBucket(nil) || ReachesBucket(errors.New("connection refused")) {
		t.Error("an answer is required")
	}
}

// TestS3IsAnswer verifies that a rejection is an answer, and an unreachable store gives none.
func TestS3IsAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	client := NewS3(&cosiv1alpha2.S3BucketInfo{BucketId: "box", Endpoint: server.URL},
		&cosiv1alpha2.S3CredentialInfo{AccessKeyId: "AKIA", AccessSecretKey: "secret"})
	t.Cleanup(client.Close)
	if err := client.Put(t.Context(), "a", nil); err != nil {
		t.Error(err)
	}
	if err := client.List(t.Context()); !IsAnswer(err) || !errors.Is(err, ErrDenied) {
		t.Errorf("a rejected request: %v, want an answer, which is ErrDenied", err)
	}
	server.Close()
	if err := client.List(t.Context()); err == nil || IsAnswer(err) || errors.Is(err, ErrDenied) {
		t.Errorf("without a store: %v, want no answer", err)
	}
}
