package main_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// oldDriver is a driver of v1alpha1 that is independent of this program.
type oldDriver struct {
	h      *home
	socket string
	state  string
}

func (h *home) newOldDriver(flags ...string) *oldDriver {
	h.t.Helper()
	dir := harness.SocketDir(h.t) // outside the home, whose processes are counted
	program := h.buildOldDriver(dir)
	d := &oldDriver{h: h, socket: "unix://" + filepath.Join(dir, "d.sock"), state: filepath.Join(dir, "driver.json")}
	cmd := exec.CommandContext(context.Background(), program, append(flags, "-endpoint", d.socket, "-state", d.state)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		kill(h.t, cmd.Process.Pid)
		_ = cmd.Wait()
	})
	return d
}

func (h *home) buildOldDriver(dir string) (program string) {
	h.t.Helper()
	program = filepath.Join(dir, "olddriver")
	build := exec.CommandContext(h.t.Context(), "go", "build", "-C", "../../test/olddriver", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		h.t.Fatalf("build the driver: %v\n%s", err, out)
	}
	return program
}

// expectNothing expects that the driver has deleted everything that it created.
func (d *oldDriver) expectNothing() {
	d.h.t.Helper()
	harness.Eventually(d.h.t, "the driver has nothing left", func(context.Context) error {
		content, err := os.ReadFile(d.state)
		if want := `{"buckets":{},"accounts":{}}`; err == nil && string(content) != want {
			return fmt.Errorf("it has %s", content)
		}
		return err
	})
}

const granted = `- apply:
    kind: BucketAccess
    metadata: {name: app}
    spec:
      bucketAccessClassName: ${accessClass}
      protocol: S3
      bucketClaims:
      - {bucketClaimName: photos, accessSecretName: key, accessModes: {objectData: ReadWrite}}
- expect:
    BucketAccess/app: {status: {readyToUse: true}}
- delete: BucketAccess/app
- expect: {BucketAccess/app: absent}
`

// TestOldDriver runs scenarios of the suite with a driver of v1alpha1 whose IDs v1alpha2 does not
// allow, and explores the bridge in front of it.
func TestOldDriver(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	driver := h.newOldDriver("-id-prefix", "arn:old:")
	run := []string{"run", "--suite", "--driver", driver.socket}
	sample := []string{"claim-before-class", "events-of-a-bucket", "id-before-bucket", "silence"}
	for _, name := range sample {
		run = append(run, "--scenario", name)
	}
	if r := h.run(run...); r.code != 0 || !strings.Contains(r.out, "4 passed") {
		t.Errorf("run: exit code %d\n%s%s", r.code, r.out, r.err)
	}
	h.write("one.yaml", scenario("one", claims+ready+granted+gone))
	r := h.run("explore", "one.yaml", "--driver", driver.socket, "--parallel", "1", "--at", "bridge rpc *", "--sample", "12", "-o", "json")
	if r.code != 0 || !strings.Contains(r.out, `"tried": 12`) || strings.Contains(r.out, "findings") {
		t.Errorf("explore: exit code %d\n%s%s", r.code, r.out, r.err)
	}
	driver.expectNothing()
	h.expectNothingLeft()
}

// TestRequiredParameter gives all commands the same file, for a driver that requires a parameter in all classes.
func TestRequiredParameter(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	driver := h.newOldDriver("-require-parameter", "pool")
	h.write("params.yaml", "bucket: {pool: fast}\naccess: {pool: fast}\n")
	with := []string{"--driver", driver.socket, "--params", "params.yaml"}
	for name, tc := range map[string]struct {
		args []string
		says string
	}{
		"suite": {append([]string{"run", "--suite", "--scenario", "claim-before-class", "--scenario", "silence"}, with...), "2 passed"},
		"explore": {
			append([]string{"explore", "--suite", "--scenario", "silence", "--parallel", "1", "--sample", "1"}, with...), "silence",
		},
		"conformance": {
			[]string{"conformance", "--endpoint", driver.socket, "--params", "params.yaml", "--only", "CB-01"}, "1 pass",
		},
	} {
		if r := h.run(tc.args...); r.code != 0 || !strings.Contains(r.out, tc.says) {
			t.Errorf("%s: exit code %d\n%s%s", name, r.code, r.out, r.err)
		}
	}
	if r := h.run("run", "--suite", "--scenario", "silence", "--driver", driver.socket); r.code != 1 {
		t.Errorf("without --params: exit code %d, want 1\n%s%s", r.code, r.out, r.err)
	}
	info := h.up(with...)
	c := connect(t, info.Kubeconfig)
	c.quickstart()
	c.remove(accessKey, &v1alpha2.BucketAccess{})
	c.remove(claimKey, &v1alpha2.BucketClaim{})
	if out := h.must("example", "--classes", "--params", "params.yaml", "--name", info.Name); strings.Count(out, "pool: fast") != 4 ||
		strings.Count(out, "driverName: old.example.com") != 4 {
		t.Errorf("example prints\n%s", out)
	}
	h.must("down")
	driver.expectNothing()
	h.expectNothingLeft()
}

