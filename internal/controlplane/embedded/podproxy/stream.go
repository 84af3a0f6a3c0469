package podproxy

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/proxy"
	"k8s.io/apiserver/pkg/registry/rest"
	translator "k8s.io/apiserver/pkg/util/proxy"
	"k8s.io/streaming/pkg/httpstream/wsstream"
)

// streamREST serves a subresource whose requests become streams of bytes, by an upgrade to SPDY or a
// WebSocket.
type streamREST struct {
	proxy       *Proxy
	subresource subresource
}

var _ rest.Connecter = &streamREST{}

// subresource is one of exec, attach and portforward.
type subresource struct {
	options func() runtime.Object
	// target returns the node's path for a Pod, and the query.
	target func(pod *corev1.Pod, options runtime.Object) (path string, query url.Values, err error)
	// translate has a WebSocket served by a node that knows only SPDY.
	translate func(direct *proxy.UpgradeAwareHandler, options runtime.Object) http.Handler
}

var execSubresource = subresource{
	options: func() runtime.Object { return &corev1.PodExecOptions{} },
	target: func(pod *corev1.Pod, options runtime.Object) (string, url.Values, error) {
		opts, ok := options.(*corev1.PodExecOptions)
		if !ok {
			return "", nil, fmt.Errorf("invalid options object: %#v", options)
		}
		query := streamParameters(opts.Stdin, opts.Stdout, opts.Stderr, opts.TTY)
		query["command"] = opts.Command
		return inContainer("exec", pod, opts.Container, query)
	},
	translate: translateStreams,
}

var attachSubresource = subresource{
	options: func() runtime.Object { return &corev1.PodAttachOptions{} },
	target: func(pod *corev1.Pod, options runtime.Object) (string, url.Values, error) {
		opts, ok := options.(*corev1.PodAttachOptions)
		if !ok {
			return "", nil, fmt.Errorf("invalid options object: %#v", options)
		}
		return inContainer("attach", pod, opts.Container, streamParameters(opts.Stdin, opts.Stdout, opts.Stderr, opts.TTY))
	},
	translate: translateStreams,
}

var portForwardSubresource = subresource{
	options: func() runtime.Object { return &corev1.PodPortForwardOptions{} },
	target: func(pod *corev1.Pod, options runtime.Object) (string, url.Values, error) {
		opts, ok := options.(*corev1.PodPortForwardOptions)
		if !ok {
			return "", nil, fmt.Errorf("invalid options object: %#v", options)
		}
		query := url.Values{}
		if len(opts.Ports) > 0 {
			ports := make([]string, len(opts.Ports))
			for i, port := range opts.Ports {
				ports[i] = strconv.Itoa(int(port))
			}
			query.Set(corev1.PortHeader, strings.Join(ports, ","))
		}
		return fmt.Sprintf("/portForward/%s/%s", pod.Namespace, pod.Name), query, nil
	},
	translate: func(direct *proxy.UpgradeAwareHandler, _ runtime.Object) http.Handler {
		return translator.NewTranslatingHandler(direct, translator.NewTunnelingHandler(direct), wsstream.IsWebSocketRequestWithTunnelingProtocol)
	},
}

func inContainer(action string, pod *corev1.Pod, name string, query url.Values) (string, url.Values, error) {
	container, err := containerOf(pod, name)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/%s/%s/%s/%s", action, pod.Namespace, pod.Name, container), query, nil
}

func streamParameters(stdin, stdout, stderr, tty bool) url.Values {
	query := url.Values{}
	for name, set := range map[string]bool{
		corev1.ExecStdinParam: stdin, corev1.ExecStdoutParam: stdout, corev1.ExecStderrParam: stderr, corev1.ExecTTYParam: tty,
	} {
		if set {
			query.Set(name, "1")
		}
	}
	return query
}

func translateStreams(direct *proxy.UpgradeAwareHandler, options runtime.Object) http.Handler {
	var streams translator.Options
	switch opts := options.(type) {
	case *corev1.PodExecOptions:
		streams = translator.Options{Stdin: opts.Stdin, Stdout: opts.Stdout, Stderr: opts.Stderr, Tty: opts.TTY}
	case *corev1.PodAttachOptions:
		streams = translator.Options{Stdin: opts.Stdin, Stdout: opts.Stdout, Stderr: opts.Stderr, Tty: opts.TTY}
	}
	translating := translator.NewStreamTranslatorHandler(direct.Location, direct.Transport, 0, streams)
	return translator.NewTranslatingHandler(direct, translating, wsstream.IsWebSocketRequestWithStreamCloseProtocol)
}

// New implements rest.Storage.
func (r *streamREST) New() runtime.Object { return r.subresource.options() }

// Destroy implements rest.Storage.
func (r *streamREST) Destroy() {}

// NewConnectOptions implements rest.Connecter.
func (r *streamREST) NewConnectOptions() (options runtime.Object, includesPath bool, pathKey string) {
	return r.subresource.options(), false, ""
}

// ConnectMethods implements rest.Connecter. WebSockets begin with a GET.
func (r *streamREST) ConnectMethods() []string { return []string{http.MethodGet, http.MethodPost} }

// Connect implements rest.Connecter.
func (r *streamREST) Connect(
	ctx context.Context, name string, options runtime.Object, responder rest.Responder,
) (http.Handler, error) {
	if err := r.proxy.authorizeCreate(ctx); err != nil {
		return nil, err
	}
	pod, err := r.proxy.pod(ctx, name)
	if err != nil {
		return nil, err
	}
	path, query, err := r.subresource.target(pod, options)
	if err != nil {
		return nil, err
	}
	if pod.Spec.NodeName == "" {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("pod %s does not have a host assigned", name))
	}
	location, servesWebSockets, err := r.proxy.node(ctx, pod)
	if err != nil {
		return nil, err
	}
	location.Path, location.RawQuery = path, query.Encode()
	direct := proxy.NewUpgradeAwareHandler(location, r.proxy.Transport, false, true, proxy.NewErrorResponder(responder))
	if servesWebSockets {
		return direct, nil
	}
	return r.subresource.translate(direct, options), nil
}
