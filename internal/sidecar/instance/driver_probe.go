package instance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

// DefaultDriverProbeTimeout is the default deadline of a driver's answer to a probe. A slow answer is no deadlock.
const DefaultDriverProbeTimeout = 10 * time.Second

// readHeaderTimeout limits the time in which a client sends its request.
const readHeaderTimeout = 10 * time.Second

// driverProbe serves /healthz about the driver, as the livenessprobe of CSI does: the kubelet restarts the driver's
// container if it fails, and not the sidecar.
type driverProbe struct {
	driver   *connection.Conn
	timeout  time.Duration
	listener net.Listener
}

// addDriverProbe opens the listener, so that an address in use is an error of New.
func (i *Instance) addDriverProbe(ctx context.Context) error {
	address := i.Options.DriverProbeBindAddress
	if address == "" || address == "0" {
		return nil
	}
	var err error
	if i.probe, err = (&net.ListenConfig{}).Listen(ctx, "tcp", address); err != nil {
		return err
	}
	return i.Manager.Add(&driverProbe{driver: i.driver, timeout: i.Options.DriverProbeTimeout, listener: i.probe})
}

// closeDriverProbe closes the listener if the manager has ended before it served.
func (i *Instance) closeDriverProbe() {
	if i.probe != nil {
		_ = i.probe.Close() // normally it is closed
	}
}

// NeedLeaderElection implements manager.LeaderElectionRunnable: the driver of a standby is probed, too.
func (*driverProbe) NeedLeaderElection() bool { return false }

// Start implements manager.Runnable.
func (p *driverProbe) Start(ctx context.Context) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", p.answer)
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: readHeaderTimeout, BaseContext: func(net.Listener) context.Context { return ctx },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(p.listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve the probe of the driver: %w", err)
	case <-ctx.Done():
	}
	err := server.Close() // a probe in flight is about a sidecar that ends
	if ended := <-served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

func (p *driverProbe) answer(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), p.timeout)
	defer cancel()
	if err := p.driver.Probe(ctx); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = fmt.Fprintln(w, "ok") // the client has gone
}
