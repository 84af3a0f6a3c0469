package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

const (
	// stepTimeout bounds one run of a client, which takes seconds at most.
	stepTimeout = 2 * time.Minute
	waitDelay   = 5 * time.Second
	// exitUnsupported is the exit code of a script for an operation that its client lacks. No client
	// exits with it.
	exitUnsupported = 42
	writers         = 8
	private         = 0o700
	privateFile     = 0o600
	maxOutput       = 400
)

// unsupportedError is the reason why a client cannot do an operation.
type unsupportedError string

func (e unsupportedError) Error() string { return string(e) }

// try is one step of an operation by a client.
type try struct {
	step
	*reference // of the access that may do everything there

	ctx         context.Context //nolint:containedctx // it is that of one run
	environment environment     // the variables of the client
	dir         string
	// content is in the file "in", in standard input, and in the given objects; if the step must fail, they have old.
	content, old []byte
	output       string
	// lose is the number of the client's request whose reply is lost, if it is not 0; lost reports whether there was one.
	faults *fault.Set
	lose   int
	lost   bool
}

// random returns content that depends on a seed only.
func random(seed string, size int) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8(sha256.Sum256([]byte(seed))).Read(content) // it always succeeds
	return content
}

func (t *try) run(c *client) error {
	t.key = cmp.Or(t.key, t.do)
	t.environment["KEY"] = t.key
	maps.Copy(t.environment, t.with)
	t.content = random(t.do, max(cmp.Or(t.size, small), 0))
	t.old = t.content
	if t.fails != "" {
		t.old = random("old", small)
	}
	if err := t.setUp(); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	err := t.start(c, t.do)
	if errors.Is(err, unsupportedError("")) && t.or != "" {
		err = t.start(c, t.or)
	}
	switch _, unsupported := errors.AsType[unsupportedError](err); {
	case t.fails != "" && !unsupported:
		return t.rejected(err)
	case err != nil:
		return err
	default:
		return t.check(t)
	}
}

func (t *try) setUp() error {
	group, ctx := errgroup.WithContext(t.ctx)
	group.SetLimit(writers)
	for _, suffix := range t.given {
		group.Go(func() error {
			_, err := t.put(ctx, t.key+suffix, t.old, t.metadata)
			return err
		})
	}
	err := group.Wait()
	if err == nil && t.prepare != nil {
		err = t.prepare(t)
	}
	for name, content := range tree() {
		path := filepath.Join(t.dir, "up", filepath.FromSlash(name))
		// S3 has times in seconds: a file of the same second is newer than its object for clients that synchronize by time.
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), private), os.WriteFile(path, []byte(content), privateFile),
			os.Chtimes(path, time.Time{}, time.Now().Add(-time.Minute)))
	}
	return errors.Join(err, os.WriteFile(filepath.Join(t.dir, "in"), t.content, privateFile))
}

// start runs a case of the client, and keeps its output.
func (t *try) start(c *client, do string) error {
	ctx, cancel := context.WithTimeoutCause(t.ctx, stepTimeout, fmt.Errorf("not done after %s", stepTimeout))
	defer cancel()
	found, err := t.losing()
	if err != nil {
		return err
	}
	cmd := c.command(ctx, do, t.environment, t.dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(t.content), &stdout, &stderr
	err = cmd.Run()
	t.lost = found()
	t.output = stdout.String()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == exitUnsupported {
		return unsupportedError(strings.TrimSpace(stderr.String()))
	}
	if err != nil {
		return fmt.Errorf("%w: %s", cmp.Or(context.Cause(ctx), err), strings.TrimSpace(t.output+stderr.String()))
	}
	return nil
}

// losing has the reply to a request of the client lost, until the function that it returns is called, which reports
// whether there was such a request.
func (t *try) losing() (func() bool, error) {
	if t.lose == 0 {
		return func() bool { return false }, nil
	}
	t.environment[varRetries] = "3"
	name := "lost-" + t.environment[varBucket]
	err := t.faults.Add(fault.Fault{
		Name:   name,
		Match:  fault.Match{Seam: journal.SeamStore, Subject: t.environment[varBucket] + "*", Nth: t.lose},
		Effect: fault.Effect{LoseReply: "ServiceUnavailable"}, // which more clients repeat than a connection that ends
	})
	return func() bool {
		status, err := t.faults.End(name)
		return err == nil && status.Applied > 0
	}, err
}

// endWithGroup has a process end with all that it has started.
func endWithGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = waitDelay
}

// rejected checks a run that had to fail: it reports a rejection, and has read and written nothing.
func (t *try) rejected(err error) error {
	switch {
	case err == nil:
		return errors.New("it succeeded, and must be rejected: " + t.output)
	case !regexp.MustCompile(t.fails).MatchString(err.Error()):
		return fmt.Errorf("it failed in another way than %s: %w", t.fails, err)
	}
	if got, err := os.ReadFile(filepath.Join(t.dir, "out")); err == nil && (bytes.Equal(got, t.old) || bytes.Equal(got, t.content)) {
		return errors.New("it was rejected, and has read the object")
	}
	if slices.Contains(t.given, "") {
		return t.expectObject(t.key, t.old)
	}
	return gone("")(t)
}

func (t *try) expectObject(key string, want []byte) error {
	_, got, err := t.get(t.ctx, key)
	return equal("the object "+key, got, want, err)
}

func (t *try) expectFile(name string, want []byte) error {
	got, err := os.ReadFile(filepath.Join(t.dir, name))
	return equal("the file "+name, got, want, err)
}

// expectTree compares a directory with tree.
func (t *try) expectTree(name string) error {
	got := map[string]string{}
	files := os.DirFS(filepath.Join(t.dir, name))
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, path)
		got[path] = string(content)
		return err
	})
	return equal("the directory "+name, got, tree(), err)
}

// lines returns the lines of the output, without the prefix that is the key.
func (t *try) lines() (lines []string) {
	for line := range strings.Lines(t.output) {
		if line = strings.TrimPrefix(strings.TrimSpace(line), t.key+"/"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
