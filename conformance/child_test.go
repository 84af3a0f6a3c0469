package conformance_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/driverserver/outage"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// Variables of a driver in a process of its own, which is this test binary.
const (
	// roleVariable names the mistake that the driver makes.
	roleVariable       = "TEST_DRIVER"
	generationVariable = "TEST_GENERATION"
	s3Variable         = "TEST_S3_ADDRESS"
	outageVariable     = "TEST_OUTAGE_DIR"
	passwordVariable   = "BACKEND_PASSWORD"
)

// The mistakes of a process. Some are made in the interceptor of process_test.go.
const (
	right          = "right"
	staleSocket    = "does not remove a stale socket"
	compiledIn     = "has the path of its socket compiled in"
	needsBackend   = "exits while its backend fails"
	failsOnSIGTERM = "exits with status 1 on SIGTERM"
	ignoresSIGTERM = "ignores SIGTERM"
	printsPassword = "prints its configuration"
	ofDialect      = "none, with an earlier dialect"
	needsSecret    = "none, with a password in a Secret"
	readsBuckets   = "none, and reads the Bucket of each call"
)

// beDriver runs the driver until SIGTERM.
func beDriver() {
	mistake := os.Getenv(roleVariable)
	if mistake == printsPassword {
		fmt.Fprintln(os.Stderr, "connecting with password", os.Getenv(passwordVariable))
	}
	err := untilSIGTERM(func(ctx context.Context) error { return runDriver(ctx, mistake) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || mistake == failsOnSIGTERM {
		os.Exit(1)
	}
}

// untilSIGTERM runs something with a context that ends with SIGTERM, unless that is ignored.
func untilSIGTERM(run func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if os.Getenv(roleVariable) == ignoresSIGTERM {
		ctx = context.WithoutCancel(ctx)
	}
	return run(ctx)
}

// readSecret reads the Secret of the driver's backend from the API server.
func readSecret(ctx context.Context) error {
	cfg, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	reader, err := client.New(cfg, client.Options{})
	if err != nil {
		return err
	}
	secret := &corev1.Secret{}
	if err := reader.Get(ctx, client.ObjectKey{Namespace: "storage", Name: "backend"}, secret); err != nil {
		return err
	}
	if got := string(secret.Data["password"]); got != "correct-horse" {
		return fmt.Errorf("the password is %q", got)
	}
	return nil
}

func runDriver(ctx context.Context, mistake string) (err error) {
	if mistake == ofDialect {
		return runDialect(ctx)
	}
	if mistake == needsSecret {
		if err := readSecret(ctx); err != nil {
			return err
		}
	}
	if mistake == needsBackend && fails() {
		return errors.New("the backend is not there")
	}
	backend, err := store.New(store.Options{Dir: filepath.Join(os.Getenv("STATE_DIR"), "store")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	s3, err := s3.New(s3.Options{Options: pipeline.Options{Store: backend}})
	if err != nil {
		return err
	}
	trouble := outage.New(os.Getenv(outageVariable), backend)
	service, err := net.Listen("tcp", os.Getenv(s3Variable)) //nolint:noctx // it does not wait
	if err != nil {
		return err
	}
	socket, err := listen(mistake)
	if err != nil {
		return err
	}
	driver, err := fakedriver.New(fakedriver.Options{
		Dialect: dialects.Dialect(os.Getenv(generationVariable)), Backend: trouble.Backend(backend),
		Endpoint: "http://" + service.Addr().String(), Region: backend.Region(), GracePeriod: time.Second,
		ServerOptions: []grpc.ServerOption{grpc.ChainUnaryInterceptor(intercept(processMistakes(ctx)[mistake]))},
	})
	if err != nil {
		return err
	}
	var served sync.WaitGroup
	served.Go(func() { _ = s3.ServeHandler(ctx, service, trouble.Handler(s3)) })
	err = driver.Serve(ctx, socket)
	served.Wait()
	return err
}

// fails returns whether the backend fails.
func fails() bool {
	root, err := os.OpenRoot(os.Getenv(outageVariable))
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	_, err = root.Stat(outage.FileFail)
	return err == nil
}

// compiledInPath is where a driver listens whatever it is told, below its directory for files.
func compiledInPath() string {
	return filepath.Join(filepath.Dir(os.Getenv(outageVariable)), "my.sock")
}

func listen(mistake string) (net.Listener, error) {
	endpoint := os.Getenv("COSI_ENDPOINT")
	if mistake == compiledIn {
		endpoint = "unix://" + compiledInPath()
	}
	if mistake == staleSocket {
		return net.Listen("unix", strings.TrimPrefix(endpoint, "unix://")) //nolint:noctx // it does not wait
	}
	return fakedriver.Listen(endpoint)
}

// passOn is a mistake that is none.
func passOn(_ context.Context, r any, next call) (any, error) { return next(r) }

// halfDone is a step of a call that leaves a file of its own if the process is killed in its
// middle, so that a repetition does something else.
func halfDone(isIt func(any) (string, bool), again func() (any, error)) behaviour {
	return func(_ context.Context, r any, next call) (any, error) {
		id, ok := isIt(r)
		if !ok || id == "" {
			return next(r)
		}
		root, err := os.OpenRoot(os.Getenv("STATE_DIR"))
		if err != nil {
			return nil, failed(codes.Internal, err.Error())
		}
		defer func() { _ = root.Close() }()
		if _, err := root.Stat("half-" + id); err == nil {
			return again()
		}
		if err := root.WriteFile("half-"+id, nil, 0o600); err != nil {
			return nil, failed(codes.Internal, err.Error())
		}
		for range 4 { // the step that takes time, even for the signal of a busy machine
			together(context.Background())
		}
		response, err := next(r)
		if err == nil {
			err = root.Remove("half-" + id)
		}
		return response, err
	}
}

// processMistakes are the mistakes that a process makes in calls, by name. The context ends
// with SIGTERM.
func processMistakes(ending context.Context) map[string]behaviour {
	exists := func() (any, error) { return nil, failed(codes.Internal, "it exists") }
	mistakes := map[string]behaviour{
		halfGrant:  halfDone(func(r any) (string, bool) { m, ok := r.(*grant); return m.GetAccountId(), ok }, exists),
		halfCreate: halfDone(func(r any) (string, bool) { m, ok := r.(*create); return m.GetBucketId(), ok }, exists),
		halfDelete: halfDone(func(r any) (string, bool) { m, ok := r.(*remove); return m.GetBucketId(), ok }, exists),
		halfRevoke: halfDone(func(r any) (string, bool) { m, ok := r.(*revoke); return m.GetAccountId(), ok },
			func() (any, error) { return &revoked{}, nil }),
		internalOnSIGTERM: func(_ context.Context, r any, next call) (any, error) {
			response, err := next(r)
			together(ending) // so that SIGTERM finds a call in its middle
			if ending.Err() != nil {
				return nil, failed(codes.Internal, "context canceled")
			}
			return response, err
		},
		readsBuckets:      readBucket,
		printsSecrets:     printResponses,
		createKnowsOnly:   createOnce(),
		createExists:      createsOnce(&sync.Map{}),
		ignoresParameters: sameParameters,
		floods: func(_ context.Context, r any, next call) (any, error) {
			_, _ = os.Stdout.Write(bytes.Repeat([]byte("all is well\n"), 500))
			return next(r)
		},
		leaksDescriptors: leakDescriptors(),
		dies: func() behaviour {
			var calls atomic.Int64
			return func(_ context.Context, r any, next call) (any, error) {
				if calls.Add(1)%2 == 0 {
					os.Exit(2)
				}
				return next(r)
			}
		}(),
		diesOfInput: func(_ context.Context, r any, next call) (any, error) {
			if m, ok := r.(*create); ok && m.GetBucketId() == "" {
				os.Exit(2)
			}
			return next(r)
		},
	}
	if mistakes[os.Getenv(roleVariable)] == nil {
		mistakes[os.Getenv(roleVariable)] = passOn
	}
	return mistakes
}

// leakDescriptors opens a file in each call, and soon has no descriptor left.
func leakDescriptors() behaviour {
	const few = 64
	var files []*os.File
	var mu sync.Mutex
	return func(_ context.Context, r any, next call) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		if len(files) == 0 {
			if err := limitFiles(few); err != nil {
				return nil, err
			}
		}
		file, err := os.Open(os.DevNull)
		if err != nil {
			return nil, failed(codes.Internal, err.Error())
		}
		files = append(files, file)
		return next(r)
	}
}

func printResponses(_ context.Context, r any, next call) (any, error) {
	response, err := next(r)
	if m, ok := response.(*granted); ok && err == nil {
		_, _ = fmt.Fprintf(os.Stdout, "%v\n", m)
	}
	return response, err
}

func sameParameters(_ context.Context, r any, next call) (any, error) {
	if m, ok := r.(*create); ok && m.GetParameters()["note"] != "" {
		m.Parameters["note"] = "all"
	}
	return next(r)
}

// createOnce is a driver that knows only in memory which buckets are its own.
func createOnce() behaviour {
	var own sync.Map
	known := fakeGet
	return func(_ context.Context, r any, next call) (any, error) {
		m, ok := r.(*create)
		if !ok {
			return next(r)
		}
		_, err := next(known(m.GetBucketId()))
		if _, created := own.Load(m.GetBucketId()); err == nil && !created {
			return nil, failed(codes.AlreadyExists, "the bucket exists")
		}
		own.Store(m.GetBucketId(), true)
		return next(r)
	}
}
