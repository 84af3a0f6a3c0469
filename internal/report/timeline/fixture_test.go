package timeline_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// start is the beginning of all test scenarios.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(ms float64) time.Time { return start.Add(lasting(ms)) }

func lasting(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

type recorder struct{ events []journal.Event }

func (r *recorder) add(e journal.Event) {
	e.Seq = uint64(len(r.events)) + 11
	if e.Outcome == "" && e.Seam != journal.SeamLog {
		e.Outcome = journal.OutcomeOK
	}
	r.events = append(r.events, e)
}

func (r *recorder) api(ms float64, name, subject, response string) {
	e := journal.Event{
		Time: at(ms), Duration: lasting(3), Component: vocabulary.Controller, Incarnation: 1, Seam: journal.SeamAPI,
		Operation: journal.Operation{Name: name, Subject: subject}, Nth: 1,
	}
	if response != "" {
		e.Request, e.Response = json.RawMessage(`{"patched":true}`), json.RawMessage(response)
	}
	r.add(e)
}

func (r *recorder) cross(ms, took float64, component string, seam journal.Seam, name, outcome string) {
	r.add(journal.Event{
		Time: at(ms), Duration: lasting(took), Component: component, Incarnation: 1, Seam: seam,
		Operation: journal.Operation{Name: name, Subject: "bc-1"}, Outcome: outcome, Nth: 2,
	})
}

func (r *recorder) life(ms float64, component string, incarnation int, step string) {
	r.add(journal.Event{
		Time: at(ms), Component: component, Incarnation: incarnation, Seam: journal.SeamProcess, Operation: journal.Operation{Name: step},
	})
}

// claim is a BucketClaim as the API server answers.
func claim(status, reason string) string {
	return fmt.Sprintf(`{"kind":"BucketClaim","metadata":{"name":"photos","finalizers":["f"]},`+
		`"status":{"conditions":[{"type":"Provisioned","status":%q,"reason":%q,"message":"so it is"}]}}`, status, reason)
}

// lifecycle is a scenario with events of every category.
func lifecycle() report.Scenario {
	r := &recorder{}
	r.api(5, "watch bucketclaims", "", "")
	r.api(6, "get bucketclaims", "ns-1/photos", claim("Unknown", "Pending"))
	r.api(10, "patch bucketclaims/status", "ns-1/photos", claim("Unknown", "WaitingForDriver"))
	r.api(14, "create buckets", "bc-1", "")
	r.life(20, vocabulary.Sidecar, 1, "crash")
	r.life(21, vocabulary.Sidecar, 2, "start")
	r.life(40, vocabulary.Sidecar, 2, "ready")
	r.cross(50, 8, vocabulary.Sidecar, journal.SeamRPC, "DriverCreateBucket", "Unavailable")
	r.events[len(r.events)-1].Fault = "flaky"
	r.cross(70, 8, vocabulary.Sidecar, journal.SeamRPC, "DriverCreateBucket", "")
	r.cross(71, 6, vocabulary.Driver, journal.SeamRPC, "DriverCreateBucket", "")
	r.cross(72, 2, vocabulary.Driver, journal.SeamStore, "AdminCreateBucket", "")
	r.cross(73, 6, vocabulary.Sidecar+".other", journal.SeamRPC, "DriverGetInfo", "")
	r.cross(74, 4, vocabulary.Driver+".other", journal.SeamRPC, "DriverGetInfo", "")
	r.add(journal.Event{
		Time: at(76), Component: vocabulary.Sidecar, Incarnation: 2, Seam: journal.SeamLog,
		Operation: journal.Operation{Name: "error"}, Message: `"msg"="cannot write" "error"="disk full"`,
	})
	r.api(80, "patch bucketclaims/status", "ns-1/photos", claim("True", "Provisioned"))
	r.cross(91, 2, vocabulary.Store, journal.SeamStore, "PutObject", "AccessDenied")
	r.api(10095, "patch bucketclaims", "ns-1/photos",
		`{"kind":"BucketClaim","metadata":{"name":"photos","deletionTimestamp":"2026-01-02T03:04:15Z"}}`)
	return report.Scenario{
		Name: "lifecycle", Description: "From a claim to its end.", Labels: map[string]string{"area": "claims"}, Proves: []string{"E12"},
		Position: report.Position{File: "s.yaml", Line: 1, Column: 1}, Namespace: "ns-1", Outcome: outcome.Failed,
		Sources:   []report.Source{{File: "s.yaml", Line: 9, Text: "steps:\n- apply: a\n- parallel: b\n- crash: c\n- s3: d\n- expect: e\n"}},
		Recording: "lifecycle.cosirec", Started: start, Duration: lasting(10100), Events: r.events, Steps: steps(), Failures: failures(),
	}
}

func steps() []report.Step {
	all := []report.Step{
		{Verb: "apply", Started: at(2), Duration: lasting(6)},
		{Name: "it dies", Verb: "parallel", Started: at(8), Duration: lasting(82)},
		{Verb: "crash", Depth: 1, Started: at(19), Duration: lasting(22)},
		{Verb: "s3", Started: at(90), Duration: lasting(4)},
		{Verb: "expect", Started: at(94), Duration: lasting(10000), Outcome: outcome.Failed},
	}
	for i := range all {
		all[i].Position = report.Position{File: "s.yaml", Line: 10 + i}
		if all[i].Outcome == "" {
			all[i].Outcome = outcome.Passed
		}
	}
	return all
}

func failures() []report.Failure {
	return []report.Failure{{
		Step: new(4), Position: report.Position{File: "s.yaml", Line: 14}, Message: "BucketClaim/photos: condition not met",
		Subject:     "BucketClaim/photos",
		Differences: []report.Difference{{Path: "status.readyToUse", Want: "true", Got: "false"}},
		Expected:    "status:\n  readyToUse: true", Got: "status:\n  readyToUse: false",
		Diff: "--- expected\n+++ got\n@@ -1,2 +1,2 @@\n status:\n-  readyToUse: true\n+  readyToUse: false\n", Events: []uint64{25},
	}, {
		Position: report.Position{File: "s.yaml", Line: 1}, Oracle: "leak", Message: "bucket bc-1 is left",
	}}
}

func fixture() report.Report {
	passed := lifecycle()
	passed.Name, passed.Outcome, passed.Failures, passed.Duration = "fine", outcome.Passed, nil, lasting(120)
	skipped := report.Scenario{Name: "elsewhere", Outcome: outcome.Skipped, Reason: "it needs an emulator", Started: start}
	return report.New("v1.2.3", start, lasting(10200), []report.Scenario{passed, lifecycle(), skipped})
}
