package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// run is what is tested.
type run struct {
	// programs is a directory with programs and Node modules.
	programs                                            string
	wantClient, wantOperation, wantScheme, wantProtocol func(string) bool
	progress                                            io.Writer
	// clients replace those of the catalogue.
	clients []*client
}

// do tests everything.
func (r run) do(ctx context.Context) (t *table, err error) {
	dir, err := os.MkdirTemp("", "clients-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	w, err := newWorkspace(dir, r.programs)
	if err != nil {
		return nil, err
	}
	clients, missing := r.clients, []string(nil)
	if clients == nil {
		clients, missing = w.find(ctx, r.wantClient)
	}
	clients = slices.DeleteFunc(clients, func(c *client) bool { return !r.wantProtocol(string(c.protocol)) })
	t = &table{clients: clients, missing: missing, results: map[cell][]result{}}
	for _, v := range variants() {
		if r.wantScheme(v.scheme) {
			err = errors.Join(err, r.variant(ctx, w, v, t))
		}
	}
	return t, err
}

func (r run) variant(ctx context.Context, w *workspace, v variant, t *table) (err error) {
	s, err := startSite(ctx, v)
	if err != nil {
		return fmt.Errorf("start an emulator with %s: %w", v, err)
	}
	defer func() { err = errors.Join(err, s.stop(ctx)) }()
	t.variants = append(t.variants, v)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.NumCPU())
	for i, c := range t.clients {
		name := fmt.Sprintf("c%d", i)
		group.Go(func() error {
			if err := r.client(ctx, s, w, c, name, t); err != nil {
				return fmt.Errorf("%s, %s: %w", c.name, v, err)
			}
			return nil
		})
	}
	if r.wantClient(functionalTests) && r.wantProtocol(string(s3)) && r.wantOperation(functionalTests) {
		group.Go(func() error {
			text, failed, err := s.functional(ctx, w.programs)
			t.addFunctional(text, failed)
			return err
		})
	}
	return group.Wait()
}

// client tests all operations with a client.
func (r run) client(ctx context.Context, s *site, w *workspace, c *client, name string, t *table) error {
	accesses, err := s.accesses(ctx, c.protocol, name)
	if err != nil {
		return err
	}
	dir := filepath.Join(w.dir, s.scheme+"-"+name)
	if err := os.Mkdir(dir, private); err != nil {
		return err
	}
	placed := c.in(w)
	if s.virtual && c.protocol == s3 {
		if placed, err = placed.onVirtualHosts(ctx, dir, accesses); err != nil {
			return err
		}
	}
	for i, o := range operations() {
		if !slices.Contains(o.in, c.protocol) || !r.wantOperation(o.title) {
			continue
		}
		err := r.operation(ctx, placed, o, accesses, filepath.Join(dir, fmt.Sprint(i)))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		mark := t.add(cell{c, o.title}, result{s.variant, err})
		line := fmt.Sprintf("%s %s %s, %s, %s: %s %v", mark, c.name, c.version, c.protocol, s.variant, o.title, err)
		_, _ = fmt.Fprintln(r.progress, strings.Join(strings.Fields(line), " ")) // it is for people
	}
	return nil
}

// operation runs the steps of an operation, each in a directory of its own.
func (r run) operation(ctx context.Context, c *client, o operation, accesses map[string]environment, dir string) error {
	for i, step := range o.steps {
		there := filepath.Join(dir, fmt.Sprint(i))
		if err := os.MkdirAll(there, private); err != nil {
			return err
		}
		if step.as == "" {
			step.as = readWrite
		}
		// The bucket is looked at by an access that may do everything there.
		owner := step.as
		if owner != versioned {
			owner = readWrite
		}
		reference, err := newReference(c.protocol, accesses[owner])
		if err != nil {
			return err
		}
		t := &try{step: step, reference: reference, ctx: ctx, dir: there, environment: maps.Clone(accesses[step.as])}
		t.environment["OTHER"] = accesses[foreign][varBucket]
		err = t.run(c) //nolint:contextcheck // it has the context
		reference.close()
		if err := errors.Join(err, os.RemoveAll(there)); err != nil {
			return err
		}
	}
	return nil
}

