package authentication_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// busy is a client that repeats operations with a key.
type busy struct {
	*s3.Client

	server *s3test.Server
	key    sessionKey
	number int
}

// operations are the operations of busy clients. Each is one request, or several that belong
// together, and must not succeed when it begins after the key was revoked.
var operations = []func(*busy, context.Context, int) error{
	func(b *busy, ctx context.Context, i int) error {
		_, err := b.PutObject(ctx, &s3.PutObjectInput{Bucket: new("photos"), Key: b.name(i), Body: strings.NewReader("content")})
		return err
	},
	func(b *busy, ctx context.Context, _ int) error {
		out, err := b.GetObject(ctx, &s3.GetObjectInput{Bucket: new("photos"), Key: new("kept")})
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, out.Body)
		return errors.Join(err, out.Body.Close())
	},
	func(b *busy, ctx context.Context, _ int) error {
		_, err := b.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: new("photos"), MaxKeys: aws.Int32(10)})
		return err
	},
	func(b *busy, ctx context.Context, i int) error {
		_, err := b.CopyObject(ctx, &s3.CopyObjectInput{Bucket: new("photos"), Key: b.name(i), CopySource: new("photos/kept")})
		return err
	},
	func(b *busy, ctx context.Context, i int) error {
		_, err := b.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: new("photos"), Key: b.name(i - 4)})
		return err
	},
	func(b *busy, ctx context.Context, _ int) error {
		_, err := b.ListBuckets(ctx, &s3.ListBucketsInput{})
		return err
	},
	(*busy).multipart,
	(*busy).stream,
}

func (b *busy) name(i int) *string { return new(fmt.Sprintf("client-%d/%d", b.number, i)) }

func (b *busy) multipart(ctx context.Context, i int) error {
	create, err := b.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: new("photos"), Key: b.name(i)})
	if err != nil {
		return err
	}
	part, err := b.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: new("photos"), Key: b.name(i), UploadId: create.UploadId, PartNumber: aws.Int32(1), Body: strings.NewReader("part"),
	})
	if err != nil {
		return err
	}
	_, err = b.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: new("photos"), Key: b.name(i), UploadId: create.UploadId,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{{ETag: part.ETag, PartNumber: aws.Int32(1)}}},
	})
	return err
}

func (b *busy) stream(ctx context.Context, i int) error {
	in := streaming{
		Signed: s3test.Signed{
			Method: http.MethodPut, Path: "/photos/" + *b.name(i), Credentials: b.key.Credentials,
			Region: b.server.Region(), Service: "s3", At: time.Now(),
		},
		chunks: []string{strings.Repeat("one", 3000), "two"}, trailer: i%2 == 0,
	}
	if b.key.token != "" {
		in.Before = s3test.SetHeader("X-Amz-Security-Token", b.key.token)
	}
	r, err := in.build(ctx, b.server.URL)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil || response.StatusCode == http.StatusOK {
		return err
	}
	return &smithy.GenericAPIError{Code: s3test.CodeOf(string(body))}
}

