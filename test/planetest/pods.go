package planetest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// RunPods runs the tests of Options.Pods.
func RunPods(t *testing.T, start Start) {
	t.Helper()
	plane := start(t, controlplane.Options{Pods: true})
	if err := plane.WaitReady(testContext(t)); err != nil {
		t.Fatal(err)
	}
	f := &fixture{plane: plane, config: plane.AdminConfig(), kube: kubernetes.NewForConfigOrDie(plane.AdminConfig())}
	t.Run("Nodes", f.testNodes)
	t.Run("Binding", f.testBinding)
	t.Run("PodStatus", f.testPodStatus)
	t.Run("PodDeletion", f.testPodDeletion)
	t.Run("PodAccount", f.testPodAccount)
	t.Run("RootCA", f.testRootCA)
	t.Run("Logs", f.testLogs)
	t.Run("Streams", f.testStreams)
	t.Run("NodeClients", f.testNodeClients)
	t.Run("PodTable", f.testPodTable)
	t.Run("JobDefaults", f.testJobDefaults)
	t.Run("JobErrors", f.testJobErrors)
	t.Run("JobUpdates", f.testJobUpdates)
	t.Run("JobCompletes", f.testJobCompletes)
	t.Run("JobFails", f.testJobFails)
	t.Run("JobDeadline", f.testJobDeadline)
	t.Run("JobIndexes", f.testJobIndexes)
	t.Run("JobSuspended", f.testJobSuspended)
	t.Run("JobDeletion", f.testJobDeletion)
}

// podOn creates a Pod with containers, on a node unless it is empty.
func (f *fixture) podOn(t *testing.T, namespace, name, node string, containers ...string) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: node}}
	for _, container := range containers {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: container, Image: "example.com/app"})
	}
	return must(f.kube.CoreV1().Pods(namespace).Create(testContext(t), pod, metav1.CreateOptions{}))(t)
}

func (f *fixture) testLogs(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	f.startKubelet(t, "logs")
	f.podOn(t, namespace, "one", "logs", "app")
	f.podOn(t, namespace, "two", "logs", "app", "broken")
	f.podOn(t, namespace, "pending", "", "app")
	f.podOn(t, namespace, "lost", "no-such-node", "app")
	pods := f.kube.CoreV1().Pods(namespace)
	since := metav1.Unix(1700000000, 0)
	for name, test := range map[string]struct {
		pod  string
		opts corev1.PodLogOptions
		want string
		err  string
	}{
		"Plain":   {pod: "one", want: "one/app?\n"},
		"Options": {pod: "two", opts: corev1.PodLogOptions{Container: "app", Previous: true, Timestamps: true, TailLines: new(int64(0)), LimitBytes: new(int64(9)), SinceSeconds: new(int64(5))}, want: "two/app?limitBytes=9&previous=true&sinceSeconds=5&tailLines=0&timestamps=true\n"}, //nolint:lll // one case a line
		"Since":   {pod: "one", opts: corev1.PodLogOptions{SinceTime: &since}, want: "one/app?sinceTime=2023-11-14T22%3A13%3A20Z\n"},
		"Pending": {pod: "pending"},
		"NoPod":   {pod: "none", err: `pods "none" not found`},
		"NoNode":  {pod: "lost", err: `"no-such-node" not found`},
		"Which":   {pod: "two", err: "a container name must be specified for pod two, choose one of: [app broken]"},
		"Unknown": {pod: "two", opts: corev1.PodLogOptions{Container: "x"}, err: "container x is not valid for pod two"},
		"OfNode":  {pod: "two", opts: corev1.PodLogOptions{Container: "broken"}, err: "could not find the requested resource ( pods/log two)"},
		"Lines":   {pod: "one", opts: corev1.PodLogOptions{TailLines: new(int64(-1))}, err: ` "one" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0`},    //nolint:lll // one case a line
		"Twice":   {pod: "one", opts: corev1.PodLogOptions{SinceTime: &since, SinceSeconds: new(int64(1))}, err: "at most one of `sinceTime` or `sinceSeconds` may be specified"},     //nolint:lll // as above
		"Seconds": {pod: "one", opts: corev1.PodLogOptions{SinceSeconds: new(int64(-1)), LimitBytes: new(int64(-1))}, err: "sinceSeconds: Invalid value: -1: must be greater than 0"}, //nolint:lll // as above
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readLog(ctx, pods.GetLogs(test.pod, &test.opts))
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
			if diff := cmp.Diff(test.want, string(got)); err == nil && diff != "" {
				t.Errorf("log: -want +got\n%s", diff)
			}
		})
	}
	t.Run("Follow", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream := must(pods.GetLogs("one", &corev1.PodLogOptions{Follow: true}).Stream(ctx))(t)
		defer func() { _ = stream.Close() }()
		if line := must(bufio.NewReader(stream).ReadString('\n'))(t); line != "one/app?follow=true\n" {
			t.Errorf("got %q before the log ends", line)
		}
	})
}

