package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/examples"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func (h *home) recordings(dir, name string) []string {
	h.t.Helper()
	found, err := filepath.Glob(filepath.Join(h.dir, dir, name+".*"+recording.Extension))
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}

// TestReplay records scenarios, and replays the recordings.
func TestReplay(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("a.yaml", scenario("good", claims+ready)+scenario("bad", claims+ready+unready))
	if r := h.run("run", "a.yaml", "--record", "kept"); r.code != 1 || !strings.Contains(r.out, "cosi-emu replay ") {
		t.Fatalf("run: exit code %d, want 1 and how to replay it: %s%s", r.code, r.out, r.err)
	}
	good, bad := h.recordings("kept", "good"), h.recordings("kept", "bad")
	if len(good) != 1 || len(bad) != 1 {
		t.Fatalf("recordings: %v and %v, want one of each scenario", good, bad)
	}
	if info, err := os.Stat(good[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: only the owner may read it", info.Mode(), err)
	}
	if err := os.Remove(filepath.Join(h.dir, "a.yaml")); err != nil { // the recording has everything it needs
		t.Fatal(err)
	}
	cut := h.write("cut.cosirec", firstLines(t, good[0], 10))
	damaged := h.write("damaged.cosirec", strings.Replace(firstLines(t, good[0], 10), "bucketclaims", "bucketclaimz", 1))
	for _, tc := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"Passes", []string{good[0]}, 0, "The replay has passed, as recorded"},
		{"Fails", []string{bad[0]}, 1, "The replay has failed, as recorded"},
		{"AsDriver", []string{good[0], "--as", "driver"}, 0, "The replay has passed, as recorded"},
		{"Diverges", []string{cut}, 4, "The first difference"},
		{"Judge", []string{good[0], "--as", "judge"}, 0, "The oracles have nothing against it."},
		{"JudgeNothing", []string{cut, "--as", "judge"}, 2, "has no state to check"},
		{"Damaged", []string{damaged}, 2, "the recording is damaged: line "},
		{"NoFile", []string{"none.cosirec"}, 2, "none.cosirec"},
		{"OddWay", []string{good[0], "--as", "x"}, 2, "scenario, driver or judge"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := h.run(append([]string{"replay"}, tc.args...)...)
			if r.code != tc.code || !strings.Contains(r.out+r.err, tc.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", r.code, tc.code, tc.want, r.out, r.err)
			}
		})
	}
	h.expectNothingLeft()
}

// TestReplayEvery: in each way, a replay injects a fault of every second call into the same calls.
func TestReplayEvery(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	steps := "- inject: {name: busy, seam: rpc, operation: DriverCreateBucket, nth: 1, every: 2, fail: Unavailable}\n"
	for _, name := range []string{"one", "two", "three"} {
		steps += strings.ReplaceAll(claims+ready, "photos", name)
	}
	h.write("every.yaml", scenario("every", steps))
	h.must("run", "every.yaml", "--record", "kept")
	recorded := h.recordings("kept", "every")
	if len(recorded) != 1 {
		t.Fatalf("recordings: %v", recorded)
	}
	kept, err := recording.ReadFile(recorded[0])
	if err != nil {
		t.Fatal(err)
	}
	affected := 0
	for _, e := range kept.Events {
		if e.Fault != "" {
			affected++
		}
	}
	if want := 3; affected != want {
		t.Fatalf("the fault affected %d calls, want %d: the first of each claim", affected, want)
	}
	for _, way := range []string{"scenario", "driver"} {
		out := h.must("replay", recorded[0], "--as", way)
		if !strings.Contains(out, "The replay has passed, as recorded: ") || !strings.Contains(out, " operations compared, no difference.\n") {
			t.Errorf("--as %s prints %s", way, out)
		}
	}
	h.expectNothingLeft()
}

// TestReplayV1alpha1: the replay has the version of the recorded scenario.
func TestReplayV1alpha1(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const name = "v1alpha1-key-access"
	h.must("run", "--suite", "--scenario", name, "--record", "kept")
	recorded := h.recordings("kept", name)
	if len(recorded) != 1 {
		t.Fatalf("recordings: %v", recorded)
	}
	if out := h.must("replay", recorded[0]); !strings.Contains(out, "The replay has passed, as recorded") {
		t.Errorf("it prints %s", out)
	}
	h.expectNothingLeft()
}

func firstLines(t *testing.T, file string, number int) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.SplitAfterN(string(data), "\n", number+1)[:number], "")
}

// TestRecordUp records users' requests, and judges the recording.
func TestRecordUp(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up("--record", "kept")
	h.must("fault", "add", "slow", "--seam", "rpc", "--delay", "1ms")
	h.must("fault", "clear")
	h.must("down")
	recorded, err := recording.ReadFile(info.Recording)
	if err != nil || recorded.End == nil || len(recorded.Events) == 0 || len(recorded.Faults) != 2 {
		t.Fatalf("%v: %+v", err, recorded)
	}
	if r := h.run("replay", info.Recording); r.code != 2 || !strings.Contains(r.err, "no scenario") {
		t.Errorf("exit code %d: %s; there is nothing to run again", r.code, r.err)
	}
	if r := h.run("replay", info.Recording, "--as", "judge"); r.code != 0 || len(recorded.State) == 0 {
		t.Errorf("exit code %d: the oracles judge the state at the end, of %d bytes:\n%s%s", r.code, len(recorded.State), r.out, r.err)
	}
	h.expectNothingLeft()
}

// TestRecordRestless ends a session while a call hangs. The recording has the final state, and marks the components as active. The
// oracles do not report the unanswered call.
func TestRecordRestless(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up("--record", "kept")
	h.must("fault", "add", "stuck", "--operation", "DriverCreateBucket", "--hang")
	c := connect(t, info.Kubeconfig)
	c.apply(string(examples.Quickstart))
	harness.Eventually(t, "a call hangs, and claim and access have their Events, which are the last writes", func(ctx context.Context) error {
		events := &eventsv1.EventList{}
		err := c.client.List(ctx, events, client.InNamespace("demo"))
		if n := len(events.Items); err == nil && n < 2 {
			err = fmt.Errorf("there are %d Events", n)
		}
		if err != nil {
			return err
		}
		var faults []fault.Status
		h.json(&faults, "fault", "list", "-o", "json")
		if len(faults) != 1 || faults[0].Applied == 0 {
			return fmt.Errorf("the fault has affected no call: %v", faults)
		}
		return nil
	})
	h.must("down")
	recorded, err := recording.ReadFile(info.Recording)
	if err != nil || recorded.End == nil {
		t.Fatalf("%v: %+v", err, recorded)
	}
	var state observed.Input
	if err := json.Unmarshal(recorded.State, &state); err != nil {
		t.Fatalf("the recording has no state: %v; %+v", err, recorded.End)
	}
	if n := len(state.Observations); n != 1 || !state.Observations[0].Active {
		t.Errorf("%d observations; want one, of components that are not at rest: %+v", n, state.Observations)
	}
	if r := h.run("replay", info.Recording, "--as", "judge"); r.code != 0 {
		t.Errorf("exit code %d: %s%s", r.code, r.out, r.err)
	}
	h.expectNothingLeft()
}
