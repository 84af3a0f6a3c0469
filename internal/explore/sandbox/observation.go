package sandbox

import (
	"context"
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
)

// observe lists all COSI objects and classes, the Secrets of the namespace, and the contents of the
// backend.
func (sb *Sandbox) observe(ctx context.Context, name string) (observed.Observation, error) {
	m := observed.Observation{Name: name, After: sb.Emulator.Journal().Mark()}
	lists, err := hub.Read(ctx, sb.Emulator.Client(), sb.Emulator.Info().API, hub.Options{SecretNamespace: run.Namespace, Cached: true})
	if err != nil {
		return m, fmt.Errorf("observe the sandbox %s: %w", name, err)
	}
	m.Objects = watch.NewObjects(lists)
	err = sb.observeBackend(ctx, &m)
	sb.bystander.hide(&m)
	m.Until = sb.Emulator.Journal().Mark()
	return m, err
}

// observeBackend lists the contents of the backend if it is the store of the emulator.
func (sb *Sandbox) observeBackend(ctx context.Context, m *observed.Observation) error {
	backend := sb.Emulator.Store()
	if backend == nil {
		return nil
	}
	buckets, err := backend.Buckets(ctx)
	if err != nil {
		return fmt.Errorf("list the buckets of the store: %w", err)
	}
	accounts, err := backend.Accounts(ctx)
	if err != nil {
		return fmt.Errorf("list the accounts of the store: %w", err)
	}
	m.Backend = &observed.BackendState{Buckets: buckets, Accounts: accounts}
	for _, driver := range sb.Emulator.Info().Served() {
		m.Backend.Drivers = append(m.Backend.Drivers, driver)
	}
	return nil
}

func (sb *Sandbox) isRunning() bool {
	for _, c := range sb.Emulator.Components() {
		if state, _ := c.State(); state != emulator.StateRunning {
			return false
		}
	}
	return true
}

func isEmpty(m observed.Observation) bool {
	return !hasObjects(m) && (m.Backend == nil || len(m.Backend.Buckets)+len(accountsOf(m.Backend)) == 0)
}

func hasObjects(m observed.Observation) bool {
	o := m.Objects
	return len(o.Claims)+len(o.Buckets)+len(o.Accesses)+len(o.Secrets) > 0
}

// accountsOf returns all accounts except administrators'.
func accountsOf(t *observed.BackendState) []fakedriver.Account {
	return slices.DeleteFunc(slices.Clone(t.Accounts), func(a fakedriver.Account) bool { return a.Admin })
}
