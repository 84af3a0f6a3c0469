package contract

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// generous is a backend with mistakes that only the use of a key shows.
type generous struct {
	fakedriver.Backend

	more string // a bucket that all accounts may use
	also bool   // accounts may use another bucket of GCS
	mode fakedriver.AccessMode
	stay bool // accounts are not deleted
}

func (b generous) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	if b.more != "" {
		spec.Grants = append(slices.Clip(spec.Grants), fakedriver.Grant{Bucket: b.more, ObjectData: b.mode})
	}
	if b.also {
		other := fakedriver.BucketSpec{Name: spec.Grants[0].Bucket + "-also", Owner: spec.Owner, Protocol: fakedriver.ProtocolGCS}
		if _, err := b.CreateBucket(ctx, other); err != nil {
			return fakedriver.Credentials{}, err
		}
		spec.Grants = append(slices.Clip(spec.Grants), fakedriver.Grant{Bucket: other.Name, ObjectData: b.mode})
	}
	return b.Backend.PutAccount(ctx, spec)
}

func (b generous) DeleteAccount(ctx context.Context, owner, id string) error {
	if b.stay {
		return nil
	}
	return b.Backend.DeleteAccount(ctx, owner, id)
}

// keyScenario returns a scenario with an access by a protocol, which ends with steps.
func keyScenario(protocol fakedriver.Protocol, then string) string {
	return fmt.Sprintf(`
steps:
- apply:
  - {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [%[1]s]}}
  - kind: BucketAccess
    metadata: {name: app}
    spec:
      bucketAccessClassName: ${accessClass}
      protocol: %[1]s
      bucketClaims: [{bucketClaimName: photos, accessSecretName: key, accessModes: {objectData: ReadWrite}}]
- expect: {BucketAccess/app: {status: {readyToUse: true}}}
%[2]s`, protocol, then)
}

const accessEnds = "- delete: BucketAccess/app\n- expect: {BucketAccess/app: absent}\n"

// sessionScenario lets an application exchange the token of its ServiceAccount for a temporary key,
// before its access ends.
const sessionScenario = `
setup:
  accessClasses: [{name: keyless, authenticationType: ServiceAccount}]
steps:
- apply:
  - {kind: ServiceAccount, metadata: {name: builder}}
  - {kind: BucketClaim, metadata: {name: photos}, spec: {bucketClassName: "${class}", protocols: [S3]}}
  - kind: BucketAccess
    metadata: {name: app}
    spec:
      bucketAccessClassName: ${accessClass}
      protocol: S3
      serviceAccountName: builder
      bucketClaims: [{bucketClaimName: photos, accessSecretName: key, accessModes: {objectData: ReadWrite}}]
- expect: {BucketAccess/app: {status: {readyToUse: true}}}
- s3: {secret: key, serviceAccount: builder, access: app, put: hello, content: world}
` + accessEnds

// TestKeys uses drivers whose keys open more than they should, or for longer.
func TestKeys(t *testing.T) {
	t.Parallel()
	const another = "of-another-access"
	var (
		ended  = "steps:" + granted + accessEnds
		beside = "steps:\n- backend: {createBucket: " + another + "}" + granted
		google = keyScenario(fakedriver.ProtocolGCS, "")
	)
	for name, tc := range map[string]struct {
		backend  generous
		scenario string
		want     bool
	}{
		"Sound":           {generous{}, ended, false},
		"Another":         {generous{more: another, mode: fakedriver.ReadWrite}, beside, true},
		"Write":           {generous{more: another, mode: fakedriver.WriteOnly}, beside, true},
		"NotEnded":        {generous{stay: true}, ended, true},
		"GCSSound":        {generous{}, google + accessEnds, false},
		"GCSAnother":      {generous{also: true, mode: fakedriver.ReadWrite}, google, true},
		"GCSWrite":        {generous{also: true, mode: fakedriver.WriteOnly}, google, true},
		"GCSNotEnded":     {generous{stay: true}, google + accessEnds, true},
		"AzureSound":      {generous{}, keyScenario(fakedriver.ProtocolAzure, accessEnds), false},
		"AzureNotEnded":   {generous{stay: true}, keyScenario(fakedriver.ProtocolAzure, accessEnds), true},
		"SessionSound":    {generous{}, sessionScenario, false},
		"SessionNotEnded": {generous{stay: true}, sessionScenario, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			emu := emulatortest.Start(t, emulator.Options{
				Protocols: []fakedriver.Protocol{fakedriver.ProtocolS3, fakedriver.ProtocolGCS, fakedriver.ProtocolAzure},
				Implementations: emulator.Implementations{
					Driver: func(o fakedriver.Options) (emulator.Server, error) {
						tc.backend.Backend = o.Backend
						o.Backend = tc.backend
						return fakedriver.New(o)
					},
				},
			})
			result := engine.New(emu, engine.Options{}).Run(t.Context(), parse(t, tc.scenario))
			judged := !slices.ContainsFunc(result.Failures, func(f outcome.Failure) bool { return f.Oracle == "" })
			got := slices.ContainsFunc(result.Failures, func(f outcome.Failure) bool { return f.Oracle == vocabulary.Keys })
			if got != tc.want || !judged {
				t.Errorf("the oracle has found a key: %t, want %t\n%s", got, tc.want, explain(result))
			}
		})
	}
}

// TestKeysTriedByTwo lets two runs try the same keys at the same time, at buckets that exist only
// during a trial.
func TestKeysTriedByTwo(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	var watchers [2]*watch.Watcher
	for i := range watchers {
		var err error
		if watchers[i], err = watch.Start(t.Context(), emu); err != nil {
			t.Fatal(err)
		}
	}
	if result := engine.New(emu, engine.Options{}).Run(t.Context(), parse(t, "steps:"+granted)); result.Outcome != outcome.Passed {
		t.Fatal(explain(result))
	}
	var trials errgroup.Group
	for _, w := range watchers {
		trials.Go(func() error {
			for range 200 {
				all := func() eventscope.Scope { return eventscope.Scope{Alone: true} }
				if used, err := w.TryKeys(t.Context(), all, &observed.BackendState{}); err != nil || len(used) > 0 {
					return fmt.Errorf("TryKeys() = %v, %w", used, err)
				}
			}
			return nil
		})
	}
	if err := trials.Wait(); err != nil {
		t.Error(err)
	}
}
