package scenarios_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cosi-emu/cosi-emu/scenarios"
)

// withPod has an application that waits for its Secret, and is killed.
const withPod = `apiVersion: cosi-emu/v1alpha1
kind: Scenario
name: pod
setup:
  images: {busybox: sh}
steps:
- apply:
  - apiVersion: v1
    kind: Pod
    metadata: {name: app}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: app
        image: busybox:1.37
        args: [-c, 'echo "$BUCKET"; exec sleep 600']
        env: [{name: BUCKET, valueFrom: {secretKeyRef: {name: keys, key: BUCKET_NAME}}}]
- apply:
  - kind: BucketClaim
    metadata: {name: photos}
    spec: {bucketClassName: "${class}", protocols: [S3]}
  - kind: BucketAccess
    metadata: {name: photos-rw}
    spec:
      bucketAccessClassName: "${accessClass}"
      protocol: S3
      bucketClaims: [{bucketClaimName: photos, accessModes: {objectData: ReadWrite}, accessSecretName: keys}]
- expect: {Pod/app: {status: {phase: Running}}}
- logs: {pod: app, text: {cel: 'self.startsWith("bc-")'}}
- crash: "pod/${ns}/app/app"
- expect: {Pod/app: {status: {containerStatuses: [{restartCount: 1, ready: true}]}}}
- logs: {pod: app, previous: true, text: {cel: 'self.startsWith("bc-")'}}
`

// TestPods runs a scenario with Pods in an emulator of its own.
func TestPods(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pod.yaml"), []byte(withPod), 0o600); err != nil {
		t.Fatal(err)
	}
	scenarios.Run(t, filepath.Join(dir, "*.yaml"), scenarios.AllowExec())
}
