package emulatortest_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
)

// TestParallel has more tests in parallel, each with parts in parallel, than a machine runs at a time. None waits for
// the end of another, and each namespace is where its emulator is.
func TestParallel(t *testing.T) {
	t.Parallel()
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			emu := emulatortest.Start(t, emulator.Options{})
			for _, name := range []string{"photos", "films"} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					namespace := emulatortest.Namespace(t)
					if err := emu.Client().Get(t.Context(), client.ObjectKey{Name: namespace}, &corev1.Namespace{}); err != nil {
						t.Fatal(err)
					}
					claim := emulatortest.Claim(t, emu, namespace, name)
					emulatortest.Access(t, emu, claim, v1alpha2.BucketAccessModeReadWrite)
				})
			}
		})
	}
}
