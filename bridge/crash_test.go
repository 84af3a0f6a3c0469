package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/bridge"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/dialectdriver"
)

// memory is a Store that survives a Bridge.
type memory map[string]string

func (m memory) Load(_ context.Context, key string) (value string, found bool, err error) {
	value, found = m[key]
	return value, found, nil
}

func (m memory) Keys(context.Context) ([]string, error) { return slices.Collect(maps.Keys(m)), nil }

func (m memory) Save(_ context.Context, key, value string) error {
	m[key] = value
	return nil
}

func (m memory) Delete(_ context.Context, key string) error {
	delete(m, key)
	return nil
}

var errCrashed = errors.New("the bridge has crashed")

// crash ends a bridge at one operation: a call or a write. Operations after it have no
// effect.
type crash struct {
	at    int  // counts down; operation 0 is the one
	after bool // the operation still has its effect
}

func (c *crash) do(operation func() error) error {
	c.at--
	if c.at >= 0 {
		return operation()
	}
	if c.at == -1 && c.after {
		_ = operation()
	}
	return errCrashed
}

func (c *crash) crashed() bool { return c.at < 0 }

// crashingStore is the store of a bridge that crashes.
type crashingStore struct {
	memory

	crash *crash
}

func (s crashingStore) Save(ctx context.Context, key, value string) error {
	return s.crash.do(func() error { return s.memory.Save(ctx, key, value) })
}

func (s crashingStore) Delete(ctx context.Context, key string) error {
	return s.crash.do(func() error { return s.memory.Delete(ctx, key) })
}

func (c *crash) intercept(
	ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	return c.do(func() error { return invoke(ctx, method, request, reply, conn, options...) })
}

// life is the sequence of calls of a v1alpha2 sidecar for a bucket and an account.
var life = []struct {
	name string
	call func(context.Context, *bridge.Bridge) error
}{
	{"DriverCreateBucket", func(ctx context.Context, b *bridge.Bridge) error {
		_, err := b.DriverCreateBucket(ctx, &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "bc-1"})
		return err
	}},
	{"DriverGrantBucketAccess", func(ctx context.Context, b *bridge.Bridge) error {
		_, err := b.DriverGrantBucketAccess(ctx, grantRequest())
		return err
	}},
	{"DriverRevokeBucketAccess", func(ctx context.Context, b *bridge.Bridge) error {
		_, err := b.DriverRevokeBucketAccess(ctx, &cosiv1alpha2.DriverRevokeBucketAccessRequest{
			AccountId: "ba-1", Protocol: s3(), AuthenticationType: key(),
			Buckets: []*cosiv1alpha2.DriverRevokeBucketAccessRequest_AccessedBucket{{BucketId: "bc-1"}},
		})
		return err
	}},
	{"DriverDeleteBucket", func(ctx context.Context, b *bridge.Bridge) error {
		_, err := b.DriverDeleteBucket(ctx, &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "bc-1"})
		return err
	}},
}

// TestCrash crashes the bridge at each of its operations, before and after it has had
// its effect. The sidecar then repeats the call; or, because the object was deleted
// meanwhile, goes on to the calls that remove everything. Nothing may be left.
func TestCrash(t *testing.T) {
	own := func(name string) string { return "arn:old:" + name + "/x" }
	old := func(idOf func(string) string) startDriver {
		return func(t *testing.T) ([]grpc.DialOption, func() []string) {
			t.Helper()
			driver := &oldDriver{idOf: idOf, credentials: s3Credentials()}
			return driver.dial(t), driver.left
		}
	}
	of := func(dialect dialects.Dialect, idOf func(string) string) startDriver {
		return func(t *testing.T) ([]grpc.DialOption, func() []string) {
			t.Helper()
			driver := &dialectdriver.Driver{Dialect: dialect, IDOf: idOf}
			return driver.Dial(t), driver.Left
		}
	}
	for scheme, start := range map[string]startDriver{
		"Names": old(nil),
		"Own":   old(own),
		"Both": old(func(name string) string {
			if name == earlierBucket {
				return name
			}
			return own(name)
		}),
		"OneMode":   of(dialects.OneMode, nil),
		"OneModeID": of(dialects.OneMode, own),
		"BucketIDs": of(dialects.BucketIDs, own),
	} {
		for call := range life {
			for _, repeats := range []bool{true, false} {
				for _, after := range []bool{false, true} {
					name := fmt.Sprintf("%s/%s/repeats=%t/after=%t", scheme, life[call].name, repeats, after)
					t.Run(name, func(t *testing.T) {
						for at := 0; crashAt(t, start, call, repeats, crash{at: at, after: after}); at++ {
						}
					})
				}
			}
		}
	}
}

// earlierBucket has an ID before the life begins.
const earlierBucket = "bc-0"

// startDriver starts a driver. It returns the options to dial it, and a function that lists its
// buckets and accounts.
type startDriver func(t *testing.T) (dial []grpc.DialOption, left func() []string)

// crashAt reports whether the call had as many operations as the crash needs.
func crashAt(t *testing.T, start startDriver, call int, repeats bool, at crash) bool {
	t.Helper()
	dial, left := start(t)
	store := memory{}
	open := func(store bridge.Store, dial ...grpc.DialOption) *bridge.Bridge {
		return newBridge(t, bridge.Options{Store: store, DialOptions: dial})
	}
	b := open(store, dial...)
	if _, err := b.DriverCreateBucket(t.Context(), &cosiv1alpha2.DriverCreateBucketRequest{BucketId: earlierBucket}); err != nil {
		t.Fatal(err)
	}
	for _, earlier := range life[:call] {
		if err := earlier.call(t.Context(), b); err != nil {
			t.Fatalf("%s before the crash: %v", earlier.name, err)
		}
	}
	victim := open(crashingStore{store, &at}, append(dial, grpc.WithUnaryInterceptor(at.intercept))...)
	err := life[call].call(t.Context(), victim)
	_ = victim.Close() // its connection ends with it
	if crashed := at.crashed(); crashed != (err != nil) {
		t.Fatalf("%s: error %v, crashed: %t", life[call].name, err, crashed)
	}
	rest := life[call:]
	if !repeats {
		rest = life[max(call, len(life)-2):] // revoke and delete
		if call == 0 {
			rest = life[len(life)-1:] // there was no access yet
		}
	}
	restarted := open(store, dial...)
	for _, later := range rest {
		if err := later.call(t.Context(), restarted); err != nil {
			t.Fatalf("%s after the crash: %v", later.name, err)
		}
	}
	if _, err := restarted.DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: earlierBucket}); err != nil {
		t.Fatal(err)
	}
	if left := left(); left != nil || len(store) > 0 {
		t.Errorf("after a crash of %s: left at the driver: %v, in the store: %v", life[call].name, left, store)
	}
	return at.crashed()
}
