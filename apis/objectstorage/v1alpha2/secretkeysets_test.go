package v1alpha2_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func TestParseSecretKeySets(t *testing.T) {
	const kep, cosi = v1alpha2.SecretKeysKEP, v1alpha2.SecretKeysCOSI
	for text, want := range map[string][]v1alpha2.SecretKeySet{
		"kep": {kep}, "cosi": {cosi}, "kep, cosi": {kep, cosi}, "": nil, "KEP": nil, "kep,": nil,
	} {
		got, err := v1alpha2.ParseSecretKeySets(text)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	}
}
