package emulatortest_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
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

// TestLeftOver has two users of a control plane after another, who write the same objects beside those of COSI.
func TestLeftOver(t *testing.T) {
	t.Parallel()
	plane := controlplanetest.Borrow(t, "")
	meta := metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "settings"}
	for _, user := range []string{"first", "second"} {
		t.Run(user, func(t *testing.T) {
			emu := emulatortest.Start(t, emulator.Options{NoDriver: true, ControlPlane: plane})
			for _, o := range []client.Object{
				&corev1.Secret{ObjectMeta: meta}, &corev1.ConfigMap{ObjectMeta: meta}, &corev1.ServiceAccount{ObjectMeta: meta},
			} {
				if err := emu.Client().Create(t.Context(), o); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
