package differential

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// kubectlCommands are what people do, one after the other.
const kubectlCommands = `
get bucketclaims -A
get widgets
apply -f testdata/objects.yaml
apply -f testdata/objects.yaml
apply -f testdata/invalid.yaml
apply -f testdata/invalid.yaml --validate=false
create -f testdata/changed.yaml
create configmap other -n demo --from-literal=a=b --dry-run=server -o yaml
create secret generic other -n demo --from-literal=a=b
get cosi -n demo
get bucketclaims -n demo
get bc,ba -n demo -o wide
get bc -A
get bc -n demo -o name
get bc photos -n demo -o yaml --show-managed-fields
get ba app -n demo -o json
get bc -n demo -o jsonpath={.items[*].metadata.name}
get bc -n demo -o custom-columns=NAME:.metadata.name,CLASS:.spec.bucketClassName
get bc -n demo -l app=gallery --show-labels
get bc -n demo -l app=other
get bc -n demo --field-selector metadata.name=photos
get bc -n demo --field-selector spec.bucketClassName=standard
get bclass,baclass
get bclass standard -o yaml
get configmaps -n demo
get secrets,serviceaccounts,roles,rolebindings,leases -n demo -o wide
get secret key -n demo -o yaml
get namespace demo -o yaml
get namespaces demo --show-labels
get events -n demo
get events -n demo -o yaml
events -n demo
events -n demo --for BucketClaim/photos
get crd bucketclaims.objectstorage.k8s.io
get --raw /apis/objectstorage.k8s.io
describe bc photos -n demo
describe ba -n demo
describe bclass standard
describe secret key -n demo
describe configmap settings -n demo
describe namespace demo
describe role reader -n demo
describe rolebinding reader -n demo
describe lease leader -n demo
diff -f testdata/objects.yaml
diff -f testdata/changed.yaml
diff --server-side -f testdata/changed.yaml
apply --server-side -f testdata/changed.yaml
apply --server-side --force-conflicts -f testdata/changed.yaml
get configmap settings -n demo -o yaml --show-managed-fields
label bc photos -n demo tier=silver
label bc photos -n demo tier=silver --overwrite
label bc photos -n demo tier-
annotate bc photos -n demo note=second --overwrite
annotate bc photos -n demo note-
patch bc photos -n demo --type merge -p {"metadata":{"labels":{"x":"y"}}}
patch bc photos -n demo --type json -p [{"op":"remove","path":"/metadata/labels/x"}]
patch bc photos -n demo --type json -p [{"op":"test","path":"/spec/bucketClassName","value":"other"}]
patch bc photos -n demo --type merge -p {"spec":{"bucketClassName":"other"}}
patch bc photos -n demo --subresource status --type merge -p {"status":{"boundBucketName":"bc-1"}}
patch configmap settings -n demo -p {"data":{"color":"green"}}
patch secret key -n demo -p {"type":"other"}
wait bc photos -n demo --for jsonpath={.status.boundBucketName}=bc-1 --timeout 20s
wait bc photos -n demo --for condition=Provisioned --timeout 0
wait bc none -n demo --for delete --timeout 5s
explain bucketclaims
explain bucketclaim.spec
explain bucketaccess.spec.bucketClaims --recursive
explain bucket.spec.nothing
explain secret
explain configmap.data
api-resources --api-group objectstorage.k8s.io -o wide
api-resources --api-group rbac.authorization.k8s.io
auth can-i create bucketclaims
auth can-i list bucketclaims -n demo --as system:serviceaccount:demo:app
auth can-i delete bucketclaims -n demo --as system:serviceaccount:demo:app
auth can-i get secret/key -n demo --as system:serviceaccount:demo:app
auth can-i get secret/other -n demo --as system:serviceaccount:demo:app
get bc -n demo --as system:serviceaccount:demo:app
get secrets -n demo --as system:serviceaccount:demo:app
delete bc photos -n demo --as system:serviceaccount:demo:app
auth whoami -o yaml
replace -f testdata/changed.yaml
delete ba app -n demo --wait=false
get ba app -n demo -o yaml
patch ba app -n demo --type merge -p {"metadata":{"finalizers":null}}
get ba app -n demo
delete secret other -n demo
delete configmap -n demo -l none=none
delete bc --all -n demo
delete -f testdata/changed.yaml
delete -f testdata/changed.yaml --ignore-not-found
delete bc photos -n demo
`

