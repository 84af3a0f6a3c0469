package worker_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// TestExec runs commands beside a container.
// Pod: POD-EXEC-1
func TestExec(t *testing.T) {
	t.Parallel()
	w := newNode(t).start(with(podOf(corev1.RestartPolicyAlways, "exec sleep 600"), func(c *corev1.Container) {
		c.Env = []corev1.EnvVar{{Name: "X", Value: "1"}}
	}))
	awaitPhase(t, w, corev1.PodRunning)
	var out, errs bytes.Buffer
	err := w.Exec(t.Context(), "a", []string{"sh", "-c", "cat; echo $X; echo no >&2; exit 5"}, strings.NewReader("in "), &out, &errs)
	if diff := cmp.Diff([]string{"in 1\n", "no\n", "exit status 5"}, []string{out.String(), errs.String(), fmt.Sprint(err)}); diff != "" {
		t.Errorf("output, errors and exit (-want +got):\n%s", diff)
	}
	if err := w.Exec(t.Context(), "b", []string{"true"}, nil, &out, &errs); err == nil {
		t.Error("a command runs in a container that does not exist")
	}
}
