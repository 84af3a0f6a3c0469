package emulator

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// otherService is the service of another protocol than S3. All its state is in the store, so all
// incarnations of the component share one instance.
type otherService interface {
	seam.Describer

	Serve(ctx context.Context, l net.Listener) error
}

// startOther starts a service of another protocol than S3, and returns its URL. open creates it
// with the clock and the middleware of its incarnations.
func startOther[S otherService](
	ctx context.Context, e *Emulator, component string, choice portChoice,
	open func(now func() time.Time, middleware func(http.Handler) http.Handler) (S, error),
) (service S, endpoint string, err error) {
	port, err := e.reservePort(ctx, choice)
	if err != nil {
		return service, "", err
	}
	var current atomic.Pointer[seam.Incarnation]
	service, err = open(clockOf(&current), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Load().Middleware(service, next).ServeHTTP(w, r) })
	})
	if err != nil {
		return service, "", err
	}
	err = e.startComponent(ctx, component, func(ctx context.Context, i *seam.Incarnation) (Runner, error) {
		listener, err := port.listen(ctx)
		if err != nil {
			return nil, err
		}
		if e.tlsConfig != nil {
			listener = tls.NewListener(listener, e.tlsConfig)
		}
		current.Store(i)
		return server(func(ctx context.Context) error { return service.Serve(ctx, listener) }), nil
	})
	return service, e.scheme() + net.JoinHostPort(e.opts.listen().Host(), port.number), err
}

func (e *Emulator) scheme() string {
	if e.tlsConfig != nil {
		return "https://"
	}
	return "http://"
}
