package scenarios_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	cosicel "github.com/cosi-emu/cosi-emu/internal/scenario/cel"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
	"github.com/cosi-emu/cosi-emu/scenarios"
)

var claim = &v1alpha2.BucketClaim{
	ObjectMeta: metav1.ObjectMeta{Name: "photos"},
	Spec:       v1alpha2.BucketClaimSpec{BucketClassName: "${class}", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
}

var access = scenarios.Fields{
	"kind": "BucketAccess", "metadata": scenarios.Fields{"name": "app"},
	"spec": scenarios.Fields{
		"bucketAccessClassName": "${accessClass}", "protocol": "S3",
		"bucketClaims": scenarios.List{scenarios.Fields{
			"bucketClaimName": "photos", "accessSecretName": "key", "accessModes": map[string]string{"objectData": "ReadWrite"},
		}},
	},
}

var ready = scenarios.Fields{"status": scenarios.Fields{"readyToUse": true}}

func TestBuilderRun(t *testing.T) {
	scenarios.New("built").
		Description("A lifecycle, with a crash in the middle.").
		Driver(scenarios.FakeDriver{Name: "one"}).
		Apply(claim, access).
		Crash("sidecar.${driver}").
		Expect("BucketClaim/photos", ready).As("claim").
		Expect("BucketAccess/app", ready).
		S3(scenarios.S3{Secret: "key", Put: "hello", Content: new("world")}).
		S3(scenarios.S3{Secret: "key", Get: "hello", Content: new("world")}).
		S3(scenarios.S3{Secret: "key", Get: "nothing", Code: "NoSuchKey"}).
		Backend(scenarios.Backend{Buckets: scenarios.Fields{
			"${claim.status.boundBucketName}": scenarios.Fields{"owner": scenarios.CEL("self == driver")},
		}}).When("claim.status.readyToUse").
		Calls(scenarios.Events{Events: []scenarios.Event{{Operation: "DriverCreateBucket", Count: "1.."}}}).
		Parallel(
			scenarios.Steps().Settle(100*time.Millisecond),
			scenarios.Steps().Repeat(2, scenarios.Steps().Expect("Secret/key", scenarios.Present)),
		).
		S3(scenarios.S3{Secret: "key", Delete: "hello"}).
		Delete("BucketAccess/app", "BucketClaim/photos").
		Expect("BucketAccess/app", scenarios.Absent).Within(5*time.Second).
		Expect("BucketClaim/photos", scenarios.Absent).
		Run(t)
}

// TestBuilderMakesTheSame compares built scenarios with files.
func TestBuilderMakesTheSame(t *testing.T) {
	const file = `
apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: same
labels: {suite: base}
proves: [D7]
setup:
  timeout: 20s
  images: {busybox: sh}
  limits: {steps: 50, duration: 1m, putBytes: 1Mi}
  drivers: [{name: one, protocols: [S3], parameters: {latency: 5ms}}, {name: two, multiBucket: false}]
  classes: [{name: a, driver: two, deletionPolicy: Retain, parameters: {k: v}}]
  accessClasses: [{name: b, disallowedBucketAccessModes: {objectData: [ReadWrite]}}]
  stopped: [sidecar]
allow: [{oracle: leak, reason: it is meant to}]
steps:
- {apply: [{data: {k: present}, kind: ConfigMap, metadata: {name: "${ns}"}}], name: first, rejected: no}
- patch: {ConfigMap/a: {data: {k: null}}}
- delete: [ConfigMap/a]
- expect: {ConfigMap/a: {data: {k: "present", l: present, m: absent, n: {cel: self != ''}, o: [1, 2.5, true, null]}}}
- always: {objects: {ConfigMap/a: absent}, for: 1s}
- always: {objects: {ConfigMap/a: absent}, while: [{settle: {}}]}
- mark: now
- never: {since: now, only: true, events: [{seam: api, operation: update *, outcome: "!OK"}]}
- call: {driver: one, method: DriverGetBucket, request: {bucketId: a}, response: {protocols: present}, code: OK}
- backend:
    setPolicy: {bucket: b, account: a, objectData: ReadOnly}
    deleteObject: {bucket: b, key: k}
    policies: {b: {a: {objectData: ReadOnly}}}
    objects: {b: {k: absent}}
- forEach: {in: [1, {a: b}], steps: [{start: [controller]}, {stop: [controller]}, {restart: [controller]}]}
- exec: {command: ["true"], env: {A: b}, code: 1, stdout: present}
- logs: {pod: app, container: app, previous: true, text: present}
- golden: {file: a.yaml, objects: [ConfigMap/a]}
- s3: {secret: key, list: ""}
- inject: {name: slow, seam: rpc, operation: DriverCreateBucket, delay: 1.5s, times: 1}
- heal: []
`
	want, err := spec.Loader{}.Parse("same.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	f := func(pairs ...any) scenarios.Fields {
		fields := scenarios.Fields{}
		for pair := range slices.Chunk(pairs, 2) {
			fields[pair[0].(string)] = pair[1] //nolint:forcetypeassert // constant
		}
		return fields
	}
	got, err := scenarios.New("same").Labels(map[string]string{"suite": "base"}).Proves("D7").Timeout(20*time.Second).
		Images(map[string]string{"busybox": "sh"}).
		Limits(scenarios.Limits{Steps: 50, Duration: time.Minute, PutBytes: 1 << 20}).
		Driver(scenarios.FakeDriver{Name: "one", Protocols: []string{"S3"}, Parameters: map[string]string{"latency": "5ms"}}).
		Driver(scenarios.FakeDriver{Name: "two", MultiBucket: new(false)}).
		Class(scenarios.Class{Name: "a", Driver: "two", DeletionPolicy: "Retain", Parameters: map[string]string{"k": "v"}}).
		AccessClass(scenarios.AccessClass{Name: "b", DisallowedModes: &scenarios.Modes{ObjectData: []string{"ReadWrite"}}}).
		Stopped("sidecar").Allow("leak", "", "it is meant to").
		Apply(f("kind", "ConfigMap", "metadata", f("name", "${ns}"), "data", f("k", "present"))).Named("first").Rejected("no").
		Patch("ConfigMap/a", f("data", f("k", nil))).
		Delete("ConfigMap/a").
		Expect("ConfigMap/a", f("data", f("k", "present", "l", scenarios.Present, "m", scenarios.Absent, "n", scenarios.CEL("self != ''"),
			"o", scenarios.List{1, 2.5, true, nil}))).
		AlwaysFor("ConfigMap/a", scenarios.Absent, time.Second).
		AlwaysWhile("ConfigMap/a", scenarios.Absent, scenarios.Steps().Settle(0)).
		Mark("now").
		Never(scenarios.Events{Since: "now", Only: true, Events: []scenarios.Event{{Seam: "api", Operation: "update *", Outcome: "!OK"}}}).
		Call(scenarios.Call{
			Driver: "one", Method: "DriverGetBucket", Request: f("bucketId", "a"), Response: f("protocols", scenarios.Present), Code: "OK",
		}).
		Backend(scenarios.Backend{
			SetPolicy: &scenarios.Policy{Bucket: "b", Account: "a", ObjectData: "ReadOnly"}, DeleteObject: &scenarios.Place{Bucket: "b", Key: "k"},
			Policies: f("b", f("a", f("objectData", "ReadOnly"))), Objects: f("b", f("k", scenarios.Absent)),
		}).
		ForEach(scenarios.List{1, f("a", "b")}, scenarios.Steps().Start("controller").Stop("controller").Restart("controller")).
		Exec(scenarios.Exec{Command: []string{"true"}, Env: map[string]string{"A": "b"}, Code: 1, Stdout: scenarios.Present}).
		Logs(scenarios.Logs{Pod: "app", Container: "app", Previous: true, Text: scenarios.Present}).
		Golden("a.yaml", "ConfigMap/a").
		S3(scenarios.S3{Secret: "key", List: new("")}).
		Inject(fault.Fault{
			Name: "slow", Match: fault.Match{Seam: "rpc", Operation: "DriverCreateBucket", Times: 1},
			Effect: fault.Effect{Delay: 1500 * time.Millisecond},
		}).
		Heal().
		Built()
	if err != nil {
		t.Fatal(err)
	}
	same := cmp.Options{
		cmpopts.IgnoreTypes(document.Position{}),
		cmp.Comparer(func(a, b *cosicel.Expression) bool {
			return (a == nil) == (b == nil) && (a == nil || a.String() == b.String())
		}),
		cmp.Comparer(func(a, b *cosicel.Template) bool {
			return (a == nil) == (b == nil) && (a == nil || a.String() == b.String())
		}),
		cmp.Comparer(func(a, b yaml.Kind) bool { return a == b }),
		cmpopts.IgnoreUnexported(spec.Step{}),
		cmpopts.IgnoreFields(spec.Scenario{}, "Sources"),
		cmp.AllowUnexported(spec.Count{}, spec.Value{}),
		cmpopts.EquateEmpty(),
	}
	if diff := cmp.Diff(want[0], got, same); diff != "" {
		t.Errorf("-file, +built:\n%s", diff)
	}
}

func TestBuilderRejects(t *testing.T) {
	tests := map[string]struct {
		reason string
		built  *scenarios.Builder
		want   string
	}{
		"Name":  {reason: "No DNS label.", built: scenarios.New("My Test").Settle(0), want: "must be a DNS label"},
		"Empty": {reason: "Nothing happens.", built: scenarios.New("a"), want: "has no steps"},
		"Unbound": {
			reason: "Nothing has that name.",
			built:  scenarios.New("a").Delete("Bucket/${bucket}"), want: `variable "bucket" is not defined at this step`,
		},
		"Object": {reason: "An object without a kind.", built: scenarios.New("a").Apply(scenarios.Fields{}), want: "an object requires a kind"},
		"Value": {
			reason: "What cannot be written.",
			built:  scenarios.New("a").Apply(make(chan int)), want: "apply: unsupported type chan int",
		},
		"About":    {reason: "No step before.", built: scenarios.New("a").Within(time.Second), want: "timeout applies to a step"},
		"Twice":    {reason: "It has a name already.", built: scenarios.New("a").Mark("m").Named("x").Named("y"), want: `duplicate key "name"`},
		"Negative": {reason: "Time does not run backwards.", built: scenarios.New("a").Settle(-time.Second), want: "must be greater than zero"},
		"Inner": {
			reason: "In a list of steps.",
			built:  scenarios.New("a").Repeat(2, scenarios.Steps().Expect("nothing", nil)), want: "must name an object as KIND/NAME",
		},
		"List": {reason: "A list of steps is no scenario.", built: scenarios.Steps().Settle(0), want: "start with New"},
		"Reason": {
			reason: "An exception without one.",
			built:  scenarios.New("a").Allow("leak", "", " ").Settle(0), want: "requires an oracle and a reason",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := tc.built.Validate()
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nValidate() = %v, want %q", tc.reason, err, tc.want)
			}
			if name != "List" && !strings.Contains(err.Error(), "builder_test.go:") {
				t.Errorf("%s\nValidate() = %v, want this file and a line", tc.reason, err)
			}
		})
	}
}

func TestBuilderPositions(t *testing.T) {
	s, err := scenarios.New("a").
		Settle(0).
		Repeat(2, scenarios.Steps().
			Mark("inner")).
		Built()
	if err != nil {
		t.Fatal(err)
	}
	first := s.Position.Line
	got := []int{s.Steps[0].Position.Line - first, s.Steps[1].Position.Line - first, s.Steps[1].Repeat.Steps[0].Position.Line - first}
	if diff := cmp.Diff([]int{1, 2, 3}, got); diff != "" || s.Position.File != "builder_test.go" {
		t.Errorf("%s: the lines of the steps, from that of New: -want, +got:\n%s", s.Position, diff)
	}
}

func TestBuilderRunRejects(t *testing.T) {
	got := record("Test", func(r *recorder) { scenarios.New("a").Run(r) })
	if !got.failed || !strings.Contains(got.logged.String(), "has no steps") {
		t.Errorf("a scenario without steps has passed: %s", got.logged.String())
	}
}
