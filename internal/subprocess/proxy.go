package subprocess

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const headerTimeout = 10 * time.Second

// proxy passes requests on to the API server as the user of a configuration.
type proxy struct {
	server *http.Server
	served chan error
}

func newProxy(cfg *rest.Config, kubeconfig string) (*proxy, error) {
	target, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding") // the transport compresses, unseen by the seam
		},
		Transport: transport,
		// The journal must have a response before the process does.
		ModifyResponse: readWhole,
		FlushInterval:  -1, // watches
		// A connection that breaks on one side breaks on the other.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	quiet := slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	forward.ErrorLog = quiet
	// client-go sends no token without TLS, so the secret is in the path.
	secret := "/" + rand.Text()
	mux := http.NewServeMux()
	mux.Handle(secret+"/", http.StripPrefix(secret, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := speakJSON(r); err != nil {
			panic(http.ErrAbortHandler) // the request was interrupted
		}
		forward.ServeHTTP(w, r)
	})))
	p := &proxy{
		served: make(chan error, 1),
		server: &http.Server{ReadHeaderTimeout: headerTimeout, ErrorLog: quiet, Handler: mux},
	}
	go func() { p.served <- p.server.Serve(listener) }()
	if err := writeKubeconfig(kubeconfig, "http://"+listener.Addr().String()+secret); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// readWhole reads a response to its end, except for an endless watch.
func readWhole(response *http.Response) error {
	if watches, _ := strconv.ParseBool(response.Request.URL.Query().Get("watch")); watches {
		return nil
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// close ends requests in progress.
func (p *proxy) close() error {
	err := p.server.Close()
	if served := <-p.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// writeKubeconfig writes a file that only this user can read.
func writeKubeconfig(path, server string) error {
	const name = "emulator"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: server}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, path)
}
