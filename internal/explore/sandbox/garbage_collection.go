package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
)

const (
	// namespaceTimeout limits the end of a namespace. The namespace controller waits five
	// seconds before it starts, and up to fifteen before it looks at finalizers again.
	namespaceTimeout = time.Minute
	// pollInterval is the polling interval for deletions by the controller manager, whose requests
	// the journal does not have.
	pollInterval = 50 * time.Millisecond
)

// awaitGarbageCollector waits until the garbage collector works: it starts long after the API
// server.
func (sb *Sandbox) awaitGarbageCollector(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, namespaceTimeout)
	defer cancel()
	probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "garbage", Namespace: run.Namespace}}
	err := errors.Join(
		sb.Emulator.Client().Create(ctx, probe),
		sb.Emulator.Client().Delete(ctx, probe, client.PropagationPolicy(metav1.DeletePropagationForeground)),
	)
	if err == nil {
		err = sb.awaitGone(ctx, probe)
	}
	if err != nil {
		return fmt.Errorf("wait for the garbage collector of a sandbox: %w", err)
	}
	return nil
}

// awaitGone waits until an object does not exist, and fills in its last version.
func (sb *Sandbox) awaitGone(ctx context.Context, object client.Object) error {
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		err := sb.Emulator.Client().Get(ctx, client.ObjectKeyFromObject(object), object)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

// awaitNamespace waits until the namespace has ended, if an interference has deleted it. If
// it does not end within a time, the run has a finding.
func (r *running) awaitNamespace(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(r.context, limit)
	defer cancel()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: run.Namespace}}
	err := r.sandbox.Emulator.Client().Get(ctx, client.ObjectKeyFromObject(namespace), namespace)
	if apierrors.IsNotFound(err) || err == nil && namespace.DeletionTimestamp == nil {
		return nil
	}
	if err == nil {
		err = r.sandbox.awaitGone(ctx, namespace)
	}
	if ctx.Err() != nil && r.context.Err() == nil {
		r.seen.Spoiled = true
		r.seen.Found = append(r.seen.Found, endlessNamespace(namespace))
		return nil
	}
	return err
}

// endlessNamespace is the finding for a deleted namespace that does not end.
func endlessNamespace(namespace *corev1.Namespace) checks.Finding {
	var why []string
	for _, c := range namespace.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			why = append(why, c.Message)
		}
	}
	return checks.Finding{
		Oracle: run.OracleDeletable, Subject: "Namespace/" + namespace.Name,
		Message: fmt.Sprintf("Namespace/%s was deleted and does not end: %s", namespace.Name, strings.Join(why, "; ")),
	}
}
