package contract

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// sharing is a backend that grants every account access to all buckets.
type sharing struct {
	fakedriver.Backend

	mu      *sync.Mutex
	buckets *[]string
}

func (b sharing) CreateBucket(ctx context.Context, spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(*b.buckets, spec.Name) {
		*b.buckets = append(*b.buckets, spec.Name)
	}
	return b.Backend.CreateBucket(ctx, spec)
}

func (b sharing) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range *b.buckets {
		if !slices.ContainsFunc(spec.Grants, func(g fakedriver.Grant) bool { return g.Bucket == name }) {
			spec.Grants = append(spec.Grants, fakedriver.Grant{Bucket: name, ObjectData: fakedriver.ReadWrite})
		}
	}
	return b.Backend.PutAccount(ctx, spec)
}

// TestKeysOfExternalDriver uses drivers at a socket with their own services.
func TestKeysOfExternalDriver(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	const (
		ended = "- delete: BucketAccess/app\n- expect: {BucketAccess/app: absent}\n"
		films = `
- apply: {kind: BucketClaim, metadata: {name: films}, spec: {bucketClassName: "${class}", protocols: [S3]}}
- expect: {BucketClaim/films: {status: {readyToUse: true}}}
- apply:
    kind: BucketAccess
    metadata: {name: player}
    spec:
      bucketAccessClassName: ${accessClass}
      protocol: S3
      bucketClaims: [{bucketClaimName: films, accessSecretName: film-key, accessModes: {objectData: ReadWrite}}]
- expect: {BucketAccess/player: {status: {readyToUse: true}}}
`
	)
	tests := map[string]struct {
		wrap  func(fakedriver.Backend) fakedriver.Backend
		steps string
		want  string
	}{
		"correct": {wrap: func(b fakedriver.Backend) fakedriver.Backend { return b }, steps: granted + films + ended},
		"forgetful": {
			wrap: func(b fakedriver.Backend) fakedriver.Backend { return generous{Backend: b, stay: true} }, steps: granted + ended,
			want: "although the access was revoked",
		},
		"sharing": {
			wrap:  func(b fakedriver.Backend) fakedriver.Backend { return sharing{b, new(sync.Mutex), new([]string)} },
			steps: granted + films, want: "which was not granted",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var signed, anonymous atomic.Int32
			socket := drivertest.ServeWithStore(t, name+".test", tc.wrap, func(r *http.Request) {
				if r.Method != http.MethodGet {
					t.Errorf("a trial sends %s %s, want only requests that read", r.Method, r.URL)
				}
				if r.Header.Get("Authorization") != "" {
					signed.Add(1)
				} else {
					anonymous.Add(1)
				}
			})
			result := runExternal(t, emu, name, socket, tc.steps)
			found := slices.ContainsFunc(result.Failures, func(f outcome.Failure) bool {
				return f.Oracle == vocabulary.Keys && strings.Contains(f.Message, tc.want)
			})
			if found != (tc.want != "") || len(result.Failures) > 0 && !found || len(result.Notes) > 0 {
				t.Errorf("notes %q, want none; a finding with %q: %t\n%s", result.Notes, tc.want, found, explain(result))
			}
			if signed.Load() == 0 || anonymous.Load() == 0 {
				t.Errorf("%d requests with a key and %d without, want both", signed.Load(), anonymous.Load())
			}
		})
	}
}

func runExternal(t *testing.T, emu *emulator.Emulator, name, socket, steps string) outcome.Result {
	t.Helper()
	text := fmt.Sprintf("setup: {drivers: [{name: %s, socket: %q}]}\nsteps:", name, socket) + steps
	return engine.New(emu, engine.Options{}).Run(t.Context(), parse(t, text))
}

// TestKeysNotTried uses services that do not answer. The keys are not judged, and the result has
// the reason.
func TestKeysNotTried(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	tests := map[string]struct{ endpoint, want string }{
		"unreachable": {"http://127.0.0.1:1", "keys at endpoint http://127.0.0.1:1 are not tried: dial tcp 127.0.0.1:1: "},
		"other":       {"http://name:password@127.0.0.1:2", "keys at endpoint http://127.0.0.1:2 are not tried: "},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			socket := drivertest.ServeFake(t, name+".test", tc.endpoint)
			for range 2 {
				result := runExternal(t, emu, name, socket, granted)
				said := slices.DeleteFunc(slices.Clone(result.Notes), func(note string) bool { return !strings.HasPrefix(note, tc.want) })
				if result.Outcome != outcome.Passed || len(said) != 1 {
					t.Errorf("notes %q, want one with %q\n%s", result.Notes, tc.want, explain(result))
				}
			}
		})
	}
}
