package bucketaccess

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
)

// record is the value of the GrantAnnotation. It is written before the first Grant.
type record struct {
	DriverName         string                      `json:"driverName"`
	BucketName         string                      `json:"bucketName"`
	BucketID           string                      `json:"bucketID"`
	AuthenticationType v1alpha1.AuthenticationType `json:"authenticationType"`
	// FormerAccounts are accounts of earlier Grants, by a driver that returns another one for each.
	// They are revoked with the access.
	FormerAccounts []string `json:"formerAccounts,omitempty"`
}

// recordOf returns the record of an access, or nil. A user, or upstream's sidecar, may have left an
// access without one.
func recordOf(access *v1alpha1.BucketAccess) *record {
	found := &record{}
	if json.Unmarshal([]byte(access.Annotations[v1alpha1.GrantAnnotation]), found) != nil || found.DriverName == "" {
		return nil
	}
	return found
}

func (r *record) writeTo(access *v1alpha1.BucketAccess) error {
	value, err := json.Marshal(r)
	if err != nil {
		return err
	}
	metav1.SetMetaDataAnnotation(&access.ObjectMeta, v1alpha1.GrantAnnotation, string(value))
	return nil
}

func accounts(access *v1alpha1.BucketAccess, r *record) []string {
	all := slices.Clone(r.FormerAccounts)
	if id := access.Status.AccountID; id != "" && !slices.Contains(all, id) {
		all = append(all, id)
	}
	return all
}
