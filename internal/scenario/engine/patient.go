package engine

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
)

// connectInterval is the delay between attempts to reach the API server.
const connectInterval = 20 * time.Millisecond

// patient returns a client of the bench: a fault that restarts the control plane tests the components, and not the
// steps of a scenario. A request that an outage ended is repeated until its context ends; then the error is the
// outage. A creation or deletion is repeated only if it certainly had no effect. Watches are not repeated: who waits
// by them reads the object again.
func patient(of client.WithWatch) client.WithWatch {
	return interceptor.NewClient(of, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			return repeat(ctx, isOutage, func() error { return c.Get(ctx, key, o, opts...) })
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			return repeat(ctx, isOutage, func() error { return c.List(ctx, list, opts...) })
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return repeat(ctx, isUnsent, func() error { return c.Create(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return repeat(ctx, isUnsent, func() error { return c.Delete(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return repeat(ctx, isOutage, func() error { return c.Patch(ctx, o, patch, opts...) })
		},
		Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			return repeat(ctx, isOutage, func() error { return c.Apply(ctx, o, opts...) })
		},
		SubResourcePatch: func(
			ctx context.Context, c client.Client, name string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption,
		) error {
			return repeat(ctx, isOutage, func() error { return c.SubResource(name).Patch(ctx, o, patch, opts...) })
		},
	})
}

func repeat(ctx context.Context, after func(error) bool, request func() error) error {
	for {
		err := request()
		if err == nil || !after(err) || ctx.Err() != nil {
			return err
		}
		idle.Pause(ctx, connectInterval)
	}
}

// isOutage reports whether a request failed because kube-apiserver or etcd was down. It may have had an effect.
func isOutage(err error) bool {
	const ofEtcd = "rpc error: code = Unavailable"
	return isUnsent(err) || strings.Contains(err.Error(), ofEtcd) || utilnet.IsConnectionReset(err) ||
		utilnet.IsProbableEOF(err) || errors.Is(err, io.ErrUnexpectedEOF) || utilnet.IsHTTP2ConnectionLost(err)
}

// isUnsent reports whether a request failed before kube-apiserver got it, which opens its port before it answers.
func isUnsent(err error) bool {
	const handshake = "net/http: TLS handshake timeout" // an error of net/http without a name
	return utilnet.IsConnectionRefused(err) || strings.Contains(err.Error(), handshake)
}
