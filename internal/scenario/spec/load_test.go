package spec_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// files is a Loader's view of a few files.
func files(contents map[string]string) spec.Loader {
	return spec.Loader{ReadFile: func(name string) ([]byte, error) {
		content, ok := contents[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(content), nil
	}}
}

const head = "apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: s\n"

// shortest is the first example of the documentation.
const shortest = head + `steps:
- apply:
    kind: BucketClaim
    metadata: {name: photos}
    spec: {bucketClassName: "${class}", protocols: [S3]}
- expect:
    BucketClaim/photos: {status: {readyToUse: true, boundBucketName: present}}
`

func TestShortest(t *testing.T) {
	all, err := files(map[string]string{"s.yaml": shortest}).Load("s.yaml")
	if err != nil {
		t.Fatal(err)
	}
	steps := all[0].Steps
	got := []string{
		steps[0].Verb, steps[0].Position.String(), steps[1].Verb, steps[1].Position.String(),
		(*steps[1].Expect)[0].Object.Name.Source(),
	}
	if diff := cmp.Diff([]string{"apply", "s.yaml:5:3", "expect", "s.yaml:9:3", "photos"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	status := (*steps[1].Expect)[0].Pattern.Fields[0].Pattern
	if status.Fields[0].Pattern.Scalar != true || status.Fields[1].Pattern.Word != spec.Present {
		t.Errorf("status is %+v", status)
	}
}

//nolint:lll // one case a line
func TestRejected(t *testing.T) {
	step := func(text string) string { return head + "steps:\n- " + text + "\n" }
	tests := map[string]struct {
		reason, file string
		want         []string // beginnings of the problems
	}{
		"Empty":          {reason: "Nothing to run.", file: "", want: []string{"s.yaml:1:1: the file has no scenario"}},
		"Tab":            {reason: "YAML has no tabs.", file: head + "steps:\n\t- settle:\n", want: []string{"s.yaml:5:1: this is not YAML"}},
		"NotUTF8":        {reason: "Cut in the middle of a letter.", file: head + "description: \xff\n", want: []string{"s.yaml:4:14: the file is not UTF-8"}},
		"APIVersion":     {reason: "Of another time.", file: strings.Replace(step("settle:"), "v1alpha1", "v9", 1), want: []string{`s.yaml:1:1: apiVersion is "cosi-emu/v9"`}},
		"Manifest":       {reason: "Of Kubernetes: one problem says it all.", file: "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n", want: []string{`s.yaml:1:1: apiVersion is "v1", must be cosi-emu/v1alpha1; the verb apply`}},
		"Draft":          {reason: "Of COSI, perhaps of an earlier draft.", file: "apiVersion: objectstorage.k8s.io/v1alpha2\nkind: BucketClaim\n", want: []string{`s.yaml:1:1: apiVersion is "objectstorage.k8s.io/v1alpha2", must be cosi-emu/v1alpha1; for a manifest, 'cosi-emu convert -f FILE'`}},
		"EarlierVersion": {reason: "Of COSI as it is deployed.", file: "apiVersion: objectstorage.k8s.io/v1alpha1\nkind: BucketClaim\n", want: []string{`s.yaml:1:1: apiVersion is "objectstorage.k8s.io/v1alpha1", must be cosi-emu/v1alpha1; for a manifest, 'cosi-emu migrate -f FILE'`}},
		"Kind":           {reason: "Not a scenario.", file: strings.Replace(step("settle:"), "Scenario", "Pod", 1), want: []string{`s.yaml:1:1: kind is "Pod"`}},
		"NoSteps":        {reason: "Proves nothing.", file: head, want: []string{"s.yaml:1:1: the scenario has no steps"}},
		"Name":           {reason: "Becomes part of names.", file: strings.Replace(step("settle:"), "name: s", "name: A b", 1), want: []string{`s.yaml:1:1: name is "A b"`}},
		"UnknownField":   {reason: "Misspelt.", file: head + "lables: {}\n" + "steps: [{settle: }]\n", want: []string{`s.yaml:4:1: unknown field "lables": did you mean "labels"?`}},
		"UnknownVerb":    {reason: "Misspelt.", file: step("aply: {}"), want: []string{`s.yaml:5:3: unknown field "aply": did you mean "apply"?`}},
		"TwoVerbs":       {reason: "Which comes first?", file: step("{mark: a, settle: {}}"), want: []string{"s.yaml:5:3: the step has the verbs mark and settle"}},
		"Duplicate":      {reason: "Which of the two?", file: step("{mark: a, mark: b}"), want: []string{`s.yaml:5:13: duplicate key "mark"`}},
		"Anchor":         {reason: "Would hide what is repeated.", file: step("&a {mark: a}"), want: []string{"s.yaml:5:3: anchors"}},
		"ZeroTimeout":    {reason: "Nothing can be done in no time.", file: step("{settle: {}, timeout: 0s}"), want: []string{"s.yaml:5:25: the duration 0s must be greater than zero"}},
		"Negative":       {reason: "Nor in less.", file: step("{settle: {}, timeout: -1s}"), want: []string{"s.yaml:5:25: the duration -1s"}},
		"NoDuration":     {reason: "Which unit?", file: step("{settle: {}, timeout: 5}"), want: []string{`s.yaml:5:25: "5" must be a duration`}},
		"BadCEL":         {reason: "Found before anything is started.", file: step("{settle: {}, when: 'a +'}"), want: []string{`s.yaml:5:22: the expression "a +" is not valid CEL`}},
		"BadTemplate":    {reason: "Likewise.", file: step("{delete: 'Bucket/${x'}"), want: []string{`s.yaml:5:12: "${x" has a ${ without a closing }`}},
		"Unbound":        {reason: "Nothing has that name yet.", file: step("{delete: 'Bucket/${clam.name}'}") + "- {mark: m, as: claim}\n", want: []string{`s.yaml:5:12: variable "clam" is not defined at this step`}},
		"Shadow":         {reason: "Every scenario has one.", file: step("{mark: m, as: class}"), want: []string{`s.yaml:5:3: as is "class"`}},
		"Reference":      {reason: "Of which kind?", file: step("{delete: photos}"), want: []string{`s.yaml:5:12: "photos" must name an object as KIND/NAME`}},
		"NoKind":         {reason: "Cannot be sent.", file: step("{apply: {metadata: {name: a}}}"), want: []string{"s.yaml:5:11: an object requires a kind"}},
		"NoMark":         {reason: "Between what?", file: step("{never: {since: m, events: [{operation: DriverGetInfo}]}}"), want: []string{`s.yaml:5:3: mark "m" not found`}},
		"NoMoment":       {reason: "A mark is no moment of the API.", file: step("{mark: m}") + "- {inject: {name: f, seam: api, lag: true, asOf: m}}\n", want: []string{`s.yaml:6:3: fault "m" not found in the scenario`}},
		"NoFaultBefore":  {reason: "A fault does not wait for itself.", file: step("{inject: {name: f, seam: rpc, fail: Unavailable, since: f}}") + "- {inject: {name: g, seam: rpc, fail: Unavailable, since: f}}\n- {mark: m, as: class}\n", want: []string{`s.yaml:5:3: mark or fault "f" not found in the scenario`, `s.yaml:7:3: as is "class"`}},
		"BadCount":       {reason: "Empty range.", file: step("{calls: {events: [{operation: X, count: 3..1}]}}"), want: []string{"s.yaml:5:43: the range 3..1 is empty"}},
		"TwoS3":          {reason: "One step, one request.", file: step("{s3: {secret: a, put: k, get: k}}"), want: []string{"s.yaml:5:3: s3 requires a secret, and one of"}},
		"NoBackend":      {reason: "Looks at nothing.", file: step("{backend: {}}"), want: []string{"s.yaml:5:3: backend requires something to look at"}},
		"NoPlace":        {reason: "Put where?", file: step("{backend: {put: {content: a}}}"), want: []string{"s.yaml:5:3: put requires a bucket and a key"}},
		"NoAccount":      {reason: "Whose?", file: step("{backend: {setPolicy: {bucket: b}}}"), want: []string{"s.yaml:5:3: setPolicy requires a bucket and an account"}},
		"BadMode":        {reason: "Misspelt.", file: step("{backend: {setPolicy: {bucket: b, account: a, objectData: Readonly}}}"), want: []string{`s.yaml:5:3: access mode "Readonly": did you mean "ReadOnly"?`}},
		"UnboundKey":     {reason: "Nothing has that name yet.", file: step("{backend: {policies: {b: {'${absent}': present}}}}"), want: []string{`s.yaml:5:29: variable "absent" is not defined at this step`}},
		"UnknownKind":    {reason: "Would never be there.", file: step("{expect: {BucketClam/a: present}}"), want: []string{`s.yaml:5:13: unknown kind BucketClam: did you mean "BucketClaim"?`}},
		"AppliedKind":    {reason: "Which version of it?", file: step("{apply: {kind: Ingress, metadata: {name: a}}}"), want: []string{"s.yaml:5:11: unknown kind Ingress: "}},
		"UnknownMethod":  {reason: "The driver has none.", file: step("{call: {method: DriverCreateBuckt}}"), want: []string{`s.yaml:5:19: unknown method "DriverCreateBuckt": did you mean "DriverCreateBucket"?`}},
		"NeverMethod":    {reason: "It would never happen, indeed.", file: step("{never: {events: [{operation: DriverCreateBuckt}]}}"), want: []string{`s.yaml:5:33: unknown operation "DriverCreateBuckt" at seam rpc: did you mean "DriverCreateBucket"?`}},
		"NeverMethods":   {reason: "No method begins so.", file: step("{never: {events: [{operation: Drver*}]}}"), want: []string{`s.yaml:5:33: the pattern "Drver*" matches no operation at seam rpc: they are DriverCreateBucket, `}},
		"NeverRequest":   {reason: "The resource has another name.", file: step(`{never: {events: [{seam: api, operation: "patch bucket/status"}]}}`), want: []string{`s.yaml:5:44: unknown operation "patch bucket/status" at seam api: did you mean "patch buckets/status"?`}},
		"NeverRequests":  {reason: "The verb is misspelt.", file: step(`{never: {events: [{seam: api, operation: "ptach *"}]}}`), want: []string{`s.yaml:5:44: the pattern "ptach *" matches no operation at seam api: the verb "ptach": did you mean "patch"?`}},
		"CallsStore":     {reason: "A letter is missing.", file: step("{calls: {events: [{seam: store, operation: PutObjct, count: ..3}]}}"), want: []string{`s.yaml:5:46: unknown operation "PutObjct" at seam store: did you mean "PutObject"?`}},
		"NeverStep":      {reason: "The step has another name.", file: step("{never: {events: [{seam: process, operation: crashed}]}}"), want: []string{`s.yaml:5:48: unknown operation "crashed" at seam process: did you mean "crash"?`}},
		"NeverComponent": {reason: "No component has that name.", file: step("{never: {events: [{component: sidecra, operation: DriverGetInfo}]}}"), want: []string{`s.yaml:5:33: unknown component "sidecra": did you mean "sidecar"?`}},
		"FaultRequest":   {reason: "It would never apply.", file: step("{inject: {name: f, seam: api, operation: patch bucketclaim, fail: Conflict}}"), want: []string{`s.yaml:5:3: invalid fault "f": unknown operation "patch bucketclaim" at seam api: did you mean "patch bucketclaims"?`}},
		"FaultCall":      {reason: "It would never apply.", file: step("{inject: {name: f, seam: store, operation: AdminCreateBuckets, fail: Closed}}"), want: []string{`s.yaml:5:3: invalid fault "f": unknown operation "AdminCreateBuckets" at seam store: did you mean "AdminCreateBucket"?`}},
		"FaultComponent": {reason: "No component has that name.", file: step("{inject: {name: f, seam: api, component: controler, fail: Conflict}}"), want: []string{`s.yaml:5:44: unknown component "controler": did you mean "controller"?`}},
		"FaultSeam":      {reason: "A controller calls no driver.", file: step("{inject: {name: f, seam: rpc, component: controller, fail: Unavailable}}") + "- {inject: {name: g, seam: store, component: 'sidecar.${driver}', fail: SlowDown}}\n", want: []string{`s.yaml:5:44: component "controller" has no operations at seam rpc: it can be sidecar, driver`, `s.yaml:6:46: component "sidecar.*" has no operations at seam store`}},
		"NeverSeam":      {reason: "A driver has no connection to the API server.", file: step("{never: {events: [{seam: api, component: driver*, operation: patch buckets}]}}"), want: []string{`s.yaml:5:44: component "driver*" has no operations at seam api: it can be controller, sidecar`}},
		"S3Code":         {reason: "Misspelt.", file: step("{s3: {secret: a, get: k, code: NoSuchKye}}") + "- {s3: {secret: a, head: k, code: Forbiddn}}\n- {s3: {secret: a, head: k, code: OfAnotherStore}}\n- {mark: m, as: class}\n", want: []string{`s.yaml:5:34: unknown S3 error code "NoSuchKye": did you mean "NoSuchKey"?`, `s.yaml:6:35: unknown S3 error code "Forbiddn": did you mean "Forbidden"?`, `s.yaml:8:3: as is "class"`}},
		"RequestField":   {reason: "Named as in Kubernetes.", file: step("{call: {method: DriverGrantBucketAccess, request: {buckets: [{bucketID: a}]}}}"), want: []string{`s.yaml:5:65: unknown field "bucketID" of AccessedBucket: did you mean "bucketId"?`}},
		"RPCCode":        {reason: "Not one of gRPC's.", file: step("{call: {method: DriverGetInfo, code: NotOK}}"), want: []string{`s.yaml:5:40: "NotOK" is not a gRPC code`}},
		"UnknownPart":    {reason: "No component has that name.", file: step("{crash: sidecat}"), want: []string{`s.yaml:5:11: unknown component "sidecat": did you mean "sidecar"?`}},
		"UnknownStopped": {reason: "Likewise.", file: head + "setup: {stopped: [controllers]}\nsteps: [{settle: }]\n", want: []string{`s.yaml:4:8: unknown component "controllers": did you mean "controller"?`}},
		"NoHeal":         {reason: "Nothing of that name goes wrong.", file: step("{heal: bussy}") + "- {inject: {name: busy, seam: rpc, fail: Unavailable}}\n", want: []string{`s.yaml:5:10: no step injects a fault "bussy": did you mean "busy"?`}},
		"UnknownOracle":  {reason: "It would except nothing.", file: head + "allow: [{oracle: leaks, reason: r}]\nsteps: [{settle: }]\n", want: []string{`s.yaml:4:9: oracle "leaks": did you mean "leak"?`}},
		"UnknownCode":    {reason: "The fault would be rejected when it is injected.", file: step("{inject: {name: f, seam: rpc, fail: Unavailabl}}") + "- {inject: {name: g, seam: api, fail: Conflct}}\n- {inject: {name: h, seam: store, fail: SlowDwn}}\n", want: []string{`s.yaml:5:3: invalid fault "f": unknown code "Unavailabl" at seam rpc: did you mean "Unavailable"?`, `s.yaml:6:3: invalid fault "g": unknown code "Conflct" at seam api: did you mean "Conflict"?`, `s.yaml:7:3: invalid fault "h": unknown code "SlowDwn" at seam store: did you mean "SlowDown"?`}},
		"UnknownOutcome": {reason: "It would never match.", file: step("{never: {events: [{operation: DriverGetInfo, outcome: Unavailabl}, {seam: api, outcome: \"!Okay\"}, {seam: store, outcome: MyOwnCode}, {seam: process, outcome: Crashed}]}}") + "- {call: {method: DriverGetInfo, code: NotFund}}\n", want: []string{`s.yaml:5:57: unknown outcome "Unavailabl" at seam rpc: did you mean "Unavailable"?`, `s.yaml:5:91: unknown outcome "Okay" at seam api: did you mean "OK"?`, `s.yaml:5:161: unknown outcome "Crashed" at seam process: it can be OK, or an error code such as Error`, `s.yaml:6:40: "NotFund" is not a gRPC code: did you mean "NotFound"?`}},
		"UnknownPattern": {reason: "It would never match.", file: step("{inject: {name: f, seam: rpc, component: sidcar*, fail: Unavailable}}") + "- {calls: {events: [{component: \"contoler*\", seam: api}]}}\n", want: []string{`s.yaml:5:44: the pattern "sidcar*" matches no component: did you mean "sidecar"?`, `s.yaml:6:33: the pattern "contoler*" matches no component: did you mean "controller"?`}},
		"Nothing":        {reason: "Would pass.", file: step("{expect: {}}") + "- {crash: }\n- {parallel: []}\n- {patch: {Bucket/a: }}\n", want: []string{"s.yaml:5:3: expect requires objects", "s.yaml:6:3: crash requires the names", "s.yaml:7:3: parallel requires lists", "s.yaml:8:22: Bucket/a requires the fields"}},
		"AlwaysLong":     {reason: "The step would end before.", file: step("{always: {objects: {Bucket/b: present}, for: 20s}}"), want: []string{"s.yaml:5:3: always must hold for 20s, but the step times out after 10s"}},
		"Socket":         {reason: "As elsewhere.", file: head + "setup: {drivers: [{name: one, socket: /run/x}]}\nsteps: [{settle: }]\n", want: []string{`s.yaml:4:19: the socket of driver "one" is "/run/x", must have the form unix:///path`}},
		"Text":           {reason: "No YAML of ours.", file: "hello\n", want: []string{"s.yaml:1:1: must be a mapping"}},
		"Unquoted":       {reason: "A brace begins a mapping.", file: step("{delete: Bucket/a}") + "- {apply: {kind: Bucket, metadata: {name: ${class}}}}\n", want: []string{"s.yaml:6:43: this is not YAML: did not find expected ',' or '}': put a text with ${ in it into quotes"}},
		"Indented":       {reason: "One space less.", file: head + "steps:\n  - mark: a\n - mark: b\n", want: []string{"s.yaml:5:3: this is not YAML: did not find expected key: look for a line near here that is indented otherwise"}},
		"UnknownStatus":  {reason: "It would never come.", file: step("{expect: {BucketClaim/a: {status: {redyToUse: true, conditions: [{typ: A}]}}}}"), want: []string{`s.yaml:5:49: BucketClaim.status has no field "redyToUse": did you mean "readyToUse"?`, `s.yaml:5:74: BucketClaim.status.conditions has no field "typ": did you mean "type"?`}},
		"NoEffect":       {reason: "Nothing goes wrong.", file: step("{inject: {name: f, seam: rpc}}"), want: []string{`s.yaml:5:3: invalid fault "f": it has no effect: it needs one of fail`}},
		"OfKubernetes":   {reason: "The fields of its own kinds are known, too.", file: step("{expect: {Secret/a: {dta: {a: b}}}}") + "- {apply: {kind: Pod, metadata: {name: a}, spec: {container: []}}}\n- {patch: {ServiceAccount/a: {automountToken: true}}}\n- {apply: {apiVersion: example.com/v1, kind: Job, metadata: {name: a}, odd: true}}\n", want: []string{`s.yaml:5:29: Secret has no field "dta": did you mean "data"?`, `s.yaml:6:51: Pod.spec has no field "container": did you mean "containers"?`, `s.yaml:7:31: ServiceAccount has no field "automountToken": it can be apiVersion, automountServiceAccountToken, imagePullSecrets, kind, metadata, secrets`}},
		"OutOfMetadata":  {reason: "It is a field of the metadata.", file: step("{apply: {kind: BucketClaim, labels: {a: b}, metadata: {name: a}, spec: {bucketClassName: c, protocols: [S3]}}}"), want: []string{`s.yaml:5:31: BucketClaim has no field "labels": `}},
		"ConditionType":  {reason: "It would never come; but components may have others.", file: step("{expect: {BucketClaim/a: {status: {conditions: [{type: Provisoned}, {type: Provisioned}, {type: Reconciled}, {type: present}]}}}}"), want: []string{`s.yaml:5:58: BucketClaim.status.conditions has no type "Provisoned": did you mean "Provisioned"?`}},
		"BuiltIn":        {reason: "Anything would match, and the steps would find too many or nothing.", file: step("{never: {events: [{operation: DriverGetInfo, request: {a: {builtIn: x}}}]}}") + "- {expect: {Bucket/a: {status: {bucketID: {not: {a: {builtIn: x}}}}}}}\n- {expect: {ConfigMap/a: {builtIn: x}, Pod/a: {spec: {containers: [{builtIn: x}]}}}}\n", want: []string{"s.yaml:5:61: builtIn can only be used", "s.yaml:6:53: builtIn can only be used", "s.yaml:7:26: builtIn can only be used", "s.yaml:7:68: builtIn can only be used"}},
		"UnknownDriver":  {reason: "Misspelt.", file: head + "setup: {drivers: [{name: one}], classes: [{name: c, driver: won}]}\nsteps: [{settle: }]\n", want: []string{`s.yaml:4:43: driver "won" not found in setup.drivers: did you mean "one"?`}},
		"TwoDrivers":     {reason: "Of one name.", file: head + "setup: {drivers: [{name: one}, {name: one}]}\nsteps: [{settle: }]\n", want: []string{`s.yaml:4:32: duplicate driver name "one"`}},
		"NoReason":       {reason: "An exception must be explained.", file: head + "allow: [{oracle: leak}]\nsteps: [{settle: }]\n", want: []string{"s.yaml:4:9: an exception in allow requires"}},
		"MissingUse":     {reason: "There is no such file.", file: step("{use: other.yaml}"), want: []string{"s.yaml:5:3: the steps cannot be read"}},
		"AlwaysForBoth":  {reason: "How long?", file: step("{always: {objects: {Bucket/b: present}}}"), want: []string{"s.yaml:5:3: always requires either"}},
		"ManyAtOnce":     {reason: "All problems are reported at once.", file: head + "lables: {}\nsteps: [{aply: {}}, {settle: {}, timeout: x}]\n", want: []string{`s.yaml:4:1: unknown field "lables"`, `s.yaml:5:10: unknown field "aply"`, `s.yaml:5:43: "x" must be a duration`}},
		"OneRound":       {reason: "What is wrong in other steps is not hidden by what cannot be read, nor is what refers to that.", file: head + "setup:\n  drivers: [{name: one, clases: 1}]\n  classes: [{name: c, driver: won}]\nsteps:\n- inyect: {name: f}\n- {heal: f}\n- {delete: 'Bucket/${clam.name}'}\n- {crash: sidecat}\n- {delete: 'Bucket/${classes.none}'}\n- {s3: {secret: a, get: k, code: NoSuchKye}}\n", want: []string{`s.yaml:5:25: unknown field "clases"`, `s.yaml:8:3: unknown field "inyect": did you mean "inject"?`, `s.yaml:10:12: variable "clam"`, `s.yaml:11:11: unknown component "sidecat"`, `s.yaml:13:34: unknown S3 error code "NoSuchKye"`}},
		"NoHead":         {reason: "Two lines are missing, and a word is misspelt.", file: "name: s\nsteps:\n- crash: sidecat\n", want: []string{"s.yaml:1:1: apiVersion", "s.yaml:1:1: kind", "s.yaml:3:10: unknown component"}},
		"UnreadUse":      {reason: "The file may define variables and marks.", file: step("{use: other.yaml}") + "- {delete: 'Bucket/${claim.name}'}\n- {never: {since: m, events: [{operation: DriverGetInfo}]}}\n- {crash: sidecat}\n", want: []string{"s.yaml:5:3: the steps cannot be read", "s.yaml:8:11: unknown component"}},
		"UnknownClass":   {reason: "The setup has another.", file: head + "setup: {drivers: [{name: one}], classes: [{name: fast}]}\nsteps:\n- {delete: 'Bucket/${classes.fats}'}\n- {delete: 'Bucket/${classes.fast}-${accessClasses.standard}-${drivers.two}'}\n- {settle: {}, when: has(classes.none)}\n", want: []string{`s.yaml:6:12: classes.fats is not defined: setup.classes has no "fats": did you mean "fast"?`, `s.yaml:7:12: drivers.two is not defined`}},
		"OtherVersion":   {reason: "No API server of the scenario has it.", file: step("{apply: {apiVersion: objectstorage.k8s.io/v1alpha1, kind: BucketClaim, metadata: {name: a}, spec: {}}}") + "- {apply: {apiVersion: objectstorage.k8s.io/v1beta9, kind: BucketClaim, metadata: {name: a}, spec: {}}, rejected: no matches}\n", want: []string{`s.yaml:5:24: apiVersion is "objectstorage.k8s.io/v1alpha1", but the scenario is for objectstorage.k8s.io/v1alpha2`}},
		"Required":       {reason: "The API server would reject it.", file: step("{apply: {kind: BucketAccess, metadata: {name: a}, spec: {protocol: S3, bucketClaims: [{bucketClaimName: c, '${class}': x}, {bucketClaimName: d}]}}}") + "- {apply: {kind: Bucket, metadata: {name: a}}}\n- {apply: {kind: BucketClaim, metadata: {name: a}}, rejected: spec}\n", want: []string{`s.yaml:5:59: BucketAccess.spec has no bucketAccessClassName, which the API requires`, `s.yaml:5:126: BucketAccess.spec.bucketClaims has no accessModes and no accessSecretName, which the API requires`, `s.yaml:6:11: Bucket has no spec, which the API requires`}},
		"Rule":           {reason: "Likewise.", file: step("{apply: {kind: BucketClaim, metadata: {name: a}, spec: {protocols: [S3]}}}") + "- {apply: {kind: BucketClaim, metadata: {name: a}, spec: {existingBucketName: No_Name, protocols: [S3, S3]}}}\n- {apply: {kind: BucketClaim, metadata: {name: a}, spec: {protocols: [S3]}}, rejected: exactly one}\n", want: []string{`s.yaml:5:11: BucketClaim.spec: exactly one of bucketClassName and existingBucketName must be set`, `s.yaml:6:11: BucketClaim.spec.protocols[1]: Duplicate value: "S3"`, `s.yaml:6:11: BucketClaim.spec.existingBucketName: existingBucketName must be a valid object name`}},
		"AppliedField":   {reason: "The API server would reject it.", file: step("{apply: {kind: BucketClaim, metadata: {name: a, lables: {}}, spec: {bucketClasName: c, protocols: [S3]}}}") + "- {patch: {BucketAccess/a: {spec: {bucketClaims: [{bucketClaimNam: a}]}}}}\n- {apply: {kind: BucketClaim, metadata: {name: a}, spec: {odd: c}}, rejected: odd}\n", want: []string{`s.yaml:5:51: BucketClaim.metadata has no field "lables": did you mean "labels"?`, `s.yaml:5:71: BucketClaim.spec has no field "bucketClasName": did you mean "bucketClassName"?`, `s.yaml:6:52: BucketAccess.spec.bucketClaims has no field "bucketClaimNam": did you mean "bucketClaimName"?`}},
		"EarlierDraft":   {reason: "The fields of an earlier draft have another form today.", file: step("{apply: {kind: BucketAccess, metadata: {name: a}, spec: {bucketClaims: [{bucketClaimName: c, accessMode: ReadWrite}]}}}") + "- {apply: {kind: BucketAccessClass, metadata: {name: a}, spec: {disallowedBucketAccessModes: [WriteOnly]}}}\n", want: []string{`s.yaml:5:96: BucketAccess.spec.bucketClaims has no field "accessMode": it is of an earlier draft; write accessModes: {objectData: MODE}`, `s.yaml:6:94: BucketAccessClass.spec.disallowedBucketAccessModes is a list, and must be an object: the list is of an earlier draft; write disallowedBucketAccessModes: {objectData: [MODE]}`}},
		"AppliedEntry":   {reason: "Values of a map have a type, too.", file: step("{apply: {kind: BucketClass, metadata: {name: a}, spec: {driverName: d, deletionPolicy: Delete, parameters: {quotaBytes: 5}}}}"), want: []string{`s.yaml:5:123: BucketClass.spec.parameters.quotaBytes is 5, and must be a text`}},
		"AppliedValue":   {reason: "The API server would reject it.", file: step("{apply: {kind: BucketClaim, metadata: {name: a}, spec: {bucketClassName: 7, protocols: [S3, Gcs]}}}") + "- {patch: {Bucket/a: {spec: {deletionPolicy: Destroy}}}}\n- {apply: {kind: BucketClaim, metadata: {name: a}, spec: {protocols: S3}}}\n- {apply: {kind: BucketClaim, metadata: {name: a}, spec: {protocols: S3}}, rejected: list}\n", want: []string{`s.yaml:5:76: BucketClaim.spec.bucketClassName is 7, and must be a text`, `s.yaml:5:95: BucketClaim.spec.protocols cannot be "Gcs": did you mean "GCS"?`, `s.yaml:6:46: Bucket.spec.deletionPolicy cannot be "Destroy": it can be Retain, Delete`, `s.yaml:7:70: BucketClaim.spec.protocols is the text "S3", and must be a list`}},
		"AppliedLimit":   {reason: "The API server would reject it.", file: step("{apply: {kind: BucketClaim, metadata: {name: a}, spec: {bucketClassName: '', protocols: []}}}") + "- {apply: {kind: BucketAccess, metadata: {name: a}, spec: {bucketClaims: [{bucketClaimName: " + strings.Repeat("a", 254) + ", accessModes: {}}]}}}\n- {apply: {kind: BucketClaim, metadata: {name: a}, spec: {protocols: []}}, rejected: items}\n", want: []string{`s.yaml:5:76: BucketClaim.spec.bucketClassName has 0 characters, and must have at least 1`, `s.yaml:5:91: BucketClaim.spec.protocols has 0 items, and must have at least 1`, `s.yaml:6:93: BucketAccess.spec.bucketClaims.bucketClaimName has 254 characters, and must have at most 253`, `s.yaml:6:362: BucketAccess.spec.bucketClaims.accessModes has 0 fields, and must have at least 1`}},
		"ExpectedValue":  {reason: "It would never come.", file: step("{expect: {BucketClaim/a: {status: {readyToUse: tru, protocols: S3, conditions: [{type: A, observedGeneration: x, status: yes}]}}}}") + "- {expect: {BucketClaim/a: {status: {readyToUse: present, protocols: '${ns}', boundBucketName: {cel: self != 'a'}, conditions: absent}}}, when: 'true'}\n", want: []string{`s.yaml:5:50: BucketClaim.status.readyToUse is the text "tru", and must be true or false`, `s.yaml:5:66: BucketClaim.status.protocols is the text "S3", and must be a list`, `s.yaml:5:113: BucketClaim.status.conditions.observedGeneration is the text "x", and must be a number`, `s.yaml:5:124: BucketClaim.status.conditions.status cannot be "yes": it can be True, False, Unknown`}},
		"TooDeep":        {reason: "Too deep to be a scenario.", file: step("{apply: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}"), want: nil},
		"ObjectNotAList": {reason: "Shape.", file: head + "steps: {a: b}\n", want: []string{"s.yaml:4:8: must be a list"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := files(map[string]string{"s.yaml": tc.file}).Load("s.yaml")
			problems := document.Problems(err)
			if err == nil || len(problems) == 0 {
				t.Fatalf("%s\nLoad() = %v, want problems", tc.reason, err)
			}
			for i, want := range tc.want {
				if i >= len(problems) || !strings.HasPrefix(problems[i].Error(), want) {
					t.Errorf("%s\nproblem %d does not begin with %q; all:\n%v", tc.reason, i, want, err)
				}
			}
			if tc.want != nil && len(problems) != len(tc.want) {
				t.Errorf("%s\n%d problems, want %d:\n%v", tc.reason, len(problems), len(tc.want), err)
			}
		})
	}
}

func TestUse(t *testing.T) {
	steps := "apiVersion: cosi-emu/v1alpha1\nkind: Steps\nsteps:\n- {mark: m, as: claim}\n"
	tests := map[string]struct {
		reason string
		files  map[string]string
		want   string // part of the first problem; empty: none
	}{
		"Relative": {
			reason: "Files are relative to the file that uses them; what they bind is known afterwards.",
			files:  map[string]string{"d/s.yaml": head + "steps: [{use: parts/a.yaml}, {delete: 'Bucket/${claim}'}]\n", "d/parts/a.yaml": steps},
		},
		"Circle": {
			reason: "Would never end.",
			files: map[string]string{
				"d/s.yaml": head + "steps: [{use: a.yaml}]\n",
				"d/a.yaml": "apiVersion: cosi-emu/v1alpha1\nkind: Steps\nsteps: [{use: a.yaml}]\n",
			},
			want: "d/a.yaml:3:9: the files use each other in a circle: d/s.yaml uses d/a.yaml uses d/a.yaml",
		},
		"Wrong": {
			reason: "Problems are where they are.",
			files:  map[string]string{"d/s.yaml": head + "steps: [{use: a.yaml}]\n", "d/a.yaml": steps + "- {nothing: here}\n"},
			want:   `d/a.yaml:5:4: unknown field "nothing"`,
		},
		"NotSteps": {
			reason: "A scenario is not a part of another.",
			files:  map[string]string{"d/s.yaml": head + "steps: [{use: a.yaml}]\n", "d/a.yaml": shortest},
			want:   "d/a.yaml:1:1: kind is",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := files(tc.files).Load("d/s.yaml")
			if tc.want == "" {
				if err != nil {
					t.Errorf("%s\nLoad() = %v", tc.reason, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nLoad() = %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	large := strings.Repeat("#", 100<<20)
	if _, err := files(map[string]string{"s.yaml": large}).Load("s.yaml"); err == nil {
		t.Error("Load() of 100 MB = nil")
	}
	many := head + "steps:\n" + strings.Repeat("- mark: m\n", spec.MaxSteps+1)
	if _, err := files(map[string]string{"s.yaml": many}).Load("s.yaml"); err == nil || len(document.Problems(err)) != 1 {
		t.Errorf("Load() of %d steps = %v, want one problem", spec.MaxSteps+1, err)
	}
}

func TestMissingFile(t *testing.T) {
	if _, err := files(nil).Load("s.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load() = %v, want %v", err, fs.ErrNotExist)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(shortest)
	f.Add(head + "steps: [{parallel: [[{mark: a}]]}, {forEach: {in: [1], steps: [{settle: }]}}]\n")
	f.Add(head + "steps:\n- calls: {events: [{operation: X, count: 1..3, request: {cel: 'self > 1'}}]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := files(nil).Parse("s.yaml", []byte(text))
		if err != nil {
			for _, problem := range document.Problems(err) {
				if problem.Position.File == "" || problem.Message == "" {
					t.Errorf("a problem without a place or a message: %v", problem)
				}
			}
			return
		}
		if len(all) == 0 {
			t.Error("neither a scenario nor an error")
		}
	})
}
