// Package podproxy serves the subresources of Pods that the Pod's node answers: log, exec, attach and
// portforward.
package podproxy

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

const (
	// defaultPort is the port of a node whose status names none.
	defaultPort = 10250
	dialTimeout = 30 * time.Second
	// websockets is the declared feature of nodes that serve WebSockets themselves.
	websockets = "ExtendWebSocketsToKubelet"
)

// Proxy connects to the nodes of Pods.
type Proxy struct {
	// Pod and Node read an object, which the proxy does not change.
	Pod  func(ctx context.Context, namespace, name string) (*corev1.Pod, error)
	Node func(ctx context.Context, name string) (*corev1.Node, error)
	// Authorizer decides whether a user who upgrades a GET may do so.
	Authorizer authorizer.UnconditionalAuthorizer
	// Transport connects to nodes.
	Transport http.RoundTripper
}

// NewTransport returns a transport for the connections to nodes. It keeps no idle connection, so that
// nothing is left to close.
func NewTransport(config *tls.Config) http.RoundTripper {
	return &http.Transport{
		TLSClientConfig:   config,
		DialContext:       (&net.Dialer{Timeout: dialTimeout}).DialContext,
		DisableKeepAlives: true,
	}
}

// Storage returns the subresources by their paths.
func (p *Proxy) Storage() map[string]rest.Storage {
	return map[string]rest.Storage{
		"pods/log":         &logREST{p},
		"pods/exec":        &streamREST{p, execSubresource},
		"pods/attach":      &streamREST{p, attachSubresource},
		"pods/portforward": &streamREST{p, portForwardSubresource},
	}
}

// pod returns a Pod of the request's namespace.
func (p *Proxy) pod(ctx context.Context, name string) (*corev1.Pod, error) {
	return p.Pod(ctx, request.NamespaceValue(ctx), name)
}

// node returns the base URL of a Pod's node, and whether the node serves WebSockets.
func (p *Proxy) node(ctx context.Context, pod *corev1.Pod) (base *url.URL, servesWebSockets bool, err error) {
	node, err := p.Node(ctx, pod.Spec.NodeName)
	if err != nil {
		return nil, false, err
	}
	i := slices.IndexFunc(node.Status.Addresses, func(a corev1.NodeAddress) bool { return a.Type == corev1.NodeInternalIP })
	if i < 0 {
		return nil, false, fmt.Errorf("no preferred addresses found; known addresses: %v", node.Status.Addresses)
	}
	port := cmp.Or(int(node.Status.DaemonEndpoints.KubeletEndpoint.Port), defaultPort)
	host := net.JoinHostPort(node.Status.Addresses[i].Address, strconv.Itoa(port))
	return &url.URL{Scheme: "https", Host: host}, slices.Contains(node.Status.DeclaredFeatures, websockets), nil
}

// containerOf returns the container that a request names, or the only one of the Pod.
func containerOf(pod *corev1.Pod, name string) (string, error) {
	var all []string
	for i := range pod.Spec.InitContainers {
		all = append(all, pod.Spec.InitContainers[i].Name)
	}
	for i := range pod.Spec.Containers {
		all = append(all, pod.Spec.Containers[i].Name)
	}
	for i := range pod.Spec.EphemeralContainers {
		all = append(all, pod.Spec.EphemeralContainers[i].Name)
	}
	switch {
	case name != "" && !slices.Contains(all, name):
		return "", apierrors.NewBadRequest(fmt.Sprintf("container %s is not valid for pod %s", name, pod.Name))
	case name != "":
		return name, nil
	case len(pod.Spec.Containers) == 1:
		return pod.Spec.Containers[0].Name, nil
	default:
		return "", apierrors.NewBadRequest(fmt.Sprintf("a container name must be specified for pod %s, choose one of: %s", pod.Name, all))
	}
}
