package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/env"
	"github.com/cosi-emu/cosi-emu/internal/explore"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestLongExploreJob runs the container of deploy/explore as its Pods do, one after another: with
// its arguments, its variables, and the Secret of its BucketAccess, which COSI grants here. Then it
// joins their states from the bucket. Every effect is tried at the sidecar's calls, which are the
// same in every run without faults.
func TestLongExploreJob(t *testing.T) {
	h := newHome(t)
	info := h.up("--control-plane", "embedded")
	secret := h.exploreBucket(info.Kubeconfig)
	container := deploytest.PodTemplates(t, deploytest.Build(t, "../../deploy/explore"))["cosi-explore"].Spec.Containers[0]
	// A claim has fewer operations than the base lifecycle of the ConfigMap.
	h.write("scenario.yaml", scenario("claim", claims+ready+gone))
	for index := range 4 {
		r := h.runContainer(container, secret, index)
		if r.code != 0 || !strings.Contains(r.out, "in shard "+strconv.Itoa(index+1)+"/4") {
			t.Fatalf("Pod %d: exit code %d\n%s%s", index, r.code, r.out, r.err)
		}
	}
	for key, value := range secret {
		h.env = append(h.env, key+"="+value)
	}
	var merged, whole explore.Report
	states := "s3://" + secret["BUCKET_NAME"] + "/explore/"
	decode(t, h.must("explore", "merge", states, "--state", "all.state", "-o", "json"), &merged)
	decode(t, h.must("explore", "scenario.yaml", "--state", "all.state", "--control-plane", "embedded",
		"--at", "sidecar rpc Driver*", "-o", "json"), &whole)
	if merged.Merged != 4 || len(merged.MissingShards) > 0 || len(merged.Findings) > 0 {
		t.Errorf("%d states, missing shards %v, findings %v", merged.Merged, merged.MissingShards, merged.Findings)
	}
	if merged.Tried < whole.Applicable || whole.Applicable == 0 || whole.Tried > 0 {
		t.Errorf("%d effects tried in the shards, and %d of %d at calls after them", merged.Tried, whole.Tried, whole.Applicable)
	}
}

// exploreBucket applies the claim and the access of deploy/explore, and returns the Secret.
func (h *home) exploreBucket(kubeconfig string) map[string]string {
	h.t.Helper()
	c := connect(h.t, kubeconfig)
	for _, file := range []string{"explore/namespace.yaml", "example-driver/classes.yaml", "explore/bucket.yaml"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "deploy", file))
		if err != nil {
			h.t.Fatal(err)
		}
		objects, err := manifest.Decode(data)
		if err == nil {
			err = manifest.Apply(h.t.Context(), c.client, objects)
		}
		if err != nil {
			h.t.Fatalf("%s: %v", file, err)
		}
	}
	ctx, cancel := context.WithTimeout(h.t.Context(), harness.Timeout)
	defer cancel()
	variables, err := env.WaitAccess(ctx, c.client, "v1alpha2", client.ObjectKey{Namespace: "cosi-explore", Name: "cosi-explore"}, "")
	if err != nil {
		h.t.Fatal(err)
	}
	secret := map[string]string{}
	for _, v := range variables {
		secret[v.Name] = v.Value
	}
	return secret
}

// reference is a variable in an argument of a container.
var reference = regexp.MustCompile(`\$\(([A-Z_]+)\)`)

// runContainer runs the program as a Pod of an Indexed Job does, with the scenario of the home.
func (h *home) runContainer(container corev1.Container, secret map[string]string, index int) result {
	h.t.Helper()
	variables := maps.Clone(secret)
	variables["JOB_COMPLETION_INDEX"] = strconv.Itoa(index)
	var args []string
	for _, arg := range container.Args {
		arg = reference.ReplaceAllStringFunc(arg, func(name string) string { return variables[reference.FindStringSubmatch(name)[1]] })
		args = append(args, strings.Replace(arg, "/scenario/", h.dir+"/", 1))
	}
	const most = 10 * time.Minute
	ctx, cancel := context.WithTimeout(h.t.Context(), most)
	defer cancel()
	cmd := h.command(ctx, args...)
	cmd.Env = slices.Clone(h.env)
	for key, value := range variables {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if _, exited := errors.AsType[*exec.ExitError](err); !exited {
			h.t.Fatal(err)
		}
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
}
