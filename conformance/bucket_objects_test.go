package conformance_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"google.golang.org/grpc/codes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/conformance"
	"github.com/cosi-emu/cosi-emu/emulator"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// readBucket is no mistake: the driver gets the parameters of a bucket from its Bucket, whose name is the ID.
func readBucket(ctx context.Context, request any, next call) (any, error) {
	var id string
	switch r := request.(type) {
	case *cosiv1alpha1.DriverDeleteBucketRequest:
		id = r.GetBucketId()
	case *cosiv1alpha1.DriverGrantBucketAccessRequest:
		id = r.GetBucketId()
	case *cosiv1alpha1.DriverRevokeBucketAccessRequest:
		id = r.GetBucketId()
	default:
		return next(request)
	}
	if err := checkBucket(ctx, id); err != nil {
		return nil, failed(codes.Internal, err.Error())
	}
	return next(request)
}

func checkBucket(ctx context.Context, id string) error {
	cfg, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	scheme, err := emulator.NewScheme()
	if err != nil {
		return err
	}
	reader, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	bucket := &v1alpha1.Bucket{}
	if err := reader.Get(ctx, client.ObjectKey{Name: id}, bucket); err != nil {
		return err
	}
	if note := bucket.Spec.Parameters["note"]; note != "first" || !bucket.Status.BucketReady || bucket.Status.BucketID != id {
		return fmt.Errorf("the Bucket has parameter note %q, and the status %+v", note, bucket.Status)
	}
	return nil
}

// TestDriverReadsBuckets verifies that a driver of v1alpha1 which reads the Bucket of a call passes as with COSI, whichever kinds
// its control plane serves.
func TestDriverReadsBuckets(t *testing.T) {
	t.Parallel()
	for _, generation := range []string{"", dialects.V1alpha1.Version()} {
		t.Run("Generation"+generation, func(t *testing.T) {
			t.Parallel()
			config := processConfig(t, dialects.V1alpha1, readsBuckets)
			config.Generation, config.Backend = generation, nil
			config.ControlPlane, config.ControlPlaneKind = &conformance.ControlPlane{}, emulator.ControlPlaneEmbedded
			config.Only = []string{"CB-01", "CB-07", "DB-01", "DB-03", "GR-01", "RV-01", "RV-02"}
			report, err := conformance.Execute(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			wantOnlyProblem(t, report, "")
		})
	}
}
