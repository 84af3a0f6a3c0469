package main_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestFault makes the driver unavailable in a running emulator: a claim waits for the end of the
// fault.
func TestFault(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	info := h.up()
	c := connect(t, info.Kubeconfig)
	if got := h.must("fault", "list"); got != "No fault is active.\n" {
		t.Errorf("fault list: %s", got)
	}
	h.must("fault", "add", "away", "--seam", "rpc", "--operation", "DriverCreateBucket", "--fail", "Unavailable", "--times", "2")
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "photos"},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: "standard", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	if err := c.client.Create(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the claim is ready in the end", func(ctx context.Context) (bool, error) {
		err := c.client.Get(ctx, client.ObjectKeyFromObject(claim), claim)
		return claim.Status.ReadyToUse, err
	})
	h.expectActive(fault.Status{Fault: fault.Fault{Name: "away"}, Applied: 2})
	h.expectCompletions(map[string][]string{
		"status --name": {instance.DefaultName}, "fault remove": {"away"}, "logs": {"sidecar", "kube-apiserver"},
		"status -o": {"text", "json"}, "fault add odd --component": {"controller"},
		"fault add odd --seam": {"api", "rpc", "store", "process"}, "fault add odd --seam rpc --operation": {"DriverCreateBucket"},
		"fault add odd --seam store --fail": {"SlowDown"}, "fault add odd --crash": {"before", "after"},
		"fault add odd --operation": {"DriverCreateBucket", "PutObject", "patch buckets/status"}, "explore --effects": {"lose-reply"},
	})
	var listed []fault.Status
	err := json.Unmarshal([]byte(h.must("fault", "list", "-o", "json")), &listed)
	if err != nil || len(listed) != 1 || listed[0].Applied != 2 {
		t.Errorf("fault list: %v, %v; want one fault that has hit two calls", listed, err)
	}
	if log := h.must("logs", "sidecar", "--seam", "rpc"); strings.Count(log, "[fault: away]") != 2 {
		t.Errorf("the journal has not two calls that the fault has hit:\n%s", log)
	}
	h.rejected("a fault of this name already exists", "fault", "add", "away", "--seam", "rpc", "--hang")
	h.rejected("drop", "fault", "add", "odd", "--seam", "rpc", "--drop")
	h.rejected("fault not found", "fault", "remove", "absent")
	h.rejected("--leader-elect", "fault", "add", "odd", "--seam", "rpc", "--lose-lease", "2s")
	h.rejected("forget needs crash", "fault", "add", "odd", "--seam", "rpc", "--hang", "--forget")
	h.rejected(`did you mean "patch buckets/status"?`,
		"fault", "add", "odd", "--seam", "api", "--operation", "patch bucket/status", "--fail", "Conflict")
	h.rejected("PATH=JSON", "fault", "add", "odd", "--seam", "rpc", "--set", "x")
	h.expectSubjects()
	h.must("fault", "remove", "away")
	h.must("fault", "add", "slow", "--seam", "store", "--delay", "1ms")
	for _, effect := range [][]string{
		{"--seam", "store", "--cut-upload", "3"}, {"--seam", "store", "--flip-upload", "3"}, {"--seam", "process", "--clock", "-2h"},
		{"--seam", "rpc", "--crash", "before", "--forget"},
	} {
		h.must(append([]string{"fault", "add", "never", "--component", "driver.absent"}, effect...)...)
		h.must("fault", "remove", "never")
	}
	h.must("fault", "clear")
	if got := h.must("fault", "list"); got != "No fault is active.\n" {
		t.Errorf("fault list after clear: %s", got)
	}
	h.must("down")
	h.expectNothingLeft()
}

// expectActive expects that 'status' shows one fault, which has affected operations.
func (h *home) expectActive(want fault.Status) {
	h.t.Helper()
	if text := h.must("status"); !strings.Contains(text, "Active faults:") || !strings.Contains(text, want.Name) {
		h.t.Errorf("status does not show the fault:\n%s", text)
	}
	var got struct {
		Faults []fault.Status `json:"faults"`
	}
	if err := json.Unmarshal([]byte(h.must("status", "-o", "json")), &got); err != nil {
		h.t.Fatal(err)
	}
	if len(got.Faults) != 1 || got.Faults[0].Name != want.Name || got.Faults[0].Applied != want.Applied {
		h.t.Errorf("status -o json has the faults %v, want %v", got.Faults, want)
	}
}

// expectSubjects expects that the operations in the journal are in docs/operations.md, and that
// their subjects have the form of the examples there.
func (h *home) expectSubjects() {
	h.t.Helper()
	seen := map[journal.Seam]int{}
	for line := range strings.Lines(h.must("logs", "-o", "json")) {
		var event journal.Event
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			h.t.Fatal(err)
		}
		name, subject := event.Operation.Name, event.Operation.Subject
		if !slices.Contains(operations.Names(event.Seam), name) {
			continue // a path, or a log line of a component
		}
		seen[event.Seam]++
		if !operations.LooksRight(event.Seam, name, subject) {
			h.t.Errorf("%s: %s on %q does not look like the example in docs/operations.md", event.Seam, name, subject)
		}
	}
	if seen[journal.SeamAPI] == 0 || seen[journal.SeamRPC] == 0 || seen[journal.SeamStore] == 0 || seen[journal.SeamProcess] == 0 {
		h.t.Errorf("the journal has not operations of all seams: %v", seen)
	}
}

// expectCompletions expects completions of command lines in a shell.
func (h *home) expectCompletions(all map[string][]string) {
	h.t.Helper()
	for line, want := range all {
		got := strings.Split(h.must(append(append([]string{"__complete"}, strings.Fields(line)...), "")...), "\n")
		for _, completion := range want {
			if !slices.Contains(got, completion) {
				h.t.Errorf("%q is not completed to %q, but to %q", line, completion, got)
			}
		}
	}
}

// rejected runs a command that must fail with exit code 2 and a message.
func (h *home) rejected(want string, args ...string) {
	h.t.Helper()
	if r := h.run(args...); r.code != 2 || !strings.Contains(r.err, want) {
		h.t.Errorf("%v: exit code %d, %s; want 2 and %q", args, r.code, r.err, want)
	}
}
