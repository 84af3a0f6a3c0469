package integration_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/recording/recorder"
	"github.com/cosi-emu/cosi-emu/internal/replay"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// files are a scenario, with a fault and a crash in it, and steps that it uses.
var files = fstest.MapFS{
	"story.yaml": {Data: []byte(`
apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: story
setup:
  drivers: [{name: vendor}]
steps:
- inject: {name: busy, seam: rpc, component: "sidecar.${drivers.vendor}", operation: DriverCreate*, fail: Unavailable, times: 2}
- inject: {name: lost, seam: rpc, component: "sidecar.${drivers.vendor}", operation: DriverGrant*, nth: 1, loseReply: Unavailable}
- use: make.yaml
- s3: {secret: key, put: hello, content: world}
- crash: ["sidecar.${drivers.vendor}"]
- s3: {secret: key, delete: hello}
- delete: [BucketAccess/app, BucketClaim/photos]
- expect: {BucketAccess/app: absent, BucketClaim/photos: absent}
- backend: {only: true}
`)},
	"make.yaml": {Data: []byte(`
apiVersion: cosi-emu/v1alpha1
kind: Steps
steps:
- apply:
  - kind: BucketClaim
    metadata: {name: photos}
    spec: {bucketClassName: "${class}", protocols: [S3]}
  - kind: BucketAccess
    metadata: {name: app}
    spec:
      bucketAccessClassName: ${accessClass}
      protocol: S3
      bucketClaims:
      - {bucketClaimName: photos, accessSecretName: key, accessModes: {objectData: ReadWrite}}
- expect: {BucketAccess/app: {status: {readyToUse: true}}}
`)},
}

// make runs the scenario and returns its recording.
func makeRecording(t *testing.T, emu *emulator.Emulator) *recording.Recording {
	t.Helper()
	all, err := spec.Loader{ReadFile: files.ReadFile}.Load("story.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	recorder := recorder.New(emu, recorder.Options{Dir: dir, All: true, Program: "v1"})
	if result := engine.New(emu, engine.Options{Observer: recorder}).Run(t.Context(), all[0]); result.Outcome != outcome.Passed {
		t.Fatalf("%s: %v", result.Outcome, result.Failures)
	}
	if err := recorder.Err(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "unfinished*")); len(left) != 0 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
	recorded, err := recording.ReadFile(recorder.Path("story"))
	if err != nil {
		t.Fatal(err)
	}
	return recorded
}

func TestReplay(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	recorded := makeRecording(t, emu)
	if recorded.End == nil || recorded.End.Outcome != "passed" || len(recorded.Files) != 2 || recorded.Kubernetes == "" {
		t.Errorf("header %+v, end %+v", recorded.Header, recorded.End)
	}

	t.Run("Judge", func(t *testing.T) { testJudge(t, recorded) })
	t.Run("AsScenario", func(t *testing.T) {
		got, err := replay.AsScenario(t.Context(), recorded, emu, engine.Options{})
		expectSame(t, got, err)
	})
	t.Run("Diverges", func(t *testing.T) { testDivergence(t, emu, recorded) })
}

func testJudge(t *testing.T, recorded *recording.Recording) {
	t.Helper()
	if found, err := replay.Judge(recorded); err != nil || len(found) != 0 {
		t.Errorf("%v, %v: nothing was wrong", found, err)
	}
	found, err := replay.Judge(leaking(t, recorded))
	if err != nil || len(found) != 1 || found[0].Oracle != vocabulary.Leak {
		t.Errorf("%v, %v: the backend has a bucket that no object records", found, err)
	}
	cut := *recorded
	cut.State = nil
	if _, err := replay.Judge(&cut); !errors.Is(err, replay.ErrNoState) {
		t.Errorf("%v: there is nothing to judge", err)
	}
}

func testDivergence(t *testing.T, emu *emulator.Emulator, recorded *recording.Recording) {
	t.Helper()
	// Today there is one fault more.
	more := *recorded
	more.Faults = []recording.Injection{{Fault: fault.Fault{
		Name:   "more",
		Match:  fault.Match{Seam: journal.SeamRPC, Component: "sidecar.vendor." + recorded.Namespace, Operation: "DriverDeleteBucket", Nth: 1},
		Effect: fault.Effect{Fail: "Unavailable"},
	}}}
	got, err := replay.AsScenario(t.Context(), &more, emu, engine.Options{})
	if err != nil || got.Result.Outcome != outcome.Passed || got.Divergence == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if d := got.Divergence; !strings.Contains(d.Recorded, "DriverDeleteBucket") || !strings.Contains(d.Replayed, "Unavailable") {
		t.Errorf("the first difference: %s", d)
	}
	if left := emu.Faults().List(); len(left) != 0 {
		t.Errorf("faults are left: %v", left)
	}
}

func TestAsDriver(t *testing.T) {
	t.Parallel()
	var recorded *recording.Recording
	t.Run("Record", func(t *testing.T) { recorded = makeRecording(t, emulatortest.Start(t, emulator.Options{})) })
	if recorded == nil {
		t.Fatal("there is no recording")
	}
	drivers, err := replay.Drivers(recorded)
	if err != nil {
		t.Fatal(err)
	}
	emu := emulatortest.Start(t, emulator.Options{Implementations: drivers.Implementations()})
	got, err := drivers.Replay(t.Context(), emu, engine.Options{})
	expectSame(t, got, err)
	if buckets, err := emu.Store().Buckets(t.Context()); len(buckets) != 0 || err != nil {
		t.Errorf("the stand-in has no backend, but there are buckets: %v, %v", buckets, err)
	}
}

func expectSame(t *testing.T, got replay.Replay, err error) {
	t.Helper()
	if err != nil || got.Result.Outcome != outcome.Passed {
		t.Fatalf("%s %v, %v", got.Result.Outcome, got.Result.Failures, err)
	}
	if got.Divergence != nil || got.Compared < 20 {
		t.Errorf("%d acts were compared: %s", got.Compared, got.Divergence)
	}
}

// leaking is a recording after which a bucket was left.
func leaking(t *testing.T, r *recording.Recording) *recording.Recording {
	t.Helper()
	var input observed.Input
	if err := json.Unmarshal(r.State, &input); err != nil {
		t.Fatal(err)
	}
	last := &input.Observations[len(input.Observations)-1]
	last.Backend.Buckets = append(last.Backend.Buckets, fakedriver.Bucket{
		BucketSpec: fakedriver.BucketSpec{Name: "bc-" + uidA, Owner: "vendor." + r.Namespace},
	})
	input.Scope.Words = append(input.Scope.Words, uidA)
	changed := *r
	state, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	changed.State = state
	return &changed
}
