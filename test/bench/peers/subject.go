package peers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/bench/workload"
)

// subject is a server under load.
type subject struct {
	name       string
	version    string // empty: it is this project's
	durability string
	bar        float64
	process    *process
	client     *workload.Client
	dir        string
	ports      tcpport.Reservations
	result     result
}

// reserve returns an address of the loopback interface that stays free for the server.
func (s *subject) reserve(ctx context.Context) (string, error) {
	port, err := s.ports.Reserve(ctx, tcpport.Loopback)
	return net.JoinHostPort(tcpport.Loopback, strconv.Itoa(port)), err
}

// close ends the server, and deletes its data.
func (s *subject) close() error {
	if s.client != nil {
		s.client.Close()
	}
	if s.process != nil {
		s.process.stop()
	}
	return errors.Join(s.ports.Close(), os.RemoveAll(s.dir))
}

// turn is one turn of a server.
func (s *subject) turn(ctx context.Context, data workload.Content, duration time.Duration, seed uint64) error {
	before, _ := cpuOf(s.process.cmd.Process.Pid)
	done, err := mix(ctx, s.client, data, duration, seed)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	after, ok := cpuOf(s.process.cmd.Process.Pid)
	done.cpu, done.hasCPU = after-before, ok
	s.result.add(done)
	return nil
}

// newSubject makes a directory and calls run. When it has failed, nothing is left.
func newSubject(s *subject, run func() error) (_ *subject, err error) {
	if s.dir, err = os.MkdirTemp("", "cosi-emu-bench-"); err != nil {
		return nil, err
	}
	if err := run(); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", s.name, err), s.close())
	}
	return s, nil
}

// startPeer starts another server, with a bucket.
func startPeer(ctx context.Context, p Peer, path string) (*subject, error) {
	s := &subject{name: p.Name, version: p.Version, durability: p.Durability, bar: p.Bar}
	return newSubject(s, func() error {
		address, err := s.reserve(ctx)
		if err != nil {
			return err
		}
		// Only this machine reaches the server.
		keys := fakedriver.Credentials{AccessKeyID: "benchmark", SecretAccessKey: "benchmark-secret"}
		s.process, err = start(ctx, s.dir, path, p.Args(s.dir, address), append(cleanEnv(s.dir), p.Env(keys)...))
		if err != nil {
			return err
		}
		s.client = workload.NewClient(address, bucket, region, keys)
		return s.process.await(ctx, s.client.CreateBucket)
	})
}

// startOurs starts the driver, and has it provision a bucket and access to it.
func startOurs(ctx context.Context, program string) (*subject, error) {
	s := &subject{name: "cosi-emu", durability: "fsync before each answer, shared by the uploads that wait for it"}
	return newSubject(s, func() error {
		address, err := s.reserve(ctx)
		if err != nil {
			return err
		}
		socket := "unix://" + filepath.Join(s.dir, "cosi.sock")
		env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "COSI_EMU_") })
		s.process, err = start(ctx, s.dir, program, []string{
			"driver", "--endpoint", socket, "--s3-bind-address", address, "--data-dir", filepath.Join(s.dir, "data"),
		}, env)
		if err != nil {
			return err
		}
		connection, err := grpc.NewClient(socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: readyInterval, MaxDelay: readyInterval}}))
		if err != nil {
			return err
		}
		defer connection.Close() //nolint:errcheck // it is no longer needed
		return s.process.await(ctx, func(ctx context.Context) (err error) {
			s.client, err = provision(ctx, cosiv1alpha2.NewProvisionerClient(connection))
			return err
		})
	})
}

// provision does what COSI does for a BucketClaim and a BucketAccess.
func provision(ctx context.Context, driver cosiv1alpha2.ProvisionerClient) (*workload.Client, error) {
	protocol := &cosiv1alpha2.ObjectProtocol{Type: cosiv1alpha2.ObjectProtocol_S3}
	byKey := &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY}
	all := &cosiv1alpha2.AccessMode{Mode: cosiv1alpha2.AccessMode_READ_WRITE}
	created, err := driver.DriverGenerateBucketId(ctx, &cosiv1alpha2.DriverGenerateBucketIdRequest{
		Name: bucket, Protocols: []*cosiv1alpha2.ObjectProtocol{protocol},
	})
	if err != nil {
		return nil, err
	}
	if _, err := driver.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{
		BucketId: created.GetBucketId(), Protocols: []*cosiv1alpha2.ObjectProtocol{protocol},
	}); err != nil {
		return nil, err
	}
	account, err := driver.DriverGenerateBucketAccessId(ctx, &cosiv1alpha2.DriverGenerateBucketAccessIdRequest{
		AccountName: bucket, Protocol: protocol, AuthenticationType: byKey,
	})
	if err != nil {
		return nil, err
	}
	granted, err := driver.DriverGrantBucketAccess(ctx, &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: account.GetAccountId(), Protocol: protocol, AuthenticationType: byKey,
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{{
			BucketId: created.GetBucketId(), ObjectDataAccessMode: all, ObjectMetadataAccessMode: all, BucketMetadataAccessMode: all,
		}},
	})
	if err != nil {
		return nil, err
	}
	place, keys := granted.GetBuckets()[0].GetBucketInfo().GetS3(), granted.GetCredentials().GetS3()
	endpoint, err := url.Parse(place.GetEndpoint())
	if err != nil {
		return nil, err
	}
	return workload.NewClient(endpoint.Host, place.GetBucketId(), place.GetRegion(),
		fakedriver.Credentials{AccessKeyID: keys.GetAccessKeyId(), SecretAccessKey: keys.GetAccessSecretKey()}), nil
}
