package workload

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/sas"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// Service is the service of one protocol, in memory, with an empty bucket and a client that does
// nothing but send requests: the SDKs' clients take different times. Its methods are safe for
// concurrent use, but for Close.
type Service struct {
	put   func(context.Context, string, Content) error
	get   func(context.Context, string) (int64, error)
	close func() error
}

// Put stores an object.
func (s *Service) Put(ctx context.Context, key string, content Content) error {
	return s.put(ctx, key, content)
}

// Get reads an object and returns its size in bytes.
func (s *Service) Get(ctx context.Context, key string) (int64, error) { return s.get(ctx, key) }

// Close ends serving, and discards the data.
func (s *Service) Close() error { return s.close() }

// ServeS3 serves S3. The client signs requests. The caller closes it.
func ServeS3(ctx context.Context) (*Service, error) {
	return newService(ctx, fakedriver.ProtocolS3, s3Server, func(address string, keys fakedriver.Credentials) *Service {
		c := NewClient(address, bucket, fakedriver.DefaultRegion, keys)
		return &Service{put: c.Put, get: c.Get, close: closing(c.plain)}
	})
}

// ServeAzure serves Azure Blob Storage. The client has a shared access signature. The caller
// closes it.
func ServeAzure(ctx context.Context) (*Service, error) {
	serve := func(s *store.Store) (server, error) {
		service, err := azure.New(azure.Options{Store: s})
		if err != nil {
			return nil, err
		}
		return service.Serve, nil
	}
	return newService(ctx, fakedriver.ProtocolAzure, serve, func(address string, keys fakedriver.Credentials) *Service {
		c := newPlain(address)
		query := sas.Token(bucket, keys.AccessKeyID, keys.SecretAccessKey, "racwd", "https,http").Encode()
		do := func(ctx context.Context, method, key string, data []byte) (int64, error) {
			r, err := c.request(ctx, method, &url.URL{Path: "/" + sas.Account(bucket) + "/" + bucket + "/" + key, RawQuery: query}, data)
			if err != nil {
				return 0, err
			}
			r.Header["X-Ms-Version"] = []string{sas.Version}
			if method == http.MethodPut {
				r.Header["X-Ms-Blob-Type"] = []string{"BlockBlob"}
			}
			return c.send(r)
		}
		return &Service{
			put: func(ctx context.Context, key string, content Content) error {
				_, err := do(ctx, http.MethodPut, key, content.data)
				return err
			},
			get:   func(ctx context.Context, key string) (int64, error) { return do(ctx, http.MethodGet, key, nil) },
			close: closing(c),
		}
	})
}

// ServeGCS serves Google Cloud Storage. The client has a bearer token. The caller closes it.
func ServeGCS(ctx context.Context) (*Service, error) {
	serve := func(s *store.Store) (server, error) {
		service, err := gcs.New(gcs.Options{Options: pipeline.Options{Store: s}})
		if err != nil {
			return nil, err
		}
		return service.Serve, nil
	}
	return newService(ctx, fakedriver.ProtocolGCS, serve, func(address string, keys fakedriver.Credentials) *Service {
		c := newPlain(address)
		token := []string{"Bearer " + keys.AccessKeyID + ":" + keys.SecretAccessKey}
		do := func(ctx context.Context, method string, target *url.URL, data []byte) (int64, error) {
			r, err := c.request(ctx, method, target, data)
			if err != nil {
				return 0, err
			}
			r.Header["Authorization"] = token
			return c.send(r)
		}
		return &Service{
			put: func(ctx context.Context, key string, content Content) error {
				query := url.Values{"uploadType": {"media"}, "name": {key}}.Encode()
				_, err := do(ctx, http.MethodPost, &url.URL{Path: "/upload/storage/v1/b/" + bucket + "/o", RawQuery: query}, content.data)
				return err
			},
			get: func(ctx context.Context, key string) (int64, error) {
				const objects = "/storage/v1/b/" + bucket + "/o/"
				target := &url.URL{Path: objects + key, RawPath: objects + url.PathEscape(key), RawQuery: "alt=media"}
				return do(ctx, http.MethodGet, target, nil)
			},
			close: closing(c),
		}
	})
}

func closing(p plain) func() error {
	return func() error {
		p.Close()
		return nil
	}
}

// server serves until the context is done.
type server func(context.Context, net.Listener) error

// newService opens a store with a bucket of a protocol, and serves it for a client.
func newService(
	ctx context.Context, protocol fakedriver.Protocol,
	prepare func(*store.Store) (server, error), client func(address string, keys fakedriver.Credentials) *Service,
) (*Service, error) {
	s, keys, err := newStore(ctx, protocol)
	if err != nil {
		return nil, err
	}
	run, err := prepare(s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	address, stop, err := listen(ctx, run)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	service := client(address, keys)
	disconnect := service.close
	service.close = func() error { return errors.Join(disconnect(), s.Close(), stop()) }
	return service, nil
}