// TestDriverWithoutEndpoint has a driver that grants keys and no endpoint: each command that starts a bridge, or a
// sidecar of v1alpha1, gets the endpoint and the region by flags.
func TestDriverWithoutEndpoint(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	driver := h.newOldDriver("-no-endpoint")
	const secret = "- expect: {Secret/key: {stringData: {AWS_ENDPOINT_URL: " + `"http://127.0.0.1:1"` + ", AWS_DEFAULT_REGION: eu-9}}}\n"
	used := strings.Replace(granted, "- delete:", secret+"- delete:", 1)
	h.write("one.yaml", scenario("one", claims+ready+used+gone))
	with := []string{"--driver", driver.socket, "--s3-endpoint", "http://127.0.0.1:1", "--s3-region", "eu-9", "--protocols", "S3"}
	for name, args := range map[string][]string{
		"run":     {"run", "one.yaml"},
		"explore": {"explore", "one.yaml", "--parallel", "1", "--sample", "1"},
	} {
		if r := h.run(append(args, with...)...); r.code != 0 {
			t.Errorf("%s: exit code %d\n%s%s", name, r.code, r.out, r.err)
		}
	}
	r := h.run("run", "one.yaml", "--driver", driver.socket)
	if r.code != 1 || !strings.Contains(r.out, "start the bridge with --s3-endpoint") {
		t.Errorf("without the flags: exit code %d\n%s%s", r.code, r.out, r.err)
	}
	info := h.up(append([]string{"--api", "v1alpha1"}, with...)...)
	connect(t, info.Kubeconfig).apply(h.must("example", "--api", "v1alpha1"))
	for _, variable := range []string{"http://127.0.0.1:1", "eu-9"} {
		if out := h.must("env", "--access", "demo/photos-rw"); !strings.Contains(out, variable) {
			t.Errorf("env does not have %s:\n%s", variable, out)
		}
	}
	h.must("down")
	for _, args := range [][]string{
		{"up", "--driver", driver.socket}, {"run", "one.yaml", "--driver", driver.socket}, {"explore", "one.yaml", "--driver", driver.socket},
		{"sidecar", "--endpoint", driver.socket}, {"sidecar", "--api", "v1alpha1", "--endpoint", driver.socket},
		{"bridge", "--driver", driver.socket, "--listen", "unix:///tmp/unused.sock", "--state-dir", "ids"},
	} {
		h.rejected("write https://s3.test, or http://s3.test", append(args, "--s3-endpoint", "s3.test")...)
	}
	h.rejected("--s3-endpoint requires --driver or --driver-cmd", "up", "--s3-endpoint", "https://s3.test")
	h.expectNothingLeft()
}

// legacy claims an existing bucket of the driver.
const legacy = `- apply:
    kind: Bucket
    metadata: {name: legacy}
    spec:
      driverName: ${driver}
      deletionPolicy: Retain
      existingBucketID: legacy
      protocols: [S3]
      bucketClaimRef: {name: photos, namespace: "${ns}"}
- apply: {kind: BucketClaim, metadata: {name: photos}, spec: {existingBucketName: legacy, protocols: [S3]}}
`

// released deletes the objects of legacy.
const released = `- delete: BucketClaim/photos
- expect: {BucketClaim/photos: absent}
- delete: Bucket/legacy
- expect: {Bucket/legacy: absent}
`

