package authorization_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

func TestAllows(t *testing.T) {
	grants := map[string]map[fakedriver.AccessMode]fakedriver.Grant{"data": {}, "metadata": {}, "bucket": {}}
	for _, mode := range []fakedriver.AccessMode{fakedriver.NoAccess, fakedriver.ReadOnly, fakedriver.WriteOnly, fakedriver.ReadWrite} {
		grants["data"][mode] = fakedriver.Grant{ObjectData: mode}
		grants["metadata"][mode] = fakedriver.Grant{ObjectMetadata: mode}
		grants["bucket"][mode] = fakedriver.Grant{BucketMetadata: mode}
	}
	read := map[fakedriver.AccessMode]bool{fakedriver.ReadOnly: true, fakedriver.ReadWrite: true}
	write := map[fakedriver.AccessMode]bool{fakedriver.WriteOnly: true, fakedriver.ReadWrite: true}
	tests := map[string]struct {
		needs []authorization.Need
		want  map[string]map[fakedriver.AccessMode]bool
	}{
		"Nothing":             {nil, nil},
		"ReadData":            {authorization.ReadData, map[string]map[fakedriver.AccessMode]bool{"data": read}},
		"WriteData":           {authorization.WriteData, map[string]map[fakedriver.AccessMode]bool{"data": write}},
		"ReadObject":          {authorization.ReadObject, map[string]map[fakedriver.AccessMode]bool{"data": read, "metadata": read}},
		"WriteObjectMetadata": {authorization.WriteObjectMetadata, map[string]map[fakedriver.AccessMode]bool{"metadata": write}},
		"ReadBucket":          {authorization.ReadBucket, map[string]map[fakedriver.AccessMode]bool{"data": read, "bucket": read}},
		"WriteBucket":         {authorization.WriteBucket, map[string]map[fakedriver.AccessMode]bool{"bucket": write}},
	}
	for name, tc := range tests {
		for category, modes := range grants {
			for mode, grant := range modes {
				if got := authorization.Allows(grant, tc.needs); got != tc.want[category][mode] {
					t.Errorf("%s with %q in the category %s: Allows() = %t", name, mode, category, got)
				}
			}
		}
	}
}
