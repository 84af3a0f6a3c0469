package instance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/cosi-emu/cosi-emu/internal/sidecar/abandoned"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/secretstore"
)

// AddAbandonedSecrets adds the reconciler of Secrets whose access has vanished.
func AddAbandonedSecrets[T client.Object](i *Instance, accesses abandoned.Accesses[T]) error {
	c := i.Manager.GetCache()
	return i.AddReconciler("Secret", &abandoned.Reconciler[T]{Accesses: accesses, Cached: c, Live: i.Live},
		source.Kind(c, secretstore.Metadata(),
			&handler.TypedEnqueueRequestForObject[*metav1.PartialObjectMetadata]{}, accesses.SecretPredicate()),
		source.Kind(c, accesses.New(), accesses.MapAccess(), accesses.AccessPredicate()),
	)
}
