package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// run is one run of the tests.
type run struct {
	// programs is a directory with programs and Node modules.
	programs                                            string
	wantClient, wantOperation, wantScheme, wantProtocol func(string) bool
	// clients replace the clients of the catalogue.
	clients []*client
	// lose repeats each step, and loses the reply to another request of the client each time.
	lose bool
}

// do tests everything.
func (r run) do(ctx context.Context) (t *table, err error) {
	dir, err := os.MkdirTemp("", "clients-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := install(dir, r.programs); err != nil {
		return nil, err
	}
	t = &table{clients: r.clients, results: map[cell][]result{}}
	if t.clients == nil {
		t.clients, t.missing = find(ctx, dir, r.wantClient)
	}
	t.clients = slices.DeleteFunc(t.clients, func(c *client) bool { return !r.wantProtocol(string(c.protocol)) })
	for _, scheme := range []string{"http", "https"} {
		if r.wantScheme(scheme) {
			err = errors.Join(err, r.scheme(ctx, dir, scheme, t))
		}
	}
	return t, err
}

// scheme tests all clients with a scheme. With https, URLs of S3 have the bucket in the host name.
func (r run) scheme(ctx context.Context, dir, scheme string, t *table) (err error) {
	addressing := fakedriver.AddressingPath
	if scheme == "https" {
		addressing = fakedriver.AddressingVirtual
	}
	s, err := startSite(ctx, scheme, addressing)
	if err != nil {
		return fmt.Errorf("start an emulator with %s: %w", scheme, err)
	}
	defer func() { err = errors.Join(err, s.stop(ctx)) }()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.NumCPU())
	for i, c := range t.clients {
		group.Go(func() error {
			if err := r.client(ctx, s, c, filepath.Join(dir, fmt.Sprintf("%s-c%d", scheme, i)), t); err != nil {
				return fmt.Errorf("%s, %s: %w", c.name, scheme, err)
			}
			return nil
		})
	}
	if r.wantClient(functionalTests) && r.wantProtocol(string(s3)) && r.wantOperation(functionalTests) {
		group.Go(func() error { return s.functional(ctx, dir, t) })
	}
	return group.Wait()
}

// client tests all operations with a client, in a directory. Its accesses have the name of the directory.
func (r run) client(ctx context.Context, s *site, c *client, dir string, t *table) error {
	accesses, err := s.accesses(ctx, c.protocol, filepath.Base(dir))
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, private); err != nil {
		return err
	}
	placed := c
	if s.scheme == "https" && c.protocol == s3 {
		if placed, err = placed.onVirtualHosts(ctx, dir, accesses); err != nil {
			return err
		}
	}
	for _, o := range operations {
		if !slices.Contains(o.in, c.protocol) || !r.wantOperation(o.title) {
			continue
		}
		err := r.operate(ctx, s, placed, o, accesses, dir)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		mark := t.add(cell{c, o.title}, result{s.scheme, err})
		line := fmt.Sprintf("%s %s %s, %s, %s: %s", mark, c.name, c.version, c.protocol, s.scheme, o.title)
		if err != nil {
			line += ": " + err.Error()
		}
		_, _ = fmt.Fprintln(os.Stderr, strings.Join(strings.Fields(line), " ")) // it is for people
	}
	return nil
}

// operate runs an operation, and again for each request of the client whose reply is to be lost.
func (r run) operate(ctx context.Context, s *site, c *client, o operation, accesses map[string]environment, dir string) error {
	if _, err := s.operate(ctx, c, o, accesses, dir, loss{}); err != nil || !r.lose {
		return err
	}
	for i := range o.steps {
		for n, found := 1, true; found; n++ {
			if err := s.empty(ctx, accesses); err != nil {
				return err
			}
			var err error
			if found, err = s.operate(ctx, c, o, accesses, dir, loss{i, n}); err != nil {
				return fmt.Errorf("without the reply to request %d of %s: %w", n, o.steps[i].do, err)
			}
		}
	}
	return nil
}

// loss is the request of a client, from 1 in a step, whose reply is lost. The zero value is none.
type loss struct{ step, request int }

// operate runs the steps of an operation, each in a directory of its own. It reports whether a reply was lost.
func (s *site) operate(
	ctx context.Context, c *client, o operation, accesses map[string]environment, dir string, l loss,
) (lost bool, err error) {
	for i, step := range o.steps {
		there, err := os.MkdirTemp(dir, step.do+"-")
		if err != nil {
			return lost, err
		}
		step.as = cmp.Or(step.as, readWrite)
		// The bucket is looked at by an access that may do everything there.
		owner := readWrite
		if step.as == versioned {
			owner = versioned
		}
		t := &try{
			step: step, reference: newReference(s.client, c.protocol, accesses[owner]), ctx: ctx, dir: there,
			environment: maps.Clone(accesses[step.as]), faults: s.emulator.Faults(),
		}
		if i == l.step {
			t.lose = l.request
		}
		err = t.run(c) //nolint:contextcheck // it has the context
		lost = lost || t.lost
		if err := errors.Join(err, os.RemoveAll(there)); err != nil {
			if lost && o.mayFail(c, step, err) {
				err = nil
			}
			return lost, err
		}
	}
	return lost, nil
}

// unrepeated matches the error of a client that does not repeat a request whose reply was lost.
const unrepeated = `(?i)Service ?Unavailable|\b503\b`

// mayFail reports whether a step of an operation may fail in this way because a reply was lost: the real services reject
// some requests that are repeated.
func (o operation) mayFail(c *client, s step, err error) bool {
	expected := unrepeated
	switch {
	case strings.HasPrefix(o.title, "Put if"):
		expected += "|" + precondition
	case c.protocol == azure && s.do == "sync": // the first upload succeeded, and If-None-Match: * fails the second
		expected += `|BlobAlreadyExists`
	case o.title == "Lease": // the first request released the lease
		expected += `|LeaseIdMismatchWithLeaseOperation`
	case o.title == "Append blob": // a repeated request without a condition appends twice
		expected += `|bytes differ`
	case c.name == "minio-go" && o.title == "Checksums": // its second trailer has the checksum of both bodies
		expected += `|did not match the calculated checksum`
	case strings.HasPrefix(s.do, "delete"), o.title == "Move":
		expected += `|not ?found|no such|does ?n.t exist|\b404\b`
	}
	return regexp.MustCompile(expected).MatchString(err.Error())
}

// empty deletes all objects in the buckets of the accesses.
func (s *site) empty(ctx context.Context, accesses map[string]environment) error {
	for _, e := range accesses {
		if err := s.emulator.Store().AdminEmptyBucket(ctx, e[varBucket]); err != nil {
			return fmt.Errorf("empty the bucket %s: %w", e[varBucket], err)
		}
	}
	return nil
}
