package emulator_test

import (
	"flag"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestPodPhotos is the program of TestPodDeployment: --listen=ADDRESS. It is healthy as long as it can list its bucket.
func TestPodPhotos(t *testing.T) {
	address, isProgram := strings.CutPrefix(flag.Arg(0), "--listen=")
	if !isProgram {
		t.Skip("it is no test")
	}
	photos := openBucket(environment())
	server := &http.Server{Addr: address, ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if _, err := photos.list(r.Context()); err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
			}
		},
	)}
	t.Fatal(server.ListenAndServe())
}

// TestPodDeployment runs the Pod of the Deployment on docs/pods.md, as its controller on the other control plane would
// create it. It is there before its access.
func TestPodDeployment(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/pods.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(page), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	deployment := &appsv1.Deployment{}
	if err := yaml.UnmarshalStrict([]byte(block), deployment); err != nil || !found || deployment.Kind != "Deployment" {
		t.Fatalf("error %v in:\n%s", err, block)
	}
	s := newPodStory(t, emulatortest.Start(t, emulator.Options{
		Pods: true, ControlPlaneKind: emulator.ControlPlaneEmbedded,
		Images: []emulator.Image{{Pattern: "example.com/photos", Command: []string{testAsProgram(t, "TestPodPhotos")}}},
	}))
	port := harness.FreePort(t)
	pod := &corev1.Pod{ObjectMeta: deployment.Spec.Template.ObjectMeta, Spec: deployment.Spec.Template.Spec}
	pod.Namespace, pod.Name = s.claim.Namespace, deployment.Name
	app := &pod.Spec.Containers[0]
	for i := range app.Args {
		app.Args[i] = strings.ReplaceAll(app.Args[i], "8080", strconv.Itoa(port))
	}
	app.ReadinessProbe.HTTPGet.Port.IntVal = int32(port) //nolint:gosec // a port
	s.create(pod)
	s.awaitEvent(pod, "Failed", `secret "photos-credentials" not found`)
	s.create(s.claim, s.access)
	s.await(pod, "readiness", isReady)
}