// readLog returns a log with the error of the server, which rest.Request.DoRaw does not read.
func readLog(ctx context.Context, request *rest.Request) ([]byte, error) {
	stream, err := request.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stream.Close() }()
	return io.ReadAll(stream)
}

func (f *fixture) testStreams(t *testing.T) {
	namespace := f.namespace(t)
	f.startKubelet(t, "streams")
	f.podOn(t, namespace, "one", "streams", "app")
	f.podOn(t, namespace, "pending", "", "app")
	t.Run("ExecBySPDY", func(t *testing.T) {
		executor := must(remotecommand.NewSPDYExecutor(f.config, http.MethodPost, f.execURL(namespace, "one", "exec")))(t)
		f.checkEcho(t, executor, "app [cat -v]: hello")
	})
	t.Run("ExecByWebSocket", func(t *testing.T) {
		executor := must(remotecommand.NewWebSocketExecutor(f.config, http.MethodGet, f.execURL(namespace, "one", "exec").String()))(t)
		f.checkEcho(t, executor, "app [cat -v]: hello")
	})
	t.Run("Attach", func(t *testing.T) {
		executor := must(remotecommand.NewSPDYExecutor(f.config, http.MethodPost, f.execURL(namespace, "one", "attach")))(t)
		f.checkEcho(t, executor, "app []: hello")
	})
	target := f.kube.CoreV1().RESTClient().Post().Namespace(namespace).Resource("pods").Name("one").SubResource("portforward").URL()
	t.Run("PortForwardBySPDY", func(t *testing.T) {
		transport, upgrader, err := spdy.RoundTripperFor(f.config)
		if err != nil {
			t.Fatal(err)
		}
		checkForward(t, spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, target))
	})
	t.Run("PortForwardByWebSocket", func(t *testing.T) {
		checkForward(t, must(portforward.NewSPDYOverWebsocketDialerForStreaming(target, f.config))(t))
	})
	t.Run("PodWithoutNode", func(t *testing.T) {
		err := f.execError(t, f.config, namespace, "pending")
		if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), "pod pending does not have a host assigned") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("NoUpgrade", func(t *testing.T) {
		err := f.kube.CoreV1().RESTClient().Post().Namespace(namespace).Resource("pods").Name("one").SubResource("exec").
			VersionedParams(&corev1.PodExecOptions{Command: []string{"cat"}, Stdout: true}, clientgoscheme.ParameterCodec).Do(testContext(t)).Error()
		if !apierrors.IsBadRequest(err) {
			t.Errorf("got %v, want BadRequest", err)
		}
	})
	t.Run("Rights", func(t *testing.T) {
		f.grant(t, namespace, "reader", rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods/exec"}, Verbs: []string{"get"}})
		reader := must(f.plane.UserConfig("reader"))(t)
		if err := f.execError(t, reader, namespace, "one"); !apierrors.IsForbidden(err) {
			t.Errorf("exec with the right to read only: got %v, want Forbidden", err)
		}
	})
}

