package emulatortest_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
)

func TestMyApp(t *testing.T) {
	emu := emulatortest.Start(t, emulator.Options{})
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: emulatortest.Namespace(t), Name: "photos"},
		Spec: v1alpha2.BucketClaimSpec{
			BucketClassName: emulator.ClassStandard,
			Protocols:       []v1alpha2.Protocol{v1alpha2.ProtocolS3},
		},
	}
	if err := emu.Client().Create(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	// Create a BucketAccess, and start the application with the Secret of it.
}
