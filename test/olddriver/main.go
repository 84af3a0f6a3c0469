// Command olddriver is a driver of COSI v1alpha1. It knows nothing of cosi-emu but the
// generated protocol, as drivers in the field do. Its buckets and accounts are
// in a file, so that it is idempotent over restarts. It hands out keys, and has no object storage.
// Flags have it behave as badly as some drivers in the field.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

func main() {
	d := &driver{}
	endpoint := flag.String("endpoint", os.Getenv("COSI_ENDPOINT"), "UNIX socket, unix:///path")
	flag.StringVar(&d.file, "state", "", "file that keeps buckets and accounts")
	flag.StringVar(&d.prefix, "id-prefix", "", "prefix of the IDs, such as arn:old: (default: the IDs are the names)")
	flag.BoolVar(&d.keepSocket, "keep-socket", false, "do not remove a socket that an earlier process has left")
	flag.BoolVar(&d.noServices, "no-services", false, "serve no COSI at all")
	flag.BoolVar(&d.printKeys, "print-keys", false, "print the keys that it hands out")
	flag.DurationVar(&d.late, "late", 0, "time after the start in which DriverGetInfo fails")
	flag.StringVar(&d.requires, "require-parameter", "", "parameter without which it rejects buckets and accesses")
	flag.BoolVar(&d.noEndpoint, "no-endpoint", false, "grant keys without the endpoint and the region of the backend")
	failed := flag.Bool("fail-on-sigterm", false, "exit with status 1 on SIGTERM")
	flag.Parse()
	d.started = time.Now()
	fmt.Printf("listening at %s for the backend %q\n", *endpoint, os.Getenv("BACKEND"))
	if err := d.run(strings.TrimPrefix(*endpoint, "unix://")); err != nil {
		fmt.Fprintln(os.Stderr, "olddriver:", err)
		os.Exit(1)
	}
	if *failed {
		os.Exit(1)
	}
}

// driver implements both services.
type driver struct {
	cosi.UnimplementedIdentityServer
	cosi.UnimplementedProvisionerServer

	file, prefix                      string
	keepSocket, noServices, printKeys bool
	requires                          string
	noEndpoint                        bool
	late                              time.Duration
	started                           time.Time
	mu                                sync.Mutex
}

// state is the content of the file.
type state struct {
	// Buckets are the parameters by ID.
	Buckets map[string]map[string]string `json:"buckets"`
	// Accounts are the bucket IDs by account ID.
	Accounts map[string]string `json:"accounts"`
}

func (d *driver) run(socket string) error {
	if !d.keepSocket {
		if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	if !d.noServices {
		cosi.RegisterIdentityServer(server, d)
		cosi.RegisterProvisionerServer(server, d)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	context.AfterFunc(ctx, server.Stop)
	return server.Serve(listener)
}

// change reads the state, changes it and writes it.
func (d *driver) change(how func(*state) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &state{Buckets: map[string]map[string]string{}, Accounts: map[string]string{}}
	content, err := os.ReadFile(d.file)
	if err == nil {
		err = json.Unmarshal(content, s)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return status.Error(codes.Unavailable, err.Error())
	}
	if err := how(s); err != nil {
		return err
	}
	if content, err = json.Marshal(s); err == nil {
		err = os.WriteFile(d.file+".new", content, 0o600)
	}
	if err == nil {
		err = os.Rename(d.file+".new", d.file)
	}
	if err != nil {
		return status.Error(codes.Unavailable, err.Error())
	}
	return nil
}

// check rejects parameters without the required one.
func (d *driver) check(parameters map[string]string) error {
	if d.requires != "" && parameters[d.requires] == "" {
		return status.Errorf(codes.InvalidArgument, "the parameter %s is required", d.requires)
	}
	return nil
}

func (d *driver) DriverGetInfo(context.Context, *cosi.DriverGetInfoRequest) (*cosi.DriverGetInfoResponse, error) {
	if time.Since(d.started) < d.late {
		return nil, status.Error(codes.Unavailable, "the backend is not ready")
	}
	return &cosi.DriverGetInfoResponse{Name: "old.example.com"}, nil
}

func (d *driver) DriverCreateBucket(_ context.Context, r *cosi.DriverCreateBucketRequest) (*cosi.DriverCreateBucketResponse, error) {
	if err := d.check(r.GetParameters()); err != nil {
		return nil, err
	}
	id := d.prefix + r.GetName()
	err := d.change(func(s *state) error {
		existing, exists := s.Buckets[id]
		if exists && fmt.Sprint(existing) != fmt.Sprint(r.GetParameters()) {
			return status.Errorf(codes.AlreadyExists, "bucket %s has other parameters", r.GetName())
		}
		s.Buckets[id] = r.GetParameters()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &cosi.DriverCreateBucketResponse{
		BucketId:   id,
		BucketInfo: &cosi.Protocol{Type: &cosi.Protocol_S3{S3: &cosi.S3{Region: "eu-1", SignatureVersion: cosi.S3SignatureVersion_S3V4}}},
	}, nil
}

func (d *driver) DriverDeleteBucket(_ context.Context, r *cosi.DriverDeleteBucketRequest) (*cosi.DriverDeleteBucketResponse, error) {
	return &cosi.DriverDeleteBucketResponse{}, d.change(func(s *state) error {
		delete(s.Buckets, r.GetBucketId())
		return nil
	})
}

func (d *driver) DriverGrantBucketAccess(
	_ context.Context, r *cosi.DriverGrantBucketAccessRequest,
) (*cosi.DriverGrantBucketAccessResponse, error) {
	if err := d.check(r.GetParameters()); err != nil {
		return nil, err
	}
	id := d.prefix + r.GetName()
	err := d.change(func(s *state) error {
		if _, exists := s.Buckets[r.GetBucketId()]; !exists {
			return status.Errorf(codes.NotFound, "there is no bucket %s", r.GetBucketId())
		}
		s.Accounts[id] = r.GetBucketId()
		return nil
	})
	if err != nil {
		return nil, err
	}
	secrets := map[string]string{
		"accessKeyID": "id-of-" + r.GetName(), "accessSecretKey": "key-of-" + r.GetName(), "endpoint": "http://127.0.0.1:1",
	}
	if d.noEndpoint {
		delete(secrets, "endpoint")
	}
	if d.printKeys {
		fmt.Println("granted", secrets["accessSecretKey"])
	}
	return &cosi.DriverGrantBucketAccessResponse{
		AccountId: id, Credentials: map[string]*cosi.CredentialDetails{"s3": {Secrets: secrets}},
	}, nil
}

func (d *driver) DriverRevokeBucketAccess(
	_ context.Context, r *cosi.DriverRevokeBucketAccessRequest,
) (*cosi.DriverRevokeBucketAccessResponse, error) {
	return &cosi.DriverRevokeBucketAccessResponse{}, d.change(func(s *state) error {
		delete(s.Accounts, r.GetAccountId())
		return nil
	})
}