// execURL is the URL of exec or attach.
func (f *fixture) execURL(namespace, pod, subresource string) *url.URL {
	request := f.kube.CoreV1().RESTClient().Post().Namespace(namespace).Resource("pods").Name(pod).SubResource(subresource)
	var options runtime.Object = &corev1.PodExecOptions{Command: []string{"cat", "-v"}, Stdin: true, Stdout: true}
	if subresource == "attach" {
		options = &corev1.PodAttachOptions{Stdin: true, Stdout: true}
	}
	return request.VersionedParams(options, clientgoscheme.ParameterCodec).URL()
}

// execError returns the error of a GET of exec, which a WebSocket begins with.
func (f *fixture) execError(t *testing.T, config *rest.Config, namespace, pod string) error {
	t.Helper()
	client := kubernetes.NewForConfigOrDie(config).CoreV1().RESTClient()
	return client.Get().Namespace(namespace).Resource("pods").Name(pod).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Command: []string{"cat"}, Stdout: true}, clientgoscheme.ParameterCodec).Do(testContext(t)).Error()
}

func (f *fixture) checkEcho(t *testing.T, executor remotecommand.Executor, want string) {
	t.Helper()
	var out bytes.Buffer
	err := executor.StreamWithContext(testContext(t), remotecommand.StreamOptions{Stdin: strings.NewReader("hello"), Stdout: &out})
	if err != nil || out.String() != want {
		t.Errorf("got %q, %v, want %q", out.String(), err, want)
	}
}

func checkForward(t *testing.T, dialer httpstream.Dialer) {
	t.Helper()
	ctx, cancel := context.WithCancel(testContext(t))
	forwarder, err := portforward.NewOnAddressesForStreamingWithContext(
		ctx, dialer, []string{tcpport.Loopback}, []string{"0:8080"}, make(chan struct{}), io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- forwarder.ForwardPorts() }()
	defer func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, portforward.ErrLostConnectionToPod) {
			t.Errorf("forward: %v", err)
		}
	}()
	select {
	case <-forwarder.Ready:
	case err := <-ended:
		ended <- err
		t.Fatalf("forward: %v", err)
	}
	ports := must(forwarder.GetPorts())(t)
	address := net.JoinHostPort(tcpport.Loopback, strconv.Itoa(int(ports[0].Local)))
	conn := must((&net.Dialer{}).DialContext(ctx, "tcp", address))(t)
	defer func() { _ = conn.Close() }()
	must(io.WriteString(conn, "hello"))(t)
	half, ok := conn.(*net.TCPConn)
	if !ok {
		t.Fatalf("a connection of type %T", conn)
	}
	if err := half.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got := string(must(io.ReadAll(conn))(t)); got != "8080: hello" {
		t.Errorf("got %q", got)
	}
}

// testNodeClients: a node serves the API server only, although users have certificates of the same
// authority.
func (f *fixture) testNodeClients(t *testing.T) {
	k := f.startKubelet(t, "clients")
	for name, config := range map[string]*rest.Config{
		"User": f.config, "Anonymous": {TLSClientConfig: rest.TLSClientConfig{CAData: f.config.CAData}},
	} {
		t.Run(name, func(t *testing.T) {
			client := must(rest.HTTPClientFor(config))(t)
			request := must(http.NewRequestWithContext(testContext(t), http.MethodGet, k.server.URL+"/containerLogs/a/b/c", http.NoBody))(t)
			answer, err := client.Do(request)
			if err == nil {
				_ = answer.Body.Close()
				t.Errorf("got %s, want an error of TLS", answer.Status)
			}
			if _, isCertificate := errors.AsType[*tls.CertificateVerificationError](err); isCertificate {
				t.Errorf("the client rejects the certificate of the node: %v", err)
			}
		})
	}
}
