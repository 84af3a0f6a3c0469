package main_test

import (
	"encoding/json"
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/examples"
)

// checkEnvironment reads the output of `env` like its users.
func (s *story) checkEnvironment() {
	s.t.Helper()
	want := map[string]string{"COSI_EMU_NAME": s.info.Name, "KUBECONFIG": s.info.Kubeconfig, "COSI_ENDPOINT": s.info.DriverEndpoint}
	s.expectVariables("without --access", want, s.home.fromJSON(s.home.must("env", "-o", "json")))

	maps.Copy(want, s.secret)
	want["AWS_REGION"] = s.secret[v1alpha2.SecretKeyS3Region]
	access := []string{"env", "--access", accessKey.String()}
	s.expectVariables("json", want, s.home.fromJSON(s.home.must(append(access, "-o", "json")...)))
	s.expectVariables("shell", want, s.fromShell(`eval "$1"`, s.home.must(access...)))
	dotenv := s.home.must(append(access, "--claim", claimKey.Name, "-o", "dotenv")...)
	s.expectVariables("dotenv", want, s.fromShell("set -a; eval \"$1\"", dotenv))

	delete(want, v1alpha2.SecretKeyBucketName)
	delete(want, v1alpha2.SecretKeyProtocol)
	admin := s.home.fromJSON(s.home.must("env", "--admin", "-o", "json"))
	for _, key := range []string{v1alpha2.SecretKeyS3AccessKeyID, v1alpha2.SecretKeyS3SecretAccessKey} {
		if admin[key] == "" || admin[key] == s.secret[key] {
			s.t.Errorf("--admin has not another %s than the access", key)
		}
		want[key] = admin[key]
	}
	s.expectVariables("--admin", want, admin)

	unknown := s.home.run("env", "--access", "demo/absent")
	if unknown.code != 1 || !strings.Contains(unknown.err, "demo/absent") {
		s.t.Errorf("env for a BucketAccess that is not there: exit code %d, %s", unknown.code, unknown.err)
	}
	for _, meant := range []string{accessKey.Name, "other/" + accessKey.Name, accessKey.Namespace + "/" + accessKey.Name[1:]} {
		if r := s.home.run("env", "--access", meant); r.code == 0 || !strings.HasSuffix(r.err, `did you mean "`+accessKey.String()+"\"?\n") {
			s.t.Errorf("env --access %s: exit code %d, %s", meant, r.code, r.err)
		}
	}
	other := s.home.run("env", "--access", accessKey.String(), "--claim", "videos")
	if other.code != 1 || !strings.Contains(other.err, "photos") {
		s.t.Errorf("env for another BucketClaim: exit code %d, %s", other.code, other.err)
	}
}

func (s *story) expectVariables(what string, want, got map[string]string) {
	s.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("env, %s: -want, +got:\n%s", what, diff)
	}
}

func (h *home) fromJSON(text string) map[string]string {
	h.t.Helper()
	var variables map[string]string
	if err := json.Unmarshal([]byte(text), &variables); err != nil {
		h.t.Fatal(err)
	}
	return variables
}

// fromShell returns the environment that a shell passes on after a script.
func (s *story) fromShell(script, argument string) map[string]string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "/bin/sh", "-c", script+"; exec env -0", "sh", argument)
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatal(err)
	}
	variables := map[string]string{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		name, value, _ := strings.Cut(entry, "=")
		if name != "PATH" && name != "PWD" && name != "SHLVL" && name != "_" && name != "OLDPWD" {
			variables[name] = value
		}
	}
	return variables
}