// TestAssumeExisting uses an existing bucket of a driver of v1alpha1.
func TestAssumeExisting(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	driver := h.newOldDriver()
	if err := os.WriteFile(driver.state, []byte(`{"buckets":{"legacy":{}},"accounts":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h.write("one.yaml", scenario("one", legacy+ready+granted+released))
	r := h.run("run", "one.yaml", "--driver", driver.socket, "--assume-existing")
	if r.code != 0 || !strings.Contains(r.out, "1 passed") {
		t.Errorf("run: exit code %d\n%s%s", r.code, r.out, r.err)
	}
	content, err := os.ReadFile(driver.state)
	if want := `{"buckets":{"legacy":{}},"accounts":{}}`; string(content) != want || err != nil {
		t.Errorf("the driver has %s, %v, want %s", content, err, want)
	}
	h.rejected("--assume-existing requires --driver or --driver-cmd", "up", "--assume-existing")
	h.rejected("a dialect requires a driver", "up", "--no-fake-driver", "--dialect", "kep")
	h.rejected("--assume-existing requires --driver or --driver-cmd", "exec", "--assume-existing", "--", "true")
	h.expectNothingLeft()
}

// TestBridge runs the bridge alone, and kills it. The next process finds the IDs.
func TestBridge(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	driver := h.newOldDriver("-id-prefix", "arn:old:")
	listen := "unix://" + filepath.Join(h.dir, "new.sock")
	args := []string{"bridge", "--driver", driver.socket, "--listen", listen, "--state-dir", filepath.Join(h.dir, "ids")}
	serving := func(p *process) {
		harness.Until(t, "the bridge serves", func(context.Context) (bool, error) {
			return strings.Contains(p.err.String(), "bridge from "+listen), nil
		})
	}
	first := h.start(args...)
	serving(first)
	c := connect(t, h.up("--driver", listen).Kubeconfig)
	if key := c.quickstart()[v1alpha2.SecretKeyS3SecretAccessKey]; !strings.HasPrefix(key, "key-of-ba-") {
		t.Errorf("the application gets the key %q, want that of the driver", key)
	}
	kill(t, first.cmd.Process.Pid)
	first.wait()
	serving(h.start(args...))
	c.remove(accessKey, &v1alpha2.BucketAccess{})
	c.remove(claimKey, &v1alpha2.BucketClaim{})
	driver.expectNothing()
	h.must("down")
}

func TestBadBridges(t *testing.T) {
	t.Parallel()
	const driver, listen = "--driver=unix:///tmp/a.sock", "--listen=unix:///tmp/b.sock"
	tests := map[string]struct {
		reason string
		args   []string
		says   string
	}{
		"NoDriver":   {"There is nothing to translate for.", []string{listen, "--state-dir=x"}, "--driver is required"},
		"NoListen":   {"The sidecar needs a socket.", []string{driver, "--state-dir=x"}, "--listen is required"},
		"NotASocket": {"A port is no socket.", []string{"--driver=127.0.0.1:80", listen, "--state-dir=x"}, "UNIX socket"},
		// Spec: A1-SOCK-3
		"NoSuffix":    {"COSI requires it.", []string{driver, "--listen=unix:///tmp/b", "--state-dir=x"}, "ends in .sock"},
		"Same":        {"It would call itself.", []string{driver, "--listen=unix:///tmp/a.sock", "--state-dir=x"}, "the same socket"},
		"NoStore":     {"The IDs would be lost.", []string{driver, listen}, "one of --state-dir and --namespace"},
		"TwoStores":   {"One is enough.", []string{driver, listen, "--state-dir=x", "--namespace=y"}, "one of --state-dir and --namespace"},
		"GCS":         {"No v1alpha1 driver serves it.", []string{driver, listen, "--state-dir=x", "--protocols=GCS"}, "S3 or AZURE"},
		"BadDialect":  {"It is the name of none.", []string{driver, listen, "--state-dir=x", "--dialect=m"}, "the dialects are v1alpha1"},
		"BadEndpoint": {"Applications need a URL.", []string{driver, listen, "--state-dir=x", "--s3-endpoint=s3"}, "https://"},
	}
	inputs := map[string]invalidInput{}
	for name, tc := range tests {
		inputs[name] = invalidInput{reason: tc.reason, args: command(append([]string{"bridge"}, tc.args...)...), code: 2, says: []string{tc.says}}
	}
	expectRejected(t, inputs)
}
