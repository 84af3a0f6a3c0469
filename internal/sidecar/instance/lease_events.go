package instance

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
)

// leaseEvents writes Events about the Lease of a driver. It does not use a recorder, which might
// not have sent an Event before the sidecar stops.
type leaseEvents struct {
	client client.Client
	logger logr.Logger
	group  string
	now    func() time.Time
}

// record writes an Event. Its name follows from its message, so that a sidecar that restarts
// repeatedly leaves only one.
func (e leaseEvents) record(ctx context.Context, lease *coordinationv1.Lease, eventType, message string) {
	event := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: lease.Namespace,
			Name:      fmt.Sprintf("%s.%x", lease.Name, sha256.Sum224([]byte(message))),
		},
		EventTime:           metav1.NewMicroTime(e.now()),
		ReportingController: eventSource,
		ReportingInstance:   eventSource + "-" + e.group,
		Action:              "Elect",
		Reason:              v1alpha2.ReasonDriverNameCollision,
		Type:                eventType,
		Note:                condition.Clip(message),
		Regarding: corev1.ObjectReference{
			APIVersion: coordinationv1.SchemeGroupVersion.String(), Kind: "Lease",
			Namespace: lease.Namespace, Name: lease.Name, UID: lease.UID,
		},
	}
	if err := client.IgnoreAlreadyExists(e.client.Create(ctx, event)); err != nil {
		e.logger.Error(err, "write an Event", "event", event.Name)
	}
}
