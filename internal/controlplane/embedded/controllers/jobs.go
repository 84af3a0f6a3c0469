package controllers

import (
	"cmp"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	batchv1client "k8s.io/client-go/kubernetes/typed/batch/v1"
	"k8s.io/client-go/tools/record"

	"github.com/cosi-emu/cosi-emu/internal/controlplane/embedded/job"
)

// jobs runs Jobs.
type jobs struct {
	*job.Controller

	queue queue
}

func newJobs(shared clients, m *monitors, opts Options, events record.EventRecorder) (*jobs, error) {
	client, err := batchv1client.NewForConfig(protobuf(shared.config))
	if err != nil {
		return nil, fmt.Errorf("make the client of the controller of Jobs: %w", err)
	}
	j := &jobs{queue: newQueue()}
	j.Controller = job.New(job.Config{
		Jobs: client, Pods: shared.core, Events: events, After: j.queue.AddAfter,
		BackOff: cmp.Or(opts.BackOff, job.DefaultBackOff), MaxBackOff: cmp.Or(opts.MaxBackOff, job.DefaultMaxBackOff),
	})
	m.handle(func(ch change) {
		switch ch.of.GroupResource() {
		case schema.GroupResource{Group: batchv1.GroupName, Resource: "jobs"}:
			j.queue.Add(ch.object.Namespace + "/" + ch.object.Name)
		case corev1.Resource("pods"):
			if key := job.KeyOfPod(ch.object); key != "" {
				j.queue.Add(key)
			}
		}
	})
	return j, nil
}