// TestProgramsKubectl runs commands of kubectl on both control planes, which have to print the same.
func TestProgramsKubectl(t *testing.T) {
	if testing.Short() {
		t.Skip("it requires kube-apiserver")
	}
	program, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("kubectl is not on this machine")
	}
	if _, err := exec.LookPath("diff"); err != nil {
		t.Skip("kubectl diff requires diff, which is not on this machine")
	}
	var on [2]kubectl
	planes, _ := startPlanes(t, withoutControllers)
	for i, plane := range planes {
		on[i] = newKubectl(t, program, plane)
	}
	for line := range strings.Lines(strings.TrimSpace(kubectlCommands)) {
		var printed [2]string
		var both sync.WaitGroup
		for i, k := range on {
			both.Go(func() { printed[i] = k.run(t, strings.Fields(line)) })
		}
		both.Wait()
		if diff := cmp.Diff(printed[0], printed[1]); diff != "" {
			t.Errorf("kubectl %s\n-envtest, +embedded:\n%s", strings.TrimSpace(line), diff)
		}
		if *show {
			t.Logf("kubectl %s\n%s", line, printed[0])
		}
	}
}

// kubectl runs the program with the rights of an administrator.
type kubectl struct {
	program string
	env     []string
	flags   []string
}

func newKubectl(t *testing.T, program string, plane controlplane.ControlPlane) kubectl {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(file, plane.Kubeconfig(), 0o600); err != nil {
		t.Fatal(err)
	}
	return kubectl{
		program: program, env: append(os.Environ(), "KUBECONFIG="+file, "KUBECTL_EXTERNAL_DIFF=diff -u", "HOME="+dir),
		flags: []string{"--cache-dir", filepath.Join(dir, "cache")},
	}
}

// run returns the output of a command and its exit code, without the parts that differ each time.
func (k kubectl) run(t *testing.T, args []string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), k.program, append(args, k.flags...)...)
	cmd.Env = k.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if _, exited := errors.AsType[*exec.ExitError](err); !exited {
			t.Errorf("kubectl %v: %v", args, err)
		}
	}
	return normalizeKubectl(fmt.Sprintf("exit code %d\n%s%s", cmd.ProcessState.ExitCode(), out.String(), errs.String()))
}

// changing is what differs each time, and its replacement. The columns of a table are as wide as
// the ages in it.
var changing = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`(?i)(resourceVersion"?|Resource Version): *"?\d+"?`), "$1: VERSION"},
	{regexp.MustCompile(`"?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?( [+-]\d{4}|Z)?( UTC)?"?`), "TIME"},
	{regexp.MustCompile(`\b\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} [+-]\d{4}`), "TIME"},
	{regexp.MustCompile(`\b(\d+d)?(\d+h)?(\d+m)?(\d+s)?\b( ago)?`), ""},
	{regexp.MustCompile(`/\S*/(LIVE|MERGED)-\d+`), "$1"},
	{regexp.MustCompile(`X509SHA256=[0-9a-f]+`), "CERTIFICATE"},
	{regexp.MustCompile(`\nNo LimitRange resource\.\n`), ""}, // embedded does not have the kind
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "SERVER"},
	{regexp.MustCompile(`[EWI]\d{4} \S+ +\d+ `), "LOG "},
	{regexp.MustCompile(` +`), " "},
	{regexp.MustCompile(`(?m) $`), ""},
}

func normalizeKubectl(text string) string {
	for _, c := range changing {
		text = c.pattern.ReplaceAllString(text, c.replacement)
	}
	return described.ReplaceAllStringFunc(text, sortLines)
}

// described is the data of a Secret or ConfigMap, which kubectl prints in any order.
var described = regexp.MustCompile(`(?m)^Data\n====\n(.+\n)+`)

// sortLines sorts the lines after the heading.
func sortLines(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Sort(lines[2:])
	return strings.Join(lines, "\n") + "\n"
}
