package main_test

import (
	"encoding/json"
	"maps"
	"os/exec"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// checkEnvironment reads the output of `env` like its users.
func (s *story) checkEnvironment() {
	s.t.Helper()
	want := map[string]string{"COSI_EMU_NAME": s.info.Name, "KUBECONFIG": s.info.Kubeconfig, "COSI_ENDPOINT": s.info.DriverEndpoint}
	s.expectVariables("without --access", want, s.fromJSON(s.home.must("env", "-o", "json")))

	maps.Copy(want, s.secret)
	want["AWS_REGION"] = s.secret[v1alpha2.SecretKeyS3Region]
	access := []string{"env", "--access", accessKey.String()}
	s.expectVariables("json", want, s.fromJSON(s.home.must(append(access, "-o", "json")...)))
	s.expectVariables("shell", want, s.fromShell(`eval "$1"`, s.home.must(access...)))
	dotenv := s.home.must(append(access, "--claim", claimKey.Name, "-o", "dotenv")...)
	s.expectVariables("dotenv", want, s.fromShell("set -a; eval \"$1\"", dotenv))

	delete(want, v1alpha2.SecretKeyBucketName)
	delete(want, v1alpha2.SecretKeyProtocol)
	admin := s.fromJSON(s.home.must("env", "--admin", "-o", "json"))
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

func (s *story) fromJSON(text string) map[string]string {
	s.t.Helper()
	var variables map[string]string
	if err := json.Unmarshal([]byte(text), &variables); err != nil {
		s.t.Fatal(err)
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
