package main_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// beyondLoopback returns an address of this machine that others can reach.
func beyondLoopback(t *testing.T) string {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok && network.IP.IsGlobalUnicast() && network.IP.To4() != nil {
			return network.IP.String()
		}
	}
	t.Skip("this machine has no address but loopback")
	return ""
}

func at(t *testing.T, endpoint, host string) string {
	t.Helper()
	u, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = net.JoinHostPort(host, u.Port())
	return u.String()
}

// TestListen connects as another machine does: to the address of this one, with the output of `up`
// only.
func TestListen(t *testing.T) {
	t.Parallel()
	abroad := beyondLoopback(t)
	tests := map[string]struct {
		reason  string
		plane   string
		listen  string
		further []string
		host    string
	}{
		"Embedded":   {reason: "All addresses, as in a container.", plane: "embedded", listen: "0.0.0.0", host: "127.0.0.1"},
		"Programs":   {reason: "kube-apiserver takes the address, too.", plane: "auto", listen: "0.0.0.0", host: "127.0.0.1"},
		"OneAddress": {reason: "The others stay closed.", plane: "embedded", listen: abroad, host: abroad},
		"Advertise": {
			reason: "The name is what clients are told.", plane: "embedded", host: "localhost",
			listen: "0.0.0.0", further: []string{"--advertise", "localhost"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			args := append([]string{"up", "-d", "-o", "json", "--control-plane", tc.plane, "--listen", tc.listen}, tc.further...)
			var info struct {
				instance.Info

				KubeconfigContent string `json:"kubeconfigContent"`
			}
			if err := json.Unmarshal([]byte(h.must(args...)), &info); err != nil {
				t.Fatal(err)
			}
			for _, endpoint := range []string{info.APIServer, info.S3Endpoint} {
				if u, err := url.Parse(endpoint); err != nil || u.Hostname() != tc.host || u.Scheme != "https" {
					t.Errorf("%s\nendpoint %s, want https on host %s", tc.reason, endpoint, tc.host)
				}
			}
			expectKeysRequired(t, info.KubeconfigContent, at(t, info.APIServer, abroad))
			expectTLS(t, info.Info, abroad)
			h.must("down")
			h.expectNothingLeft()
		})
	}
}

// expectKeysRequired lists Secrets with the printed kubeconfig, and without its keys.
func expectKeysRequired(t *testing.T, kubeconfig, server string) {
	t.Helper()
	cfg, err := clientcmd.RESTConfigFromKubeConfig([]byte(kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Host = server
	c, err := client.New(cfg, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.List(t.Context(), &corev1.SecretList{}); err != nil {
		t.Errorf("list Secrets at %s with the printed kubeconfig: %v", server, err)
	}
	if status, _ := get(t, server+"/api/v1/secrets", cfg.CAData); status != http.StatusForbidden && status != http.StatusUnauthorized {
		t.Errorf("list Secrets at %s without keys: status %d, want 401 or 403", server, status)
	}
}

// expectTLS connects to the S3 store with and without TLS.
func expectTLS(t *testing.T, info instance.Info, host string) {
	t.Helper()
	certificates, err := os.ReadFile(info.S3CertificateAuthority)
	if err != nil {
		t.Fatal(err)
	}
	endpoint := at(t, info.S3Endpoint, host)
	if status, _ := get(t, endpoint, certificates); status != http.StatusForbidden {
		t.Errorf("an unsigned request to %s: status %d, want 403", endpoint, status)
	}
	if status, _ := get(t, strings.Replace(endpoint, "https:", "http:", 1), nil); status != http.StatusBadRequest {
		t.Errorf("a request to %s without TLS: status %d, want 400", endpoint, status)
	}
}

// TestNoListen: without --listen, only this machine can connect.
func TestNoListen(t *testing.T) {
	t.Parallel()
	abroad := beyondLoopback(t)
	h := newHome(t)
	info := h.up("--control-plane", "embedded")
	for _, endpoint := range []string{info.APIServer, info.S3Endpoint} {
		u, err := url.Parse(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", net.JoinHostPort(abroad, u.Port()))
		if err == nil {
			_ = conn.Close() // no listener expected
			t.Errorf("%s is also reachable at %s", endpoint, abroad)
		}
	}
	h.must("down")
}

// TestListenRejects: invalid addresses start nothing.
func TestListenRejects(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"Name":     {reason: "A socket has an address.", args: []string{"--listen", "build-7"}, want: "must be an IP address"},
		"Port":     {reason: "Ports have flags.", args: []string{"--listen", "0.0.0.0:6443"}, want: "must be an IP address"},
		"Alone":    {reason: "Nothing would listen there.", args: []string{"--advertise", "build-7"}, want: "also set the address"},
		"NoHost":   {reason: "No client can connect to it.", args: []string{"--listen", "0.0.0.0", "--advertise", "::"}, want: "or a host name"},
		"NotAHost": {reason: "It is a URL.", args: []string{"--listen", "0.0.0.0", "--advertise", "https://a"}, want: "or a host name"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHome(t).run(append([]string{"up", "-d"}, tc.args...)...)
			if r.code == 0 || !strings.Contains(r.err, tc.want) {
				t.Errorf("%s\nexit code %d, %s\nwant %q", tc.reason, r.code, r.err, tc.want)
			}
		})
	}
}
