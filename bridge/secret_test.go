package bridge_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/cosi-emu/cosi-emu/bridge"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
)

// TestSecret: the driver gets the Secret that the sidecar has passed to the bridge.
func TestSecret(t *testing.T) {
	var secrets []map[string]string
	observe := func(
		ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption,
	) error {
		md, _ := metadata.FromOutgoingContext(ctx)
		secret, err := secretparameters.FromIncomingContext(metadata.NewIncomingContext(ctx, md))
		if err != nil {
			return err
		}
		secrets = append(secrets, secret)
		return call(ctx, method, request, reply, conn, opts...)
	}
	driver := &oldDriver{credentials: s3Credentials()}
	b := newBridge(t, bridge.Options{DialOptions: append(driver.dial(t), grpc.WithChainUnaryInterceptor(observe))})
	for _, ctx := range []context.Context{
		metadata.NewIncomingContext(t.Context(), metadata.Pairs(secretparameters.MetadataKey, `{"token":"hunter2"}`)), t.Context(),
	} {
		if _, err := b.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "bc-1"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(secrets) < 2 || secrets[0]["token"] != "hunter2" || secrets[len(secrets)-1] != nil {
		t.Errorf("the driver got %v, want the Secret once", secrets)
	}
}
