// Package session runs an emulator under a name, so that commands of other processes find it. It
// combines package emulator, which runs the components, and package instance, which manages names
// and directories.
package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/initdir"
	"github.com/cosi-emu/cosi-emu/internal/instance"
)

// Options configure a session.
type Options struct {
	Name string
	// DataDir is the directory for data that survives a restart; empty for none.
	DataDir string
	// Version is the version of the program, for the description.
	Version string
	// Record is the directory for a recording of the session; empty for none.
	Record string
	// Init fills the emulator before the session is ready; nil for nothing.
	Init *initdir.Contents
	// NewPage starts a page about the emulator; nil without one. ShowPage starts it with the
	// session, otherwise OpenPage does.
	NewPage  NewPage
	ShowPage bool
	// Warn, if set, is called for each problem that is found after the start. Info has all of them.
	Warn func(string)
	// Emulator has the options of the emulator. The session sets the directories.
	Emulator emulator.Options
}

// Session is a running emulator with a name.
type Session struct {
	opts     Options
	started  time.Time
	instance *instance.Instance
	data     *instance.DataDir
	cluster  *existingcluster.Cluster // nil without an existing cluster
	emulator *emulator.Emulator
	control  *adminapi.Server
	record   *record
	page     pageOf
	watches  watches
	changed  chan struct{} // receives when the emulator's description has changed
	mark     uint64        // position in the journal when the description was last published
}

// Start acquires the name, starts an emulator and publishes its description. A failed start leaves
// nothing behind. It returns the errors of instance.Acquire, instance.LockDataDir and
// emulator.Start.
func Start(ctx context.Context, opts Options) (_ *Session, err error) {
	s := &Session{opts: opts, started: time.Now(), changed: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release())
		}
	}()
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	opts.Emulator.Dir = s.instance.Dir()
	if s.data != nil {
		opts.Emulator.DataDir = s.data.Path()
	}
	opts.Emulator.DriverChanged = func() {
		select {
		case s.changed <- struct{}{}:
		default: // it will be published
		}
	}
	if s.emulator, err = emulator.Start(ctx, opts.Emulator); err != nil {
		return nil, err
	}
	if err := s.startRecording(ctx); err != nil {
		return nil, errors.Join(err, s.emulator.Stop(ctx), s.record.close())
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// acquire locks the session's exclusive resources, and publishes that it starts.
func (s *Session) acquire(ctx context.Context) (err error) {
	if err := s.openCluster(); err != nil {
		return err
	}
	clean := func(dir string) error { return s.succeed(ctx, dir) }
	if s.instance, err = instance.Acquire(s.opts.Name, clean); err != nil { //nolint:contextcheck // it waits for a fraction of a second
		return err
	}
	if err := s.checkServer(); err != nil {
		return err
	}
	if s.opts.DataDir != "" {
		if s.data, err = instance.LockDataDir(s.opts.DataDir); err != nil { //nolint:contextcheck // as above
			return err
		}
	}
	return s.instance.Publish(s.Info())
}

// open serves the admin API of the emulator, fills the emulator, shows its page, and publishes its description.
func (s *Session) open(ctx context.Context) (err error) {
	if s.control, err = adminapi.Listen(ctx, s.controlSocket(), s.faults(), s.pageOpener()); err != nil {
		return err
	}
	s.control.ServeSnapshots(s.emulator.SaveSnapshot)
	s.control.ServeBackend(s.backend)
	if s.opts.Init != nil {
		if err := s.opts.Init.Apply(ctx, s.emulator); err != nil {
			return fmt.Errorf("initialize the emulator: %w", err)
		}
	}
	if s.opts.ShowPage {
		if err := s.startPage(ctx); err != nil {
			return err
		}
	}
	s.started = time.Now() // the download of the control plane may have taken minutes
	s.mark = s.emulator.Journal().Mark()
	if err := s.publish(); err != nil {
		return err
	}
	s.startWatches(ctx)
	return nil
}

func (s *Session) openCluster() (err error) {
	if existing := s.opts.Emulator.Cluster; existing != nil {
		s.cluster, err = existingcluster.Open(existingcluster.Options(*existing))
	}
	return err
}

// controlSocket is the socket of the admin API.
func (s *Session) controlSocket() string { return filepath.Join(s.instance.Dir(), "run", "ctl.sock") }

// Emulator returns the emulator.
func (s *Session) Emulator() *emulator.Emulator { return s.emulator }

// Info returns the current description.
func (s *Session) Info() instance.Info {
	info := instance.Info{
		Name:    s.opts.Name,
		Version: s.opts.Version,
		PID:     os.Getpid(),
		Started: s.started,
		Info:    emulator.Info{Dir: s.instance.Dir()},
	}
	if s.data != nil {
		info.DataDir = s.data.Path()
	}
	if c := s.cluster; c != nil { // for the clean-up if this process is killed
		info.Context, info.APIServer = c.ContextName(), c.Server()
	}
	if s.emulator != nil {
		info.Ready, info.Control = true, s.controlSocket()
		info.UI = s.page.url()
		info.Recording = s.record.path()
		info.Info = s.emulator.Info()
		info.Warnings = append(info.Warnings, s.watches.warnings()...)
	}
	return info
}

// Wait updates the description while the emulator runs. It returns nil when ctx is done, or the
// error of a failed component.
func (s *Session) Wait(ctx context.Context) error {
	running, cancel := context.WithCancelCause(ctx)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel(nil)
	watcher.Go(func() {
		select {
		case err := <-s.emulator.Failed():
			cancel(err)
		case <-running.Done():
		}
	})
	for event := range s.emulator.Journal().Follow(running, s.mark) {
		if event.Seam != journal.SeamProcess {
			continue
		}
		if err := s.publish(); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(running)
}

// Stop stops the emulator and releases the name.
func (s *Session) Stop(ctx context.Context) error {
	return errors.Join(s.stop(ctx), s.release())
}

func (s *Session) stop(ctx context.Context) error {
	s.stopWatches()
	var errs []error
	if s.control != nil {
		errs = append(errs, s.control.Close(ctx))
	}
	errs = append(errs, s.page.close(ctx))
	s.record.observe(ctx)
	return errors.Join(append(errs, s.emulator.Stop(ctx), s.record.close())...)
}

func (s *Session) release() error {
	var errs []error
	if s.cluster != nil {
		s.cluster.Close()
	}
	if s.data != nil {
		errs = append(errs, s.data.Release())
	}
	if s.instance != nil {
		errs = append(errs, s.instance.Release())
	}
	return errors.Join(errs...)
}
