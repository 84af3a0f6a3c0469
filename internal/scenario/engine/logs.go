package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// logsInterval is the pause between two looks at the output of a Pod.
const logsInterval = 50 * time.Millisecond

// logs waits until the output of a container matches.
func (r *run) logs(ctx context.Context, s *spec.Step) (any, error) {
	kube, err := kubernetes.NewForConfig(r.engine.emulator.Config())
	if err != nil {
		return nil, err
	}
	pod, err := r.variables.Text(ctx, s.Logs.Pod)
	if err != nil {
		return nil, err
	}
	options := &corev1.PodLogOptions{Previous: s.Logs.Previous}
	if options.Container, err = r.variables.Text(ctx, s.Logs.Container); err != nil {
		return nil, err
	}
	var text string
	var differences []match.Difference
	var missing error
	err = wait.PollUntilContextCancel(ctx, logsInterval, true, func(ctx context.Context) (bool, error) {
		data, err := r.output(ctx, kube, pod, options)
		if ctx.Err() != nil {
			return false, nil //nolint:nilerr // the last look counts
		}
		if missing = err; err != nil {
			return false, nil //nolint:nilerr // it may exist later
		}
		text = strings.TrimSuffix(string(data), "\n")
		differences, err = match.Match(*s.Logs.Text, text, r.variables.Now(ctx))
		return len(differences) == 0, err
	})
	switch {
	case err == nil:
		return text, nil
	case missing != nil:
		return nil, &outcome.Failure{Message: fmt.Sprintf("Pod %s: %v", pod, missing)}
	case len(differences) > 0:
		return nil, &outcome.Failure{Message: "unexpected output of Pod " + pod, Differences: differences}
	}
	return nil, err
}

// output returns the output of a container, by default of the first.
func (r *run) output(ctx context.Context, kube kubernetes.Interface, pod string, options *corev1.PodLogOptions) (_ []byte, err error) {
	if options.Container == "" {
		if options.Container, err = r.firstContainer(ctx, kube, pod); err != nil {
			return nil, err
		}
	}
	return kube.CoreV1().Pods(r.namespace).GetLogs(pod, options).DoRaw(ctx)
}

// firstContainer returns the name of a Pod's first container.
func (r *run) firstContainer(ctx context.Context, kube kubernetes.Interface, pod string) (string, error) {
	object, err := kube.CoreV1().Pods(r.namespace).Get(ctx, pod, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return object.Spec.Containers[0].Name, nil
}
