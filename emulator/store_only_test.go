package emulator_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// TestStoreOnly starts the store without the rest, stops it, and finds its root key in the data directory.
func TestStoreOnly(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	key := fakedriver.Credentials{AccessKeyID: "test", SecretAccessKey: "testtest"}
	for _, chosen := range []fakedriver.Credentials{key, {}} {
		emu, err := emulator.Start(t.Context(), emulator.Options{StoreOnly: true, DataDir: data, S3RootKey: chosen})
		if err != nil {
			t.Fatal(err)
		}
		info := emu.Info()
		if !info.StoreOnly || info.API != "" || info.Kubeconfig != "" || emu.Client() != nil || emu.ControlPlane() != nil {
			t.Errorf("there is more than the store: %+v", info)
		}
		accounts, err := emu.Store().Accounts(t.Context())
		if err != nil || len(accounts) != 1 || accounts[0].AccessKeyID != key.AccessKeyID {
			t.Errorf("the accounts are %v, %v, want the root key", accounts, err)
		}
		if err := emu.Stop(t.Context()); err != nil {
			t.Errorf("Stop() = %v", err)
		}
	}
}

// TestStoreOnlyRejected starts nothing for options of the parts that are left out.
func TestStoreOnlyRejected(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		opts emulator.Options
		want string
	}{
		"Driver":       {emulator.Options{Driver: "unix:///x.sock"}, "an option of a driver"},
		"Name":         {emulator.Options{DriverNames: []string{"a.example.com"}}, "an option of a driver"},
		"ControlPlane": {emulator.Options{ControlPlaneKind: emulator.ControlPlaneEmbedded}, "an option of a control plane"},
		"API":          {emulator.Options{API: objectstorage.V1alpha1}, "an option of objects of COSI"},
		"Snapshot":     {emulator.Options{Snapshot: "x"}, "an option of objects of COSI"},
		"Pods":         {emulator.Options{Pods: true}, "an option of Pods"},
		"Election":     {emulator.Options{LeaderElection: true}, "an option of a controller"},
		"Key":          {emulator.Options{S3RootKey: fakedriver.Credentials{AccessKeyID: "a"}}, "root key: secret access key"},
	} {
		tc.opts.StoreOnly = true
		emu, err := emulator.Start(t.Context(), tc.opts)
		if !errors.Is(err, emulator.ErrOptions) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: Start() = %v, %v, want %q", name, emu, err, tc.want)
		}
	}
}
