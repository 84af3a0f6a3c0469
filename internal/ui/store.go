package ui

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	awscredentials "github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/env"
	"github.com/cosi-emu/cosi-emu/internal/scenario/s3access"
)

const (
	// maxShown is the maximum size of a shown object, and maxUpload of one upload, in bytes.
	maxShown  = 64 << 10
	maxUpload = 16 << 20
	// maxKeys is the maximum number of keys in one list.
	maxKeys = 100
)

// storeUser is an S3 client with the rights of an access or of the root account.
type storeUser struct {
	*s3.Client

	bucket    string
	transport *http.Transport
}

// user returns a client with the credentials of the access that a request chooses, or of the
// root account.
func (p *Page) user(r *http.Request) (*storeUser, error) {
	values, err := p.credentials(r.Context(), r.FormValue("access"), r.FormValue("claim"))
	if err != nil {
		return nil, err
	}
	u := &storeUser{bucket: values[v1alpha2.SecretKeyBucketName], transport: &http.Transport{}}
	if bucket := r.FormValue("bucket"); bucket != "" {
		u.bucket = bucket
	}
	if u.bucket == "" {
		return nil, errors.New("choose a bucket")
	}
	authority := values[v1alpha2.SecretKeyCertificateAuthority]
	if file := p.opts.Emulator.Info().S3CertificateAuthority; authority == "" && file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("the certificate authority of the store: %w", err)
		}
		authority = string(content)
	}
	if authority != "" {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM([]byte(authority))
		u.transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	u.Client = s3.New(s3.Options{
		BaseEndpoint: aws.String(values[v1alpha2.SecretKeyS3Endpoint]), Region: values[v1alpha2.SecretKeyS3Region],
		UsePathStyle: values[v1alpha2.SecretKeyS3AddressingStyle] != "virtual",
		Credentials: awscredentials.NewStaticCredentialsProvider(
			values[v1alpha2.SecretKeyS3AccessKeyID], values[v1alpha2.SecretKeyS3SecretAccessKey], ""),
		HTTPClient: &http.Client{Transport: u.transport}, RetryMaxAttempts: 1,
	})
	return u, nil
}

func (u *storeUser) close() { u.transport.CloseIdleConnections() }

// credentials returns the credentials of the BucketAccess NAMESPACE/NAME, or of the root account.
func (p *Page) credentials(ctx context.Context, access, claim string) (map[string]string, error) {
	emu := p.opts.Emulator
	var (
		all []env.Variable
		err error
	)
	if access == emulator.RootAccount {
		all, err = env.ForRootKey(emu.Info())
	} else {
		namespace, name, ok := strings.Cut(access, "/")
		if !ok {
			return nil, fmt.Errorf("BucketAccess %q: its namespace is missing: write NAMESPACE/%s, or choose one of the list", access, access)
		}
		all, err = env.ForAccess(ctx, emu.Client(), emu.Info().API, client.ObjectKey{Namespace: namespace, Name: name}, claim)
	}
	values := make(map[string]string, len(all))
	for _, v := range all {
		values[v.Name] = v.Value
	}
	return values, err
}

func problemOf(err error) problem {
	if failed, ok := errors.AsType[smithy.APIError](err); ok {
		return problem{Code: failed.ErrorCode(), Message: failed.ErrorMessage()}
	}
	return problem{Message: err.Error()}
}

// listing is a part of the keys of a bucket.
type listing struct {
	Bucket string   `json:"bucket"`
	Keys   []key    `json:"keys"`
	Groups []string `json:"groups,omitempty"`
	// Next continues the list; empty at its end.
	Next string `json:"next,omitempty"`
}

type key struct {
	Key      string     `json:"key"`
	Size     int64      `json:"size"`
	Modified *time.Time `json:"modified,omitempty"`
}

func (p *Page) keys(r *http.Request) (any, error) {
	u, err := p.user(r)
	if err != nil {
		return nil, err
	}
	defer u.close()
	input := &s3.ListObjectsV2Input{
		Bucket: &u.bucket, Prefix: aws.String(r.FormValue("prefix")), Delimiter: aws.String("/"), MaxKeys: aws.Int32(maxKeys),
	}
	if next := r.FormValue("next"); next != "" {
		input.ContinuationToken = &next
	}
	page, err := u.ListObjectsV2(r.Context(), input)
	if err != nil {
		return nil, err
	}
	found := listing{Bucket: u.bucket, Keys: []key{}, Next: aws.ToString(page.NextContinuationToken)}
	for _, o := range page.Contents {
		found.Keys = append(found.Keys, key{aws.ToString(o.Key), aws.ToInt64(o.Size), o.LastModified})
	}
	for _, group := range page.CommonPrefixes {
		found.Groups = append(found.Groups, aws.ToString(group.Prefix))
	}
	return found, nil
}

// content is a small object, or the beginning of a large one.
type content struct {
	Text   string `json:"text"`
	Type   string `json:"type,omitempty"`
	Size   int64  `json:"size"`
	Binary bool   `json:"binary,omitempty"`
	Cut    bool   `json:"cut,omitempty"`
}

func (p *Page) content(r *http.Request) (any, error) {
	u, err := p.user(r)
	if err != nil {
		return nil, err
	}
	defer u.close()
	object, err := u.GetObject(r.Context(), &s3.GetObjectInput{Bucket: &u.bucket, Key: aws.String(r.FormValue("key"))})
	if err != nil {
		return nil, err
	}
	defer func() { _ = object.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(object.Body, maxShown))
	if err != nil {
		return nil, err
	}
	c := content{Type: aws.ToString(object.ContentType), Size: aws.ToInt64(object.ContentLength)}
	c.Cut = c.Size > int64(len(data))
	text := strings.ToValidUTF8(string(data), "")
	if c.Binary = len(data)-len(text) >= utf8.UTFMax || strings.ContainsRune(text, 0); !c.Binary {
		c.Text = text
	}
	return c, nil
}

// upload puts the body of the request into a bucket. The address has the parameters, because the
// body is the object.
func (p *Page) upload(r *http.Request) (any, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxUpload))
	if err != nil {
		return nil, fmt.Errorf("read the object, which may have %d bytes: %w", maxUpload, err)
	}
	u, err := p.user(r)
	if err != nil {
		return nil, err
	}
	defer u.close()
	name := r.FormValue("key")
	if name == "" {
		return nil, errors.New("name the key")
	}
	_, err = u.PutObject(r.Context(), &s3.PutObjectInput{
		Bucket: &u.bucket, Key: &name, Body: bytes.NewReader(body), ContentMD5: s3access.ContentMD5(body),
	})
	p.noteUpload(r, name, body, err)
	return struct{}{}, err
}

// noteUpload adds the upload to a saved scenario, if the bucket belongs to the access.
func (p *Page) noteUpload(r *http.Request, name string, body []byte, err error) {
	access := r.FormValue("access")
	code := ""
	if failed, ok := errors.AsType[smithy.APIError](err); ok {
		code = failed.ErrorCode()
	}
	if err != nil && code == "" || access == emulator.RootAccount {
		return
	}
	secret, bucket := p.graph.secretOf(access, r.FormValue("claim")), r.FormValue("bucket")
	if values, err := p.credentials(r.Context(), access, r.FormValue("claim")); err != nil || secret == "" ||
		bucket != "" && bucket != values[v1alpha2.SecretKeyBucketName] {
		return
	}
	p.history.uploaded(access, secret, name, body, code)
}