// table has the results.
type table struct {
	clients  []*client
	missing  []string
	variants []variant
	failures int

	mu         sync.Mutex
	results    map[cell][]result
	functional string
}

// cell is an operation of a client.
type cell struct {
	client *client
	title  string
}

// result is what an operation ended with in a variant.
type result struct {
	variant variant
	err     error
}

// add adds a result, and returns its mark.
func (t *table) add(c cell, r result) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.results[c] = append(t.results[c], r)
	if r.mark() == fails {
		t.failures++
	}
	return r.mark()
}

// addFunctional adds how minio-go's tests ended.
func (t *table) addFunctional(text string, failed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.functional += text
	if failed {
		t.failures++
	}
}

// The marks of results.
const (
	works       = "✓"
	fails       = "✗"
	unsupported = "–"
)

func (r result) mark() string {
	if _, ok := errors.AsType[unsupportedError](r.err); ok {
		return unsupported
	}
	if r.err != nil {
		return fails
	}
	return works
}

// markdown returns the tables of all protocols.
func (t *table) markdown() string {
	var out strings.Builder
	for _, p := range protocols() {
		var clients []*client
		for _, c := range t.clients {
			if c.protocol == p {
				clients = append(clients, c)
			}
		}
		if len(clients) > 0 {
			t.protocol(&out, p, clients)
		}
	}
	if t.functional != "" {
		out.WriteString("### minio-go's functional tests\n\n| scheme | a test | tests |\n| --- | --- | --: |\n" + t.functional + "\n")
	}
	if len(t.missing) > 0 {
		fmt.Fprintf(&out, "Not tested, because they are not installed: %s.\n\n", strings.Join(t.missing, ", "))
	}
	return out.String()
}

func (t *table) protocol(out *strings.Builder, p protocol, clients []*client) {
	fmt.Fprintf(out, "### %s\n\n| operation | check |", p)
	for _, c := range clients {
		fmt.Fprintf(out, " %s %s |", c.name, c.version)
	}
	fmt.Fprintf(out, "\n| --- | --- |%s\n", strings.Repeat(" :-: |", len(clients)))
	var notes []string
	for _, o := range operations() {
		if !slices.Contains(o.in, p) {
			continue
		}
		fmt.Fprintf(out, "| %s | %s |", o.title, o.proof)
		for _, c := range clients {
			fmt.Fprintf(out, " %s |", t.cell(cell{c, o.title}, &notes))
		}
		out.WriteString("\n")
	}
	out.WriteString("\n")
	for i, note := range notes {
		fmt.Fprintf(out, "%d. %s\n", i+1, note)
	}
	if notes != nil {
		out.WriteString("\n")
	}
}

// cell returns what a table says about an operation of a client: the mark, and the numbers of notes.
func (t *table) cell(c cell, notes *[]string) string {
	results := t.results[c]
	mark := works
	if len(results) == 0 {
		return ""
	}
	reasons := map[string][]string{}
	for _, r := range results {
		if r.err == nil {
			continue
		}
		if mark != fails {
			mark = r.mark()
		}
		text := strings.Join(strings.Fields(r.err.Error()), " ")
		text = text[:min(len(text), maxOutput)]
		reasons[text] = append(reasons[text], r.variant.String())
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		if reason == "" {
			continue // the client has no such operation
		}
		if mark == fails && len(reasons[reason]) < len(results) {
			reason = strings.Join(reasons[reason], ", ") + ": " + reason
		}
		n := slices.Index(*notes, reason)
		if n < 0 {
			n = len(*notes)
			*notes = append(*notes, reason)
		}
		mark += fmt.Sprintf(" %d", n+1)
	}
	return mark
}

// The table is between these lines of a page.
const (
	begin = "<!-- clients, made by make clients -->\n"
	end   = "<!-- end of clients -->\n"
)

func writeDocument(path, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s has no table to replace: it must be between the lines %q and %q", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+text+end+after), 0o644) //nolint:gosec,mnd // everyone reads docs
}
