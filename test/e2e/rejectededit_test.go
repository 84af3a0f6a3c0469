package e2e_test

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestRejectedEdits: the API server itself rejects edits of fields that are set once, with a clear
// error.
func TestRejectedEdits(t *testing.T) {
	cl := newTestCluster(t)
	p := cl.dynamicPair(v1alpha2.DeletionPolicyDelete)
	class, ok := p.objects[theAccessClass].(*v1alpha2.BucketAccessClass)
	if !ok {
		t.Fatalf("the access class is a %T", p.objects[theAccessClass])
	}
	class.Spec.Parameters = map[string]string{"tier": "gold"}
	p.rise()
	mark := cl.settle(t)
	for _, tc := range []struct {
		name  string
		what  string
		patch string
		want  string
	}{
		{"Bucket emptied", theBucket, `{"status":null}`, "status cannot be removed once bucketID or protocols are set"},
		{"Bucket without ID", theBucket, `{"status":{"bucketID":null}}`, "bucketID cannot be removed once it is set"},
		{"Bucket of another ID", theBucket, `{"status":{"bucketID":"another"}}`, "bucketID is immutable once it is set"},
		{"Bucket without protocols", theBucket, `{"status":{"protocols":null}}`, "protocols cannot be removed once they are set"},
		{"Bucket with no protocol", theBucket, `{"status":{"protocols":[]}}`, "should have at least 1 items"},
		{"Bucket of a made-up protocol", theBucket, `{"status":{"protocols":["FTP"]}}`, `supported values: "S3", "Azure", "GCS"`},
		{"Bucket neither ready nor not", theBucket, `{"status":{"readyToUse":null}}`, "status.readyToUse: Required value"},
		{"claim emptied", theClaim, `{"status":null}`, "status cannot be removed once boundBucketName or protocols are set"},
		{"claim unbound", theClaim, `{"status":{"boundBucketName":null}}`, "boundBucketName cannot be removed once it is set"},
		{"claim bound to another", theClaim, `{"status":{"boundBucketName":"another"}}`, "boundBucketName is immutable once it is set"},
		{"claim without protocols", theClaim, `{"status":{"protocols":null}}`, "protocols cannot be removed once they are set"},
		{"access emptied", theAccess, `{"status":null}`, "status cannot be removed once accountID"},
		{"access without account", theAccess, `{"status":{"accountID":null}}`, "accountID cannot be removed once it is set"},
		{"access of another account", theAccess, `{"status":{"accountID":"another"}}`, "accountID is immutable once it is set"},
		{"access without driver", theAccess, `{"status":{"driverName":null}}`, "driverName cannot be removed once it is set"},
		{"access of another driver", theAccess, `{"status":{"driverName":"other.test"}}`, "driverName is immutable once it is set"},
		{"access without buckets", theAccess, `{"status":{"accessedBuckets":null}}`, "accessedBuckets cannot be removed once they are set"},
		{
			"access to other buckets", theAccess, `{"status":{"accessedBuckets":[{"bucketName":"b","bucketID":"b","bucketClaimName":"data"}]}}`,
			"accessedBuckets are immutable once they are set",
		},
		{
			"access without authentication", theAccess, `{"status":{"authenticationType":null}}`,
			"authenticationType cannot be removed once it is set",
		},
		{
			"access of another authentication", theAccess, `{"status":{"authenticationType":"ServiceAccount"}}`,
			"authenticationType is immutable once it is set",
		},
		{"access without parameters", theAccess, `{"status":{"parameters":null}}`, "parameters cannot be removed once they are set"},
		{"access of other parameters", theAccess, `{"status":{"parameters":{"tier":"tin"}}}`, "parameters are immutable once they are set"},
		{
			"nonsense for a condition", theAccess, `{"status":{"conditions":[{"type":"Provisioned","status":"Maybe"}]}}`,
			`supported values: "True", "False", "Unknown"`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			object, ok := p.objects[tc.what].DeepCopyObject().(client.Object)
			if !ok {
				t.Fatal("a copy of another type")
			}
			err := cl.Status().Patch(t.Context(), object, client.RawPatch(types.MergePatchType, []byte(tc.patch)))
			if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the API server returned %v, want a rejection that contains %q", err, tc.want)
			}
		})
	}
	if after := cl.settle(t); after != mark {
		t.Errorf("a rejected edit caused %v", cl.emu.Journal().Since(mark))
	}
	p.fall([]string{theAccess, theClaim})
	p.expectNothingLeft(false)
}
