package ui

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
)

const (
	// requestTimeout limits the work for one request.
	requestTimeout = 30 * time.Second
	readTimeout    = 10 * time.Second
)

// Options configure a Page.
type Options struct {
	// Emulator is the emulator that the page shows.
	Emulator *emulator.Emulator
	// Faults adds and removes faults for the page. The caller reports changes, including the page's
	// own, to FaultAdded and FaultRemoved.
	Faults adminapi.Faults
	// Name is the name of the emulator, and Version the version of the program.
	Name, Version string
}

// Page is a served page.
type Page struct {
	opts    Options
	url     string
	graph   *graph
	history *history
	links   links
	http    *http.Server
	stop    context.CancelFunc // ends the watches and the streams
	done    sync.WaitGroup
	served  error
}

// Start serves the page on a free port of 127.0.0.1 until Close. It returns when the page has read
// the existing objects.
func Start(ctx context.Context, opts Options) (*Page, error) {
	token := rand.Text()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on 127.0.0.1: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	p := &Page{opts: opts, stop: stop, history: newHistory(opts.Emulator.Info().API, opts.Emulator.Journal())}
	p.url = fmt.Sprintf("http://127.0.0.1:%s/%s/", port, token)
	for _, f := range opts.Faults.List() {
		p.history.faultAdded(f.Fault, f.Added)
	}
	p.graph = newGraph(opts.Emulator, p.history)
	if err := p.graph.start(ctx, running, &p.done); err != nil {
		stop()
		p.done.Wait()
		return nil, errors.Join(err, listener.Close())
	}
	handler, policy, err := p.handler()
	if err != nil {
		stop()
		p.done.Wait()
		return nil, errors.Join(err, listener.Close())
	}
	p.http = &http.Server{
		Handler: &guard{
			hosts: []string{"127.0.0.1:" + port, "localhost:" + port}, token: token, policy: policy, links: &p.links, next: handler,
		},
		ReadHeaderTimeout: readTimeout, BaseContext: func(net.Listener) context.Context { return running },
	}
	p.done.Go(func() { p.served = p.http.Serve(listener) })
	return p, nil
}

// URL is the address of the page, with its token.
func (p *Page) URL() string { return p.url }

// FaultAdded notes that a user has added a fault.
func (p *Page) FaultAdded(f fault.Fault) { p.history.faultAdded(f, time.Now()) }

// FaultRemoved notes that a user has removed a fault.
func (p *Page) FaultRemoved(name string) { p.history.faultRemoved(name) }

// Close ends the page. Requests in flight may end until ctx is done.
func (p *Page) Close(ctx context.Context) error {
	p.stop() // the streams end
	err := p.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, p.http.Close())
	}
	p.done.Wait()
	if !errors.Is(p.served, http.ErrServerClosed) {
		err = errors.Join(err, p.served)
	}
	return err
}

// handler serves the page's requests, below the token.
func (p *Page) handler() (_ http.Handler, policy string, err error) {
	page, policy, err := document(p.opts.Name, p.opts.Version)
	if err != nil {
		return nil, "", err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page) // the browser has gone
	})
	mux.HandleFunc("GET /stream", p.stream)
	for pattern, answer := range map[string]func(*http.Request) (any, error){
		"GET /timeline": p.timeline, "GET /event": p.event, "GET /object": p.object, "GET /keys": p.keys, "GET /content": p.content,
		"POST /upload": p.upload, "POST /component": p.component, "POST /link": p.issueLink,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
			defer cancel()
			value, err := answer(r.WithContext(ctx))
			if err != nil {
				value = struct {
					Error problem `json:"error"`
				}{problemOf(err)}
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(value) // the browser has gone
		})
	}
	faults := adminapi.Handler(p.opts.Faults)
	mux.Handle("/faults", faults)
	mux.Handle("/faults/", faults)
	mux.HandleFunc("GET /scenario.yaml", p.scenario)
	return mux, policy, nil
}

// problem is an error for the page.
type problem struct {
	// Code is the error code of S3; empty for other errors.
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
}

// component crashes, restarts, starts or stops a component. A crash kills and restarts it, as in a
// scenario.
func (p *Page) component(r *http.Request) (any, error) {
	name, do := r.FormValue("name"), r.FormValue("do")
	c := p.opts.Emulator.Component(name)
	if c == nil {
		return nil, fmt.Errorf("component %q not found", name)
	}
	verbs := map[string]func() error{
		"crash": func() error {
			if err := c.Crash(); err != nil {
				return err
			}
			return c.Start(r.Context())
		},
		"restart": func() error { return c.Restart(r.Context()) },
		"start":   func() error { return c.Start(r.Context()) },
		"stop":    func() error { return c.Stop(r.Context()) },
	}
	if verbs[do] == nil {
		return nil, fmt.Errorf("%q must be crash, restart, start or stop", do)
	}
	p.history.component(do, name)
	return struct{}{}, verbs[do]()
}

func (p *Page) scenario(w http.ResponseWriter, _ *http.Request) {
	file, err := p.history.scenario(p.graph.classes(), p.opts.Emulator.Info().DriverName)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/yaml")
	w.Header().Set("Content-Disposition", `attachment; filename="`+scenarioName+`.yaml"`)
	_, _ = w.Write(file) // the browser has gone
}