// TestEnvCauses: env for an access that fails ends with the cause, and not with the end of its wait. The object is the one to correct.
func TestEnvCauses(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	running := connect(t, h.up().Kubeconfig)
	quickstart := func(access string, replace ...string) {
		more := append([]string{"name: photos-rw", "name: " + access, "photos-credentials", access}, replace...)
		running.apply(strings.NewReplacer(more...).Replace(string(examples.Quickstart)))
	}
	quickstart("misspelt", "bucketAccessClassName: standard", "bucketAccessClassName: standrad")
	quickstart("unserved", "photos\n", "letters\n", "protocols: [S3]", "protocols: [S3, GCS]")
	h.must("fault", "add", "--operation", "DriverGrantBucketAccess", "--fail", "InvalidArgument")
	quickstart("refused")
	for access, want := range map[string]string{
		"misspelt": `an object is missing: BucketAccess "misspelt": BucketAccessClass "standrad" not found: did you mean "standard"?`,
		"unserved": `spec.protocols has GCS, but driver fake.cosi-emu serves only [S3]; start the emulator with --protocols S3,GCS`,
		"refused":  `COSI does not retry until an object is corrected: BucketAccess "refused": DriverGrantBucketAccess failed with `,
	} {
		r := h.run("env", "--access", "demo/"+access)
		if r.code != 1 || r.out != "" || !strings.Contains(r.err, "BucketAccess demo/"+access+": ") || !strings.Contains(r.err, want) {
			t.Errorf("env --access demo/%s: exit code %d, want 1 and %q:\n%s%s", access, r.code, want, r.out, r.err)
		}
	}
}

// TestEnvOtherProtocol: the kinds of v1alpha1 allow credentials for another protocol than the requested one.
func TestEnvOtherProtocol(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	manifest := h.write("azure.yaml", string(examples.WithProtocol(examples.QuickstartV1alpha1, "Azure")))
	exec := []string{"exec", "--api", "v1alpha1", "--apply", manifest, "--access", "demo/photos-rw"}
	const warning = "Warning: BucketAccess demo/photos-rw requests Azure, and the driver returned credentials for S3; " +
		"start the emulator with --protocols Azure; "
	const script = `echo "$COSI_PROTOCOL"`
	if r := h.run(append(exec, "--", "sh", "-c", script)...); r.code != 0 || r.out != "S3\n" || !strings.Contains(r.err, warning) {
		t.Errorf("without the protocol: exit code %d, want %q:\n%s%s", r.code, warning, r.out, r.err)
	}
	r := h.run(append(exec, "--protocols", "Azure", "--", "sh", "-c", script)...)
	if r.code != 0 || r.out != "Azure\n" || strings.Contains(r.err, "Warning") {
		t.Errorf("with the protocol: exit code %d:\n%s%s", r.code, r.out, r.err)
	}
}

// TestEnvName: in a shell with the variables of env, commands use the emulator, and those that start one of their own do so beside it.
func TestEnvName(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.up("--name", "shop")
	h.write("a.yaml", scenario("good", claims+ready))
	for variable, value := range h.fromJSON(h.must("env", "--name", "shop", "-o", "json")) {
		h.env = append(h.env, variable+"="+value)
	}
	for want, args := range map[string][]string{
		`Emulator "shop" is up`:       {"status"},
		`export COSI_EMU_NAME='shop'`: {"env"},
		`Emulator "exec-`:             {"exec", "--", h.program(), "status"},
		"1 passed":                    {"run", "a.yaml"},
		"No fault is active.":         {"fault", "list"},
	} {
		if out := h.must(args...); !strings.Contains(out, want) {
			t.Errorf("cosi-emu %s: no %q in\n%s", strings.Join(args, " "), want, out)
		}
	}
	if r := h.run("up"); r.code != 1 || !strings.Contains(r.err, "'cosi-emu down --name shop', or choose another --name") {
		t.Errorf("up beside itself: exit code %d\n%s", r.code, r.err)
	}
	h.must("down")
	for _, args := range [][]string{{"status"}, {"env"}, {"logs"}, {"fault", "list"}} {
		if r := h.run(args...); r.code != 1 || !strings.Contains(r.err, "start it with 'cosi-emu up --name shop'") {
			t.Errorf("%v after down: exit code %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
}
