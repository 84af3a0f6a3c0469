package peers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/sigv4"
)

const (
	bucket = "bench"
	region = "us-east-1"
	// signedHeaders are what the client signs: as little as S3 accepts.
	signedHeaders = "host;x-amz-content-sha256;x-amz-date"
	// clientTimeout is how long a request may take.
	clientTimeout = 30 * time.Second
)

// client sends signed requests. It does little more than that, because it runs on the same
// machine as the servers. Its methods are safe for concurrent use.
type client struct {
	host, bucket, region string
	keys                 Keys
	signing              sigv4.Keys
	transport            *http.Transport
	http                 *http.Client
}

func newClient(host, bucket string, keys Keys, connections int) *client {
	transport := &http.Transport{MaxIdleConnsPerHost: connections, IdleConnTimeout: time.Minute, DisableCompression: true}
	return &client{
		host: host, bucket: bucket, region: region, keys: keys, transport: transport,
		http: &http.Client{Transport: transport, Timeout: clientTimeout},
	}
}

// content is what is uploaded, with its digest.
type content struct {
	data []byte
	hash string
}

func newContent(data []byte) content {
	digest := sha256.Sum256(data)
	return content{data, hex.EncodeToString(digest[:])}
}

// do sends a request for the bucket, or for an object in it, and returns how many bytes it
// answers.
func (c *client) do(ctx context.Context, method, key string, body content) (int64, error) {
	target := url.URL{Scheme: "http", Host: c.host, Path: "/" + c.bucket}
	if key != "" {
		target.Path += "/" + key
	}
	r, err := http.NewRequestWithContext(ctx, method, "", bytes.NewReader(body.data))
	if err != nil {
		return 0, err
	}
	r.URL, r.Host = &target, c.host
	c.sign(r, body.hash, time.Now().UTC())
	response, err := c.http.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	if response.StatusCode != http.StatusOK {
		const most = 512
		text, _ := io.ReadAll(io.LimitReader(response.Body, most))
		return 0, fmt.Errorf("%s %s answers %s: %s", method, target.Path, response.Status, text)
	}
	return io.Copy(io.Discard, response.Body)
}

func (c *client) sign(r *http.Request, hash string, now time.Time) {
	stamp := now.Format(sigv4.TimeFormat)
	r.Header["X-Amz-Date"], r.Header["X-Amz-Content-Sha256"] = []string{stamp}, []string{hash}
	scope := sigv4.Scope{Day: stamp[:len(sigv4.DayFormat)], Region: c.region}
	key := c.signing.Get(c.keys.SecretAccessKey, scope)
	c.signing.Keep(scope, key)
	signature := key.SignRequest(sigv4.Request{R: r, SignedHeaders: signedHeaders, Payload: hash}, now, scope)
	r.Header["Authorization"] = []string{sigv4.Algorithm + " Credential=" + c.keys.AccessKeyID + "/" + scope.String() +
		", SignedHeaders=" + signedHeaders + ", Signature=" + string(signature[:])}
}

func (c *client) close() { c.transport.CloseIdleConnections() }
