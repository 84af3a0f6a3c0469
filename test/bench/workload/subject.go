package workload

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	s3plane "github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// Clients is how many clients there are at the same time where there are several.
const Clients = 16

const bucket = "workload"

// Subject is an S3 store in memory that is being served, with an empty bucket and
// a client. Its methods are safe for concurrent use, but for Close.
type Subject struct {
	client    *s3.Client
	transport *http.Transport
	// plain is the client that decodes nothing.
	plain *Client
	stop  func() error
}

// Store serves the store on a port of its own. The caller closes it.
func Store(ctx context.Context) (*Subject, error) {
	s, keys, err := newStore(ctx, fakedriver.ProtocolS3)
	if err != nil {
		return nil, err
	}
	run, err := s3Server(s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	subject, err := serve(ctx, run, keys)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	end := subject.stop
	subject.stop = func() error { return errors.Join(s.Close(), end()) }
	return subject, nil
}

func s3Server(s *store.Store) (server, error) {
	service, err := s3plane.New(s3plane.Options{Options: pipeline.Options{Store: s}})
	if err != nil {
		return nil, err
	}
	return service.Serve, nil
}

// newStore opens a store with a bucket of a protocol, and an account that has access to it.
func newStore(ctx context.Context, protocol fakedriver.Protocol) (*store.Store, fakedriver.Credentials, error) {
	s, err := store.New(store.Options{})
	if err != nil {
		return nil, fakedriver.Credentials{}, err
	}
	owner := "workload"
	if _, err := s.CreateBucket(ctx, fakedriver.BucketSpec{Name: bucket, Owner: owner, Protocol: protocol}); err != nil {
		return nil, fakedriver.Credentials{}, errors.Join(err, s.Close())
	}
	keys, err := s.PutAccount(ctx, fakedriver.AccountSpec{
		ID: "client", Owner: owner, Grants: []fakedriver.Grant{{Bucket: bucket, ObjectData: fakedriver.ReadWrite}},
	})
	if err != nil {
		return nil, keys, errors.Join(err, s.Close())
	}
	return s, keys, nil
}

// serve serves on a port of the loopback interface until stop.
func serve(ctx context.Context, run server, keys fakedriver.Credentials) (*Subject, error) {
	address, stop, err := listen(ctx, run)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: Clients, IdleConnTimeout: time.Minute}
	return &Subject{
		client: newClient("http://"+address, keys, transport), transport: transport,
		plain: NewClient(address, bucket, fakedriver.DefaultRegion, keys), stop: stop,
	}, nil
}

// listen runs a server on a port of the loopback interface until stop.
func listen(ctx context.Context, run server) (address string, stop func() error, err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen for a workload: %w", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, l) }()
	return l.Addr().String(), func() error {
		cancel()
		return <-ended
	}, nil
}

func newClient(url string, keys fakedriver.Credentials, transport *http.Transport) *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: aws.String(url), UsePathStyle: true, Region: fakedriver.DefaultRegion,
		Credentials:                credentials.NewStaticCredentialsProvider(keys.AccessKeyID, keys.SecretAccessKey, ""),
		HTTPClient:                 &http.Client{Transport: transport},
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
		RetryMaxAttempts:           1,
	})
}

// Close ends serving, and discards the data.
func (s *Subject) Close() error {
	s.transport.CloseIdleConnections()
	s.plain.Close()
	return s.stop()
}
