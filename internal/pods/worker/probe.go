package worker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
)

// probe runs the probes of a process until ctx is done. It ends the process if its startup or liveness probe fails.
func (p *process) probe(ctx context.Context) {
	c, spec := p.container, p.container.spec()
	if spec.StartupProbe != nil && !p.awaitStartup(ctx, spec.StartupProbe) {
		return
	}
	var all sync.WaitGroup
	defer all.Wait()
	if spec.ReadinessProbe != nil {
		all.Go(func() {
			p.repeat(ctx, "Readiness", spec.ReadinessProbe, func(healthy bool) bool {
				c.worker.change(func() { c.ready = healthy && c.process == p })
				return true
			})
		})
	} else {
		c.worker.change(func() { c.ready = c.process == p })
	}
	if spec.LivenessProbe != nil {
		all.Go(func() {
			p.repeat(ctx, "Liveness", spec.LivenessProbe, func(healthy bool) bool { //nolint:contextcheck // it ends by the grace period
				if !healthy {
					p.fail(spec.LivenessProbe, "liveness")
				}
				return healthy
			})
		})
	}
}

// awaitStartup reports whether the startup probe has succeeded.
func (p *process) awaitStartup(ctx context.Context, probe *corev1.Probe) (started bool) {
	p.repeat(ctx, "Startup", probe, func(healthy bool) bool { //nolint:contextcheck // it ends by the grace period
		if !healthy {
			p.fail(probe, "startup")
		}
		started = healthy
		return false
	})
	if started {
		p.container.worker.change(func() { p.container.started = true })
		p.container.worker.changes.notify()
	}
	return started
}

// fail ends a process whose probe has failed.
func (p *process) fail(probe *corev1.Probe, kind string) {
	p.container.worker.event(corev1.EventTypeNormal, "Killing",
		fmt.Sprintf("Container %s failed %s probe, will be restarted", p.container.name, kind))
	grace := graceOf(p.container.worker.get())
	if seconds := probe.TerminationGracePeriodSeconds; seconds != nil {
		grace = time.Duration(*seconds) * time.Second
	}
	p.container.worker.endProcess(p, grace)
}

// repeat probes until ctx is done or report returns false. It reports each change of the result, by the thresholds.
func (p *process) repeat(ctx context.Context, name string, probe *corev1.Probe, report func(healthy bool) bool) {
	timer := time.NewTimer(seconds(probe.InitialDelaySeconds))
	defer timer.Stop()
	var result, known bool
	for streak, last := int32(0), false; ; {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		healthy := p.attempt(ctx, name, probe)
		if ctx.Err() != nil {
			return
		}
		if healthy != last {
			streak = 0
		}
		last = healthy
		streak++
		threshold := max(1, probe.FailureThreshold)
		if healthy {
			threshold = max(1, probe.SuccessThreshold)
		}
		if streak >= threshold && (!known || result != healthy) {
			result, known = healthy, true
			if !report(healthy) {
				return
			}
		}
		timer.Reset(max(time.Second, seconds(probe.PeriodSeconds)))
	}
}

func seconds(n int32) time.Duration { return time.Duration(n) * time.Second }

func (p *process) attempt(ctx context.Context, name string, probe *corev1.Probe) bool {
	ctx, cancel := context.WithTimeout(ctx, max(time.Second, seconds(probe.TimeoutSeconds)))
	defer cancel()
	var err error
	switch {
	case probe.Exec != nil:
		err = p.execute(ctx, probe.Exec.Command)
	case probe.HTTPGet != nil:
		err = p.httpGet(ctx, probe.HTTPGet)
	case probe.TCPSocket != nil:
		err = p.dial(ctx, probe.TCPSocket)
	case probe.GRPC != nil:
		err = grpcHealth(ctx, probe.GRPC)
	}
	if err != nil && !errors.Is(context.Cause(ctx), context.Canceled) {
		p.container.worker.event(corev1.EventTypeWarning, "Unhealthy", fmt.Sprintf("%s probe failed: %v", name, err))
	}
	return err == nil
}

// port returns a number, also of a named port of the container.
func (p *process) port(port intstr.IntOrString) (string, error) {
	if port.Type == intstr.Int {
		return strconv.Itoa(port.IntValue()), nil
	}
	for _, known := range p.container.spec().Ports {
		if known.Name == port.StrVal {
			return strconv.Itoa(int(known.ContainerPort)), nil
		}
	}
	if n, err := strconv.ParseUint(port.StrVal, 10, 16); err == nil {
		return strconv.FormatUint(n, 10), nil
	}
	return "", fmt.Errorf("the container has no port named %s", port.StrVal)
}

func address(host, port string) string {
	if host == "" {
		host = environment.Address
	}
	return net.JoinHostPort(host, port)
}

func (p *process) dial(ctx context.Context, action *corev1.TCPSocketAction) error {
	port, err := p.port(action.Port)
	if err != nil {
		return err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address(action.Host, port))
	if err != nil {
		return err
	}
	return conn.Close()
}

// probeClient accepts any certificate, and no redirect to another host, as a kubelet.
var probeClient = &http.Client{
	Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // a kubelet does not verify either
		DisableKeepAlives: true,
	},
	CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Hostname() != via[0].URL.Hostname() {
			return http.ErrUseLastResponse
		}
		return nil
	},
}

func (p *process) httpGet(ctx context.Context, action *corev1.HTTPGetAction) error {
	port, err := p.port(action.Port)
	if err != nil {
		return err
	}
	target := url.URL{Scheme: "http", Host: address(action.Host, port)}
	if action.Scheme == corev1.URISchemeHTTPS {
		target.Scheme = "https"
	}
	path, err := url.Parse("/" + strings.TrimPrefix(action.Path, "/"))
	if err != nil {
		return fmt.Errorf("path %q: %w", action.Path, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.ResolveReference(path).String(), http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "kube-probe/cosi-emu")
	for _, header := range action.HTTPHeaders {
		if http.CanonicalHeaderKey(header.Name) == "Host" {
			request.Host = header.Value
			continue
		}
		request.Header.Add(header.Name, header.Value)
	}
	response, err := probeClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it was read only
	_, _ = io.CopyN(io.Discard, response.Body, maxOutput)
	if response.StatusCode < http.StatusOK || response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("HTTP probe failed with statuscode: %d", response.StatusCode)
	}
	return nil
}

func grpcHealth(ctx context.Context, action *corev1.GRPCAction) error {
	conn, err := grpc.NewClient(address("", strconv.Itoa(int(action.Port))), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // it is used once
	request := &healthv1.HealthCheckRequest{}
	if action.Service != nil {
		request.Service = *action.Service
	}
	response, err := healthv1.NewHealthClient(conn).Check(ctx, request)
	if err != nil {
		return err
	}
	if response.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		return fmt.Errorf("service unhealthy (responded with %q)", response.GetStatus())
	}
	return nil
}
