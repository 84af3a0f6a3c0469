package contract

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// wasteful is a backend that deletes the buckets of an account with the account.
type wasteful struct {
	fakedriver.Backend

	grants map[string][]fakedriver.Grant
}

func (b wasteful) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	b.grants[spec.ID] = spec.Grants
	return b.Backend.PutAccount(ctx, spec)
}

func (b wasteful) DeleteAccount(ctx context.Context, owner, id string) error {
	if err := b.Backend.DeleteAccount(ctx, owner, id); err != nil {
		return err
	}
	for _, grant := range b.grants[id] {
		if err := b.Backend.DeleteBucket(ctx, owner, grant.Bucket); err != nil {
			return err
		}
	}
	return nil
}

// TestLostWithAccess uses a driver that deletes a retained bucket with its last access.
func TestLostWithAccess(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{Implementations: emulator.Implementations{
		Driver: func(o fakedriver.Options) (emulator.Server, error) {
			o.Backend = wasteful{o.Backend, map[string][]fakedriver.Grant{}}
			return fakedriver.New(o)
		},
	}})
	scenario := "setup: {classes: [{name: kept, deletionPolicy: Retain}]}\nsteps:" + granted +
		"- delete: [BucketAccess/app, BucketClaim/photos]\n- expect: {BucketAccess/app: absent, BucketClaim/photos: absent}\n"
	result := engine.New(emu, engine.Options{}).Run(t.Context(), parse(t, scenario))
	if !slices.ContainsFunc(result.Failures, func(f outcome.Failure) bool {
		return f.Oracle == vocabulary.Loss && strings.Contains(f.Message, "nothing has asked")
	}) {
		t.Errorf("the oracle has not found the loss\n%s", explain(result))
	}
}

// TestLeakedFile uses a store that leaves a file in its directory, and one that does not.
func TestLeakedFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	emu := emulatortest.Start(t, emulator.Options{DataDir: dir})
	const object = "- s3: {secret: key, put: film, size: 200000}\n"
	const ended = "- s3: {secret: key, delete: film}\n- delete: [BucketAccess/app, BucketClaim/photos]\n" +
		"- expect: {BucketAccess/app: absent, BucketClaim/photos: absent}\n"
	for _, stray := range []bool{false, true} {
		observer := &meddler{happen: func(string) {
			if stray {
				if err := os.WriteFile(filepath.Join(dir, "store", "blobs", "ffff"), []byte("a"), 0o600); err != nil {
					t.Error(err)
				}
			}
		}}
		result := engine.New(emu, engine.Options{Observer: observer}).Run(t.Context(), parse(t, "steps:"+granted+object+ended))
		found := slices.ContainsFunc(result.Failures, func(f outcome.Failure) bool { return f.Oracle == vocabulary.Leak })
		if found != stray || len(result.Failures) > 0 && !stray {
			t.Errorf("with a stray file %t, the oracle has found a leak: %t\n%s", stray, found, explain(result))
		}
	}
}
