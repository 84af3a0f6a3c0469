package planetest

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// kubelet is the server of a node. It answers logs with the path and the query of the request, and
// echoes what it gets by exec, attach and port-forward.
type kubelet struct {
	server *httptest.Server
}

// startKubelet serves a node until the test ends, and creates its Node.
func (f *fixture) startKubelet(t *testing.T, name string) *kubelet {
	t.Helper()
	k := &kubelet{server: httptest.NewUnstartedServer(http.NotFoundHandler())}
	k.server.Config.Handler = k.handler()
	k.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // clients without a certificate
	config := must(f.plane.NodeServing())(t)
	k.server.TLS = config
	k.server.StartTLS()
	t.Cleanup(k.server.Close)
	address := must(url.Parse(k.server.URL))(t)
	host, port, err := net.SplitHostPort(address.Host)
	if err != nil {
		t.Fatal(err)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	node.Status.Addresses = []corev1.NodeAddress{
		{Type: corev1.NodeHostName, Address: "unreachable.invalid"}, {Type: corev1.NodeInternalIP, Address: host},
	}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(must(strconv.ParseInt(port, 10, 32))(t)) //nolint:gosec // a port
	node.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
	}}
	must(f.kube.CoreV1().Nodes().Create(testContext(t), node, metav1.CreateOptions{}))(t)
	t.Cleanup(func() {
		if err := f.kube.CoreV1().Nodes().Delete(testContext(t), name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("delete the node: %v", err)
		}
	})
	return k
}

func (k *kubelet) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("container") == "broken" {
			http.Error(w, "no such log", http.StatusNotFound)
			return
		}
		query := r.URL.Query().Encode()
		_, _ = fmt.Fprintf(w, "%s/%s?%s\n", r.PathValue("pod"), r.PathValue("container"), query) //nolint:gosec // no browser reads it
		if r.URL.Query().Has("follow") {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	})
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", k.echo)
	mux.HandleFunc("/attach/{namespace}/{pod}/{container}", k.echo)
	mux.HandleFunc("/portForward/{namespace}/{pod}", k.forward)
	return mux
}

// echo answers with the command, and the input.
func (k *kubelet) echo(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	wanted := 1
	for _, name := range []string{corev1.ExecStdinParam, corev1.ExecStdoutParam, corev1.ExecStderrParam} {
		if query.Get(name) == "1" {
			wanted++
		}
	}
	k.streams(w, r, "v4.channel.k8s.io", wanted, func(streams map[string]httpstream.Stream) {
		out := streams[corev1.StreamTypeStdout]
		_, _ = fmt.Fprintf(out, "%s %v: ", r.PathValue("container"), query["command"])
		if in := streams[corev1.StreamTypeStdin]; in != nil {
			_, _ = io.Copy(out, in)
		}
		_ = out.Close()
		_, _ = io.WriteString(streams[corev1.StreamTypeError], `{"metadata":{},"status":"Success"}`)
		_ = streams[corev1.StreamTypeError].Close()
	})
}

// forward answers with the port, and the input.
func (k *kubelet) forward(w http.ResponseWriter, r *http.Request) {
	k.streams(w, r, "portforward.k8s.io", 2, func(streams map[string]httpstream.Stream) {
		data := streams[corev1.StreamTypeData]
		_, _ = io.WriteString(data, data.Headers().Get(corev1.PortHeader)+": ")
		_, _ = io.Copy(data, data)
		_ = data.Close()
		_ = streams[corev1.StreamTypeError].Close()
	})
}

// streams waits for a number of streams, and calls serve with them by their types.
func (k *kubelet) streams(
	w http.ResponseWriter, r *http.Request, protocol string, wanted int, serve func(map[string]httpstream.Stream),
) {
	if _, err := httpstream.Handshake(r, w, []string{protocol}); err != nil {
		return
	}
	opened := make(chan httpstream.Stream, wanted)
	conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(stream httpstream.Stream, _ <-chan struct{}) error {
		opened <- stream
		return nil
	})
	if conn == nil {
		return
	}
	defer func() { _ = conn.Close() }()
	streams := map[string]httpstream.Stream{}
	for len(streams) < wanted {
		select {
		case stream := <-opened:
			streams[stream.Headers().Get(corev1.StreamType)] = stream
		case <-conn.CloseChan():
			return
		}
	}
	serve(streams)
	<-conn.CloseChan() // the client has read it all
}
