package controller

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/index"
	"github.com/cosi-emu/cosi-emu/internal/controller/instance"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/bucket"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/bucketaccess"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/bucketclaim"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/claimprotection"
	cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"
)

func version() instance.Version {
	return instance.Version{
		AddToScheme: v1alpha2.AddToScheme,
		Kinds: []client.Object{
			&v1alpha2.BucketClaim{}, &v1alpha2.Bucket{}, &v1alpha2.BucketClass{},
			&v1alpha2.BucketAccess{}, &v1alpha2.BucketAccessClass{},
		},
		Index:          index.Register,
		Operations:     cosimetrics.V1alpha2,
		AddReconcilers: addReconcilers,
	}
}

func addReconcilers(s *instance.Setup) error {
	protector := claimprotection.New(s.GetClient(), s.GetAPIReader())
	claims := &bucketclaim.Reconciler{
		Client: s.GetClient(), Live: s.GetAPIReader(), Recorder: s.Recorder, APIErrors: s.APIErrors, Protector: protector,
		Namespaces: s.Namespaces, TracerProvider: s.TracerProvider,
	}
	if err := claims.SetupWithManager(s, s.ControllerOptions()); err != nil {
		return fmt.Errorf("set up the reconciler of BucketClaims: %w", err)
	}
	accesses := &bucketaccess.Reconciler{
		Client: s.GetClient(), Live: s.GetAPIReader(), Recorder: s.Recorder, APIErrors: s.APIErrors, Protector: protector,
		Namespaces: s.Namespaces, TracerProvider: s.TracerProvider,
	}
	if err := accesses.SetupWithManager(s, s.ControllerOptions()); err != nil {
		return fmt.Errorf("set up the reconciler of BucketAccesses: %w", err)
	}
	buckets := bucket.New(s.GetClient(), s.GetAPIReader(), s.Recorder, s.APIErrors)
	buckets.Namespaces, buckets.TracerProvider = s.Namespaces, s.TracerProvider
	if err := buckets.SetupWithManager(s, s.ControllerOptions()); err != nil {
		return fmt.Errorf("set up the reconciler of Buckets: %w", err)
	}
	return nil
}
