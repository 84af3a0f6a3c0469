package s3_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

func anyHost(t *testing.T, s *s3test.Server) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(s.URL, "http://"))
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestVirtualHosts(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{Hosts: []string{"S3.example.test.", "deep.s3.example.test"}})
	buckets := []string{"photos", "my.photos.2026", "deep"}
	grants := make([]fakedriver.Grant, 0, len(buckets))
	for _, name := range buckets {
		s.Bucket(t, name)
		grants = append(grants, s3test.ReadWrite(name))
	}
	app := s.Account(t, "app", grants...)
	paths := s.Client(t, app)
	hosts := s.Client(t, app, func(o *s3.Options) {
		o.UsePathStyle, o.BaseEndpoint, o.HTTPClient = false, new("http://s3.example.test:1"), anyHost(t, s)
	})
	for _, name := range buckets[:2] {
		t.Run(name, func(t *testing.T) {
			const key = "photos/a b//c"
			_, err := hosts.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &name, Key: new(key), Body: strings.NewReader(name)})
			if err != nil {
				t.Fatalf("PutObject(): %v", err)
			}
			out, err := paths.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &name, Key: new(key)})
			if err != nil || *out.ContentLength != int64(len(name)) {
				t.Errorf("GetObject() by path: %v, %v", out, err)
			}
			list, err := hosts.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &name})
			if err != nil || len(list.Contents) != 1 || *list.Contents[0].Key != key {
				t.Errorf("ListObjectsV2() = %+v, %v", list, err)
			}
		})
	}
	list, err := hosts.ListBuckets(t.Context(), &s3.ListBucketsInput{})
	if err != nil || len(list.Buckets) != len(buckets) {
		t.Errorf("ListBuckets() = %+v, %v", list, err)
	}
}

func TestHosts(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{Hosts: []string{"s3.test", "s3.test.example", "deep.s3.test"}})
	for _, name := range []string{"photos", "a.b"} {
		s.Bucket(t, name)
	}
	app := s.Account(t, "app", s3test.ReadWrite("photos"), s3test.ReadWrite("a.b"))
	tests := map[string]struct {
		reason     string
		host, path string
		status     int
		want       string
	}{
		"Path":        {"The other style, at the same address.", "s3.test", "/photos?location=", 200, ""},
		"AnyHost":     {"Addresses that are no base.", "127.0.0.1", "/photos?location=", 200, ""},
		"Host":        {"The bucket is in the host.", "photos.s3.test", "/?location=", 200, ""},
		"Port":        {"Ports do not matter.", "photos.s3.test:9000", "/?location=", 200, ""},
		"Upper":       {"Host names have no case.", "Photos.S3.Test", "/?location=", 200, ""},
		"Root":        {"Absolute names.", "photos.s3.test.", "/?location=", 200, ""},
		"Dots":        {"Bucket names may have dots.", "a.b.s3.test", "/?location=", 200, ""},
		"Longer":      {"Another base.", "photos.s3.test.example", "/?location=", 200, ""},
		"Longest":     {"The most special base counts.", "photos.deep.s3.test", "/?location=", 200, ""},
		"BaseIsBase":  {"A base is not a bucket of another.", "deep.s3.test", "/photos?location=", 200, ""},
		"NoKeyInHost": {"The path is the key, and not the bucket.", "photos.s3.test", "/a.b/k", 404, "NoSuchKey"},
		"NotGranted":  {"Nothing is said of others.", "other.s3.test", "/", 403, "AccessDenied"},
		"BadName":     {"It cannot be a bucket.", "x_y.s3.test", "/k", 400, "InvalidBucketName"},
		"TooShort":    {"It cannot be a bucket.", "x.s3.test", "/k", 400, "InvalidBucketName"},
		"Empty":       {"It cannot be a bucket.", ".s3.test", "/k", 400, "InvalidBucketName"},
		"NoDot":       {"Ends like a base, and is none.", "photoss3.test", "/photos?location=", 200, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := s3test.Signed{
				Method: http.MethodGet, Path: tc.path, Credentials: app, Region: s.Region(), Service: "s3", At: time.Now(),
				Before: func(r *http.Request) { r.Host = tc.host },
			}
			status, body := in.Send(t, s)
			if status != tc.status || (tc.want != "" && s3test.Code(t, body) != tc.want) {
				t.Errorf("%s\nanswer %d, want %d %s:\n%s", tc.reason, status, tc.status, tc.want, body)
			}
		})
	}
	t.Run("HostIsSigned", func(t *testing.T) {
		in := s3test.Signed{
			Method: http.MethodGet, Path: "/k", Credentials: app, Region: s.Region(), Service: "s3", At: time.Now(),
			Before: func(r *http.Request) { r.Host = "photos.s3.test" },
			After:  func(r *http.Request) { r.Host = "a.b.s3.test" },
		}
		if status, body := in.Send(t, s); status != http.StatusForbidden || s3test.Code(t, body) != "SignatureDoesNotMatch" {
			t.Errorf("a request that was turned to another bucket: answer %d: %s", status, body)
		}
	})
}

func TestHostOptions(t *testing.T) {
	for _, host := range []string{"", ".", "s3.localhost:9000", "a..b", "http://s3.localhost", "-a", "127.0.0.1/8"} {
		if _, err := s3test.Open(s3test.Options{Hosts: []string{host}}); !errors.Is(err, fakedriver.ErrInvalid) {
			t.Errorf("New() with host %q: %v, want it to be rejected", host, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{})
	tests := map[string]struct {
		method, host, path string
		want               httpserver.Request
	}{
		"Path":    {"PUT", "127.0.0.1:1", "/photos/a/b", httpserver.Request{Operation: "PutObject", Bucket: "photos", Key: "a/b"}},
		"Host":    {"PUT", "photos.s3.localhost", "/a/b", httpserver.Request{Operation: "PutObject", Bucket: "photos", Key: "a/b"}},
		"Service": {"GET", "s3.localhost", "/", httpserver.Request{Operation: "ListBuckets"}},
		"Bucket":  {"HEAD", "photos.s3.localhost", "/", httpserver.Request{Operation: "HeadBucket", Bucket: "photos"}},
		"Unknown": {"PATCH", "photos.s3.localhost", "/", httpserver.Request{Bucket: "photos"}},
		"Invalid": {"GET", "x.s3.localhost", "/", httpserver.Request{}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), tc.method, "http://"+tc.host+tc.path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, s.Describe(r)); diff != "" {
				t.Errorf("Describe(): -want, +got:\n%s", diff)
			}
		})
	}
}
