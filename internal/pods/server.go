package pods

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"

	"github.com/cosi-emu/cosi-emu/internal/pods/environment"
)

// idleTimeout ends a connection without data, as in a kubelet.
const idleTimeout = 4 * time.Hour

// serve serves the API server until ctx is done.
func (n *Node) serve(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = n.server.Close() })() // it only ends connections
	if err := n.server.ServeTLS(n.listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve logs and exec: %w", err)
	}
	return nil
}

// handler serves the paths of a kubelet that the API server asks for.
func (p *provider) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", p.serveLogs)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		mux.HandleFunc(method+" /exec/{namespace}/{pod}/{container}", p.serveExec)
		mux.HandleFunc(method+" /attach/{namespace}/{pod}/{container}", p.serveAttach)
		mux.HandleFunc(method+" /portForward/{namespace}/{pod}", p.servePortForward)
	}
	return mux
}

func (p *provider) serveLogs(w http.ResponseWriter, r *http.Request) {
	options, err := logOptions(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	found := p.find(r.PathValue("namespace"), r.PathValue("pod"))
	if found == nil {
		http.Error(w, fmt.Sprintf("pod %q does not run on this node any more, and its logs are gone", r.PathValue("pod")), http.StatusNotFound)
		return
	}
	log, err := found.Log(r.PathValue("container"), options.Previous)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusOK)
	_ = log.Read(r.Context(), options, flushing{w}) // the status is sent already
}

// flushing sends each part of a response at once.
type flushing struct{ http.ResponseWriter }

// Flush sends the written lines.
func (f flushing) Flush() { _ = http.NewResponseController(f.ResponseWriter).Flush() } // the reader may have gone

func (p *provider) serveExec(w http.ResponseWriter, r *http.Request) {
	options, err := remotecommand.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pod := r.PathValue("namespace") + "/" + r.PathValue("pod")
	remotecommand.ServeExec(w, r, streams{p}, pod, "", r.PathValue("container"), r.URL.Query()["command"], options,
		idleTimeout, remotecommand.DefaultStreamCreationTimeout, remotecommand.SupportedStreamingProtocols)
}

func (p *provider) serveAttach(w http.ResponseWriter, r *http.Request) {
	options, err := remotecommand.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pod := r.PathValue("namespace") + "/" + r.PathValue("pod")
	remotecommand.ServeAttach(w, r, streams{p}, pod, "", r.PathValue("container"), options,
		idleTimeout, remotecommand.DefaultStreamCreationTimeout, remotecommand.SupportedStreamingProtocols)
}

func (p *provider) servePortForward(w http.ResponseWriter, r *http.Request) {
	options, err := portforward.NewV4Options(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	portforward.ServePortForward(w, r, streams{p}, r.PathValue("namespace")+"/"+r.PathValue("pod"), "", options,
		idleTimeout, remotecommand.DefaultStreamCreationTimeout, portforward.SupportedProtocols)
}

// streams runs commands in containers, and connects to their ports.
type streams struct{ provider *provider }

// ExecInContainer implements remotecommand.Executor. There are no terminals: with tty, standard error is part of the
// output, and the size is ignored.
func (s streams) ExecInContainer(
	ctx context.Context, pod, _, container string, cmd []string, in io.Reader, out, errs io.WriteCloser, tty bool,
	_ <-chan remotecommand.TerminalSize, _ time.Duration,
) error {
	found := s.provider.find(cut(pod))
	if found == nil {
		return fmt.Errorf("pod %s does not run on this node", pod)
	}
	var stderr io.Writer = errs
	if tty {
		stderr = out
	}
	err := found.Exec(ctx, container, cmd, in, orDiscard(out), orDiscard(stderr))
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return utilexec.CodeExitError{Err: fmt.Errorf("command terminated with exit code %d", exit.ExitCode()), Code: exit.ExitCode()}
	}
	return err
}

func orDiscard(w io.Writer) io.Writer {
	if closer, ok := w.(io.WriteCloser); ok && closer == nil || w == nil {
		return io.Discard
	}
	return w
}

// AttachContainer implements remotecommand.Attacher: it follows the output of the container. Containers have no input.
func (s streams) AttachContainer(
	ctx context.Context, pod, _, container string, _ io.Reader, out, _ io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize,
) error {
	found := s.provider.find(cut(pod))
	if found == nil {
		return fmt.Errorf("pod %s does not run on this node", pod)
	}
	log, err := found.Log(container, false)
	if err != nil {
		return err
	}
	return log.Read(ctx, &corev1.PodLogOptions{Follow: true, TailLines: new(int64(0))}, orDiscard(out))
}

// PortForward implements portforward.PortForwarder.
func (s streams) PortForward(ctx context.Context, _, _ string, port int32, stream io.ReadWriteCloser) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(environment.Address, strconv.Itoa(int(port))))
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // it ends both copies
	defer stop()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.Copy(conn, stream) // the client may end at any time
		if half, ok := conn.(*net.TCPConn); ok {
			_ = half.CloseWrite() // the program may have ended
		}
	}()
	_, err = io.Copy(stream, conn)
	err = errors.Join(err, conn.Close(), stream.Close())
	<-sent
	return err
}