// TestRevokedUnderLoad revokes the key of 16 busy clients. After the return of the revocation, no
// request with the key succeeds, every new response is a rejection, and nothing changes any more.
func TestRevokedUnderLoad(t *testing.T) {
	tests := map[string]struct {
		reason string
		// session means that the key is a session's, of an account without keys.
		session bool
		revoke  func(s *s3test.Server, id string) error
	}{
		"Deleted": {reason: "The account is gone.", revoke: removeAccount},
		"Rotated": {reason: "The account has another key.", revoke: replaceKey},
		"Session": {reason: "The session's account is gone.", session: true, revoke: removeAccount},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			l := &load{t: t, isBusy: make(chan struct{})}
			l.nowBusy = sync.OnceFunc(func() { close(l.isBusy) })
			s := s3test.ServiceAccount(t, s3test.Options{Middleware: l.watch})
			other := s.Client(t, s.Account(t, "other", s3test.ReadWrite("photos")))
			s3test.Put(t, other, "kept", strings.Repeat("kept", 10_000))
			id, key := "app-with-keys", sessionKey{}
			key.Credentials = s.Account(t, id, s3test.ReadWrite("photos"))
			if tc.session {
				id, key = "app", beginSession(t, s)
			}
			l.start(s, key)
			<-l.isBusy
			if err := tc.revoke(s, id); err != nil {
				t.Fatal(err)
			}
			l.revoked.Store(true)
			before := contents(t, other)
			l.clients.Wait()
			if diff := cmp.Diff(before, contents(t, other)); diff != "" {
				t.Errorf("%s\nafter it was revoked, the key has changed: -then, +now:\n%s", tc.reason, diff)
			}
			t.Logf("%d operations succeeded before, %d were rejected after", l.succeeded.Load(), l.rejected.Load())
		})
	}
}

func removeAccount(s *s3test.Server, id string) error {
	return s.DeleteAccount(context.Background(), s3test.Owner, id)
}

func replaceKey(s *s3test.Server, id string) error {
	_, err := s.RotateAccount(context.Background(), s3test.Owner, id)
	return err
}

// load is the work of 16 clients with one key.
type load struct {
	t       *testing.T
	key     sessionKey
	revoked atomic.Bool

	isBusy              chan struct{} // closed by nowBusy when the key is in full use, or a client fails
	nowBusy             func()
	succeeded, rejected atomic.Int64
	clients             sync.WaitGroup
}

func (l *load) start(s *s3test.Server, key sessionKey) {
	l.key = key
	provider := credentials.NewStaticCredentialsProvider(key.AccessKeyID, key.SecretAccessKey, key.token)
	c := s.Client(l.t, key.Credentials, func(o *s3.Options) { o.Credentials = provider })
	for number := range 16 {
		l.clients.Go(func() { l.run(&busy{Client: c, server: s, key: key, number: number}) })
	}
}

// run works until 20 operations that began after the revocation were rejected.
func (l *load) run(b *busy) {
	late := 0
	for i := b.number; late < 20; i++ {
		began := l.revoked.Load()
		err := operations[i%len(operations)](b, l.t.Context(), i)
		rejected, isAPI := errors.AsType[smithy.APIError](err)
		switch {
		case err == nil && began:
			l.t.Errorf("operation %d succeeded after the key was revoked", i%len(operations))
			return
		case err == nil:
			if l.succeeded.Add(1) == 200 {
				l.nowBusy()
			}
		case !isAPI || rejected.ErrorCode() != "InvalidAccessKeyId":
			l.t.Errorf("operation %d failed: %v", i%len(operations), err)
			l.nowBusy()
			return
		case began:
			late++
			l.rejected.Add(1)
		}
	}
}

// watch is a middleware that records the start of responses.
func (l *load) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Authorization"), l.key.AccessKeyID) && l.key.AccessKeyID != "" {
			w = &watchedWriter{w, l}
		}
		next.ServeHTTP(w, r)
	})
}

type watchedWriter struct {
	http.ResponseWriter

	load *load
}

func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watchedWriter) WriteHeader(status int) {
	if w.load.revoked.Load() && status < http.StatusMultipleChoices {
		w.load.t.Errorf("an answer %d began after the key was revoked", status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func contents(t *testing.T, c *s3.Client) map[string]string {
	t.Helper()
	all := map[string]string{}
	pages := s3.NewListObjectsV2Paginator(c, &s3.ListObjectsV2Input{Bucket: new("photos")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range page.Contents {
			all[*object.Key] = *object.ETag + object.LastModified.String()
		}
	}
	uploads, err := c.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: new("photos")})
	if err != nil {
		t.Fatal(err)
	}
	for _, upload := range uploads.Uploads {
		all["upload "+*upload.UploadId] = *upload.Key
	}
	return all
}
