package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/engine"
)

// generous is a backend with mistakes that only a key shows.
type generous struct {
	fakedriver.Backend

	more string // a bucket that all accounts may use
	mode fakedriver.AccessMode
	stay bool // accounts are not deleted
}

// PutAccount implements fakedriver.Backend.
func (b generous) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	if b.more != "" {
		spec.Grants = append(slices.Clip(spec.Grants), fakedriver.Grant{Bucket: b.more, ObjectData: b.mode})
	}
	return b.Backend.PutAccount(ctx, spec)
}

// DeleteAccount implements fakedriver.Backend.
func (b generous) DeleteAccount(ctx context.Context, owner, id string) error {
	if b.stay {
		return nil
	}
	return b.Backend.DeleteAccount(ctx, owner, id)
}

// TestKeys has drivers whose keys open more, or for longer, than they should.
func TestKeys(t *testing.T) {
	ended := "steps:" + granted + "- delete: BucketAccess/app\n- expect: {BucketAccess/app: absent}\n"
	const (
		another = "of-another-access"
		beside  = "steps:\n- backend: {createBucket: " + another + "}" + granted
	)
	for name, tc := range map[string]struct {
		backend  generous
		scenario string
		want     bool
	}{
		"Sound":    {generous{}, ended, false},
		"Another":  {generous{more: another, mode: fakedriver.ReadWrite}, beside, true},
		"Write":    {generous{more: another, mode: fakedriver.WriteOnly}, beside, true},
		"NotEnded": {generous{stay: true}, ended, true},
	} {
		t.Run(name, func(t *testing.T) {
			emu := emulatortest.Start(t, emulator.Options{Implementations: emulator.Implementations{
				Driver: func(o fakedriver.Options) (emulator.Server, error) {
					tc.backend.Backend = o.Backend
					o.Backend = tc.backend
					return fakedriver.New(o)
				},
			}})
			result := engine.New(emu, engine.Options{}).Run(t.Context(), parse(t, tc.scenario))
			got := slices.ContainsFunc(result.Failures, func(f engine.Failure) bool { return f.Oracle == oracle.Keys })
			if got != tc.want {
				t.Errorf("the oracle has found a key: %t, want %t\n%s", got, tc.want, explain(result))
			}
		})
	}
}
