package workload

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Bare serves gofakes3 with its backend in memory, without anything that the store
// adds: no accounts, no checks, no storage of its own. The caller closes it.
func Bare(ctx context.Context) (*Subject, error) {
	handler := gofakes3.New(s3mem.New()).Server()
	// It looks at no signature; the SDK makes one all the same.
	subject, err := serve(ctx, func(ctx context.Context, l net.Listener) error { return serveHandler(ctx, l, handler) },
		fakedriver.Credentials{AccessKeyID: "anybody", SecretAccessKey: "anything"})
	if err != nil {
		return nil, err
	}
	if _, err := subject.client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(bucket)}); err != nil {
		return nil, errors.Join(err, subject.Close())
	}
	return subject, nil
}

// serveHandler serves until ctx is done, with a server like the store's.
func serveHandler(ctx context.Context, l net.Listener, handler http.Handler) error {
	const headerTimeout = 10 * time.Second
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	<-ctx.Done()
	err := server.Close()
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		return errors.Join(err, served)
	}
	return err
}
