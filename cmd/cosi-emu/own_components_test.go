package main_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// ownComponents are flags that run the program's own controller and sidecar as external processes
// behind the seams.
func (h *home) ownComponents() []string {
	const common = " --kubeconfig=$(KUBECONFIG) --health-probe-bind-address=$(PROBE_ADDRESS) --kube-api-qps=-1" +
		" --retry-base-delay=$(RETRY_BASE_DELAY) --retry-max-delay=$(RETRY_MAX_DELAY)"
	return []string{
		"--controller-cmd", h.program() + " controller" + common,
		"--sidecar-cmd", h.program() + " sidecar --endpoint=$(COSI_ENDPOINT) --dialect=kep --rpc-timeout=$(RPC_TIMEOUT)" + common,
	}
}

// TestOwnComponents runs a sample of the suite, and explores a scenario, with components that are
// processes. The results are those of the emulator's components; make nightly-components runs all.
func TestOwnComponents(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	sample := []string{"key-access", "controller-crashes", "crash-while-granting", "hung-driver", "service-account-is-missing"}
	run := append([]string{"run", "--suite"}, h.ownComponents()...)
	for _, name := range sample {
		run = append(run, "--scenario", name)
	}
	if r := h.run(run...); r.code != 0 || !strings.Contains(r.out, "5 passed") {
		t.Errorf("run: exit code %d\n%s%s", r.code, r.out, r.err)
	}
	h.write("one.yaml", scenario("one", claims+ready+gone))
	explore := append([]string{
		"explore", "one.yaml", "--parallel", "1", "--at", "* api patch *",
		"--effects", "fail,crash-before,crash-after", "--sample", "6", "-o", "json",
	}, h.ownComponents()...)
	r := h.run(explore...)
	var report struct {
		Tried     int   `json:"tried"`
		Unreached []any `json:"unreached"`
		Findings  []any `json:"findings"`
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Fatalf("explore: exit code %d: %v\n%s%s", r.code, err, r.out, r.err)
	}
	// A process may need fewer requests in one run than in another: not all of them are reached.
	if r.code != 0 || report.Tried+len(report.Unreached) != 6 || report.Tried < 4 || len(report.Findings) > 0 {
		t.Errorf("explore: exit code %d\n%s%s", r.code, r.out, r.err)
	}
	h.expectNothingLeft()
}

// TestOwnComponentsLackRights: a program without the rights that it needs looks like one that hangs. The
// status names the rights.
func TestOwnComponentsLackRights(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("rbac.yaml", `apiVersion: v1
kind: ServiceAccount
metadata: {name: poor, namespace: theirs}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: poor}
rules: [{apiGroups: [objectstorage.k8s.io], resources: ["*"], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: poor}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: poor}
subjects: [{kind: ServiceAccount, name: poor, namespace: theirs}]
`)
	h.up("--controller-cmd", h.program()+" controller --kubeconfig=$(KUBECONFIG)", "--controller-rbac", "rbac.yaml")
	const want = "controller may not list bucketclaims.objectstorage.k8s.io in the whole cluster, and will not work without: " +
		"give ServiceAccount theirs/poor a ClusterRole with the rule"
	harness.Until(t, "the status has the missing right", func(context.Context) (bool, error) {
		return strings.Contains(h.must("status"), "Warning: "+want), nil
	})
	h.must("down")
	h.expectNothingLeft()
}

// TestOwnComponentsFail: the error names the failing program, and has its output.
func TestOwnComponentsFail(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("one.yaml", scenario("one", claims))
	h.rejected(`--sidecar-cmd "./none": `, "run", "one.yaml", "--sidecar-cmd", "./none")
	h.rejected("--controller-rbac requires --controller-cmd", "explore", "one.yaml", "--controller-rbac", "one.yaml")
	r := h.run("run", "one.yaml", "--controller-cmd", h.program()+" controller --no-such-flag --health-probe-bind-address=$(PROBE_ADDRESS)")
	if r.code != 3 || !strings.Contains(r.err, "start controller: ") || !strings.Contains(r.err, "no-such-flag") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	h.expectNothingLeft()
}
