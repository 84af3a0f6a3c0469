package session

import (
	"context"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/adminapi"
)

// Page is a page about the emulator of a session. The session reports added and removed faults to
// it.
type Page interface {
	// URL is the address of the page, with its token.
	URL() string
	// FaultAdded and FaultRemoved must not call the session.
	FaultAdded(f fault.Fault)
	FaultRemoved(name string)
	// Close ends the page, and closes open connections.
	Close(ctx context.Context) error
}

// NewPage starts a page, which adds and removes faults with the last argument. The page outlives
// the context.
type NewPage func(context.Context, *emulator.Emulator, adminapi.Faults) (Page, error)

// pageOf is the page of a session; the zero value is none.
type pageOf struct {
	opening sync.Mutex // held while a page starts, so that only one starts

	mu   sync.Mutex
	page Page

	publishing sync.Mutex // serializes the publishing of the description
}

func (p *pageOf) get() Page {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.page
}

func (p *pageOf) url() string {
	if page := p.get(); page != nil {
		return page.URL()
	}
	return ""
}

func (p *pageOf) close(ctx context.Context) error {
	p.opening.Lock()
	defer p.opening.Unlock()
	if page := p.get(); page != nil {
		return page.Close(ctx)
	}
	return nil
}

// pageOpener returns the function of the admin API that opens the page, or nil.
func (s *Session) pageOpener() func(context.Context) (string, error) {
	if s.opts.NewPage == nil {
		return nil
	}
	return s.OpenPage
}

// OpenPage starts the page unless it runs, publishes its URL, and returns it. It requires
// Options.NewPage.
func (s *Session) OpenPage(ctx context.Context) (string, error) {
	if err := s.startPage(ctx); err != nil {
		return "", err
	}
	return s.page.url(), s.publish()
}

// startPage starts the page unless it runs.
func (s *Session) startPage(ctx context.Context) error {
	s.page.opening.Lock()
	defer s.page.opening.Unlock()
	if s.page.get() != nil {
		return nil
	}
	started, err := s.opts.NewPage(ctx, s.emulator, s.faults())
	if err != nil {
		return err
	}
	s.page.mu.Lock()
	defer s.page.mu.Unlock()
	s.page.page = started
	return nil
}

// publish publishes the current description.
func (s *Session) publish() error {
	s.page.publishing.Lock()
	defer s.page.publishing.Unlock()
	return s.instance.Publish(s.Info())
}

// faults returns the faults for users, which report changes to the recording and the page.
func (s *Session) faults() adminapi.Faults {
	return &shownFaults{s.record.faults(s.emulator.Faults()), &s.page}
}

// shownFaults reports changes to the page.
type shownFaults struct {
	adminapi.Faults

	page *pageOf
}

func (f *shownFaults) Add(added fault.Fault) error {
	err := f.Faults.Add(added)
	if page := f.page.get(); err == nil && page != nil {
		page.FaultAdded(added)
	}
	return err
}

func (f *shownFaults) Remove(name string) error {
	err := f.Faults.Remove(name)
	if page := f.page.get(); err == nil && page != nil {
		page.FaultRemoved(name)
	}
	return err
}

func (f *shownFaults) Clear() {
	all := f.List()
	f.Faults.Clear()
	if page := f.page.get(); page != nil {
		for _, removed := range all {
			page.FaultRemoved(removed.Name)
		}
	}
}
