package workload

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"time"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/sigv4"
)

// signedHeaders are the headers that the client signs: as few as S3 accepts.
const signedHeaders = "host;x-amz-content-sha256;x-amz-date"

// Client sends signed requests to a bucket. It does little more than that, because it runs
// on the same machine as the servers, and often in the same process. Its methods are safe
// for concurrent use.
type Client struct {
	plain

	bucket, region string
	keys           fakedriver.Credentials
	signing        sigv4.Keys
}

// NewClient returns a client of a bucket of the S3 server at an address. The caller closes
// it.
func NewClient(address, bucket, region string, keys fakedriver.Credentials) *Client {
	return &Client{plain: newPlain(address), bucket: bucket, region: region, keys: keys}
}

// Content is the content of an upload, with its digest.
type Content struct {
	data []byte
	hash string
}

// NewContent computes the digest.
func NewContent(data []byte) Content {
	digest := sha256.Sum256(data)
	return Content{data, hex.EncodeToString(digest[:])}
}

// CreateBucket creates the bucket.
func (c *Client) CreateBucket(ctx context.Context) error {
	_, err := c.do(ctx, http.MethodPut, "", NewContent(nil))
	return err
}

// Put stores an object.
func (c *Client) Put(ctx context.Context, key string, content Content) error {
	_, err := c.do(ctx, http.MethodPut, "/"+key, content)
	return err
}

var nothing = NewContent(nil)

// Get reads an object and returns its size in bytes.
func (c *Client) Get(ctx context.Context, key string) (int64, error) {
	return c.do(ctx, http.MethodGet, "/"+key, nothing)
}

// List reads the list of all keys, page by page, and returns how many there are. It searches the
// documents without decoding them.
func (c *Client) List(ctx context.Context) (keys int, err error) {
	query := url.Values{"list-type": {"2"}}
	for page := new(bytes.Buffer); ; page.Reset() {
		r, err := c.request(ctx, http.MethodGet, &url.URL{Path: "/" + c.bucket, RawQuery: query.Encode()}, nil)
		if err != nil {
			return keys, err
		}
		c.sign(r, nothing.hash, time.Now().UTC())
		if _, err := c.receive(r, page); err != nil {
			return keys, err
		}
		keys += bytes.Count(page.Bytes(), []byte("<Key>"))
		_, rest, isTruncated := bytes.Cut(page.Bytes(), []byte("<NextContinuationToken>"))
		if !isTruncated {
			return keys, nil
		}
		token, _, _ := bytes.Cut(rest, []byte("<"))
		query.Set("continuation-token", string(token))
	}
}

func (c *Client) do(ctx context.Context, method, path string, body Content) (int64, error) {
	r, err := c.request(ctx, method, &url.URL{Path: "/" + c.bucket + path}, body.data)
	if err != nil {
		return 0, err
	}
	c.sign(r, body.hash, time.Now().UTC())
	return c.send(r)
}

func (c *Client) sign(r *http.Request, hash string, now time.Time) {
	stamp := now.Format(sigv4.TimeFormat)
	r.Header["X-Amz-Date"], r.Header["X-Amz-Content-Sha256"] = []string{stamp}, []string{hash}
	scope := sigv4.Scope{Day: stamp[:len(sigv4.DayFormat)], Region: c.region}
	key := c.signing.Get(c.keys.SecretAccessKey, scope)
	c.signing.Keep(scope, key)
	signature := key.SignRequest(sigv4.Request{R: r, Query: r.URL.Query(), SignedHeaders: signedHeaders, Payload: hash}, now, scope)
	r.Header["Authorization"] = []string{sigv4.Algorithm + " Credential=" + c.keys.AccessKeyID + "/" + scope.String() +
		", SignedHeaders=" + signedHeaders + ", Signature=" + string(signature[:])}
}
