// Package run tries every client with every operation in every variant.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/emulator"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/operation"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/proxy"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/report"
)

// operationTimeout bounds one operation of one client.
const operationTimeout = 3 * time.Minute

// Run is what is tried.
type Run struct {
	Clients    []client.Client
	Operations []operation.Operation
	// Schemes and Styles make the variants.
	Schemes, Styles []string
	// Program is cosi-emu, and Dir a directory for everything.
	Program, Dir string
	// Progress gets a line for each failure and each session.
	Progress io.Writer

	table *report.Table
	said  sync.Mutex
}

// Do tries everything and returns the table.
func (r *Run) Do(ctx context.Context) (table *report.Table, err error) {
	r.table = &report.Table{}
	for _, c := range r.Clients {
		r.table.Clients = append(r.table.Clients, c.Name+" "+c.Version)
	}
	p, err := proxy.Start(ctx)
	if err != nil {
		return nil, fmt.Errorf("start a proxy: %w", err)
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if !proxy.Needed(ctx) {
		p.URL = ""
	}
	for _, scheme := range r.Schemes {
		if err := r.scheme(ctx, scheme, p.URL); err != nil {
			return nil, err
		}
	}
	return r.table, nil
}

// scheme tries everything over http, or over https.
func (r *Run) scheme(ctx context.Context, scheme, proxyURL string) (err error) {
	r.say("%s: starting an emulator", scheme)
	e, err := emulator.Start(ctx, r.Program, filepath.Join(r.Dir, "emu-"+scheme), scheme == "https")
	if err != nil {
		r.unavailable(scheme, err)
		return context.Cause(ctx)
	}
	defer func() { err = errors.Join(err, e.Stop()) }()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2 * runtime.NumCPU())
	variants := r.variants(ctx, e, scheme, proxyURL)
	for _, c := range r.Clients {
		for _, v := range variants {
			group.Go(func() error { return r.client(ctx, v, c) })
		}
	}
	return group.Wait()
}

// variants returns the variants of an emulator that are available.
func (r *Run) variants(ctx context.Context, e *emulator.Emulator, scheme, proxyURL string) []*variant {
	var available []*variant
	for _, style := range r.Styles {
		v := &variant{Emulator: e, scheme: scheme, style: style}
		if style == "virtual" {
			v.proxy = proxyURL
		}
		if err := v.prepare(ctx); err != nil {
			r.unavailable(v.String(), err)
			continue
		}
		r.table.Variants = append(r.table.Variants, v.String())
		available = append(available, v)
	}
	return available
}

// unavailable notes that a variant cannot be tried at all.
func (r *Run) unavailable(variant string, err error) {
	r.say("%s: %v", variant, err)
	r.table.Unavailable = append(r.table.Unavailable, variant+": "+report.Clean(err, client.Target{Dir: r.Dir}))
}

// client tries all operations of a client in a variant, first those in an
// ordinary bucket.
func (r *Run) client(ctx context.Context, v *variant, c client.Client) error {
	started := time.Now()
	for _, versioned := range []bool{false, true} {
		operations := slices.DeleteFunc(slices.Clone(r.Operations), func(op operation.Operation) bool { return op.Versioned != versioned })
		if len(operations) == 0 {
			continue
		}
		if err := r.session(ctx, v, c, versioned, operations); err != nil {
			return err
		}
	}
	r.say("%s: %s %s took %.0f s", v, c.Name, c.Version, time.Since(started).Seconds())
	return nil
}

func (r *Run) session(ctx context.Context, v *variant, c client.Client, versioned bool, operations []operation.Operation) error {
	target, err := v.target(ctx, r.Dir, c, versioned)
	var session client.Session
	if err == nil {
		session, err = c.Open(target)
	}
	if err == nil {
		defer func() { _ = session.Close() }()
	}
	for _, op := range operations {
		failed := err
		if err == nil {
			failed = r.operation(ctx, session, op)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.record(v, c, op, target, failed)
	}
	return nil
}

func (r *Run) operation(ctx context.Context, session client.Session, op operation.Operation) error {
	ctx, cancel := context.WithTimeoutCause(ctx, operationTimeout, fmt.Errorf("not done after %s", operationTimeout))
	defer cancel()
	return session.Run(ctx, op.ID)
}

func (r *Run) record(v *variant, c client.Client, op operation.Operation, target client.Target, err error) {
	result := report.Result{Client: c.Name + " " + c.Version, Operation: op.ID, Variant: v.String()}
	switch {
	case errors.Is(err, client.ErrNone):
		result.None = true
	case err != nil:
		result.Error = report.Clean(err, target)
		r.say("%s: %s: %s: %s", v, result.Client, op.ID, result.Error)
	}
	r.table.Add(result)
}

func (r *Run) say(format string, args ...any) {
	r.said.Lock()
	defer r.said.Unlock()
	_, _ = fmt.Fprintf(r.Progress, format+"\n", args...)
}

// dir makes a directory for a session.
func dir(parts ...string) (string, error) {
	path := filepath.Join(parts...)
	return path, os.MkdirAll(path, 0o700)
}
