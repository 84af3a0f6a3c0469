package emulator_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// TestAddDriver has a second driver serve claims and accesses, before and after
// crashes and restarts of its components, and leave.
func TestAddDriver(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	before := len(emu.Components())
	options := emulator.DriverOptions{Name: "second.test", AccessModes: []fakedriver.AccessMode{fakedriver.ReadWrite}}
	added, err := emu.AddDriver(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := emu.AddDriver(t.Context(), options); err == nil {
		t.Error("AddDriver() of the same name = nil, want an error")
	}
	for _, what := range []struct {
		name   string
		happen func(*emulator.Component) error
	}{
		{"first", func(*emulator.Component) error { return nil }},
		{"crashed", func(c *emulator.Component) error {
			if err := c.Crash(); err != nil {
				return err
			}
			return c.Start(t.Context())
		}},
		{"restarted", func(c *emulator.Component) error { return c.Restart(t.Context()) }},
	} {
		t.Run(what.name, func(t *testing.T) {
			for _, component := range []*emulator.Component{added.Driver, added.Sidecar} {
				if err := what.happen(component); err != nil {
					t.Fatal(err)
				}
			}
			serveByDriver(t, emu, options.Name, what.name)
		})
	}
	if err := added.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	if after := len(emu.Components()); after != before {
		t.Errorf("%d components are left, want %d", after, before)
	}
}

// serveByDriver has a driver serve a claim and an access, and take them back.
func serveByDriver(t *testing.T, emu *emulator.Emulator, driver, class string) {
	t.Helper()
	s := newStory(t, emu)
	classes := []client.Object{
		&v1alpha2.BucketClass{
			ObjectMeta: metav1.ObjectMeta{Name: class},
			Spec:       v1alpha2.BucketClassSpec{DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyDelete},
		},
		&v1alpha2.BucketAccessClass{
			ObjectMeta: metav1.ObjectMeta{Name: class},
			Spec:       v1alpha2.BucketAccessClassSpec{DriverName: driver, AuthenticationType: v1alpha2.AuthenticationTypeKey},
		},
	}
	s.create(classes...)
	s.claim.Spec.BucketClassName, s.access.Spec.BucketAccessClassName = class, class
	s.create(s.claim, s.access)
	s.waitReady()
	bucket, err := emu.Store().GetBucket(t.Context(), s.secret()[v1alpha2.SecretKeyBucketName])
	if err != nil || bucket.Owner != driver {
		t.Errorf("GetBucket() = %+v, %v; want one of %s", bucket, err, driver)
	}
	s.delete(s.access)
	s.delete(s.claim)
	s.waitGone(s.access)
	s.waitDeprovisioned()
}

func TestAddDriverNeedsAStore(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{NoDriver: true})
	if _, err := emu.AddDriver(t.Context(), emulator.DriverOptions{Name: "second.test"}); err == nil {
		t.Error("AddDriver() = nil, want an error: there is no store")
	}
}

// TestJoinDriver has a sidecar serve an external driver, and leave it running.
func TestJoinDriver(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	own := emulator.DriverOptions{Name: "own", Endpoint: emu.Info().DriverEndpoint}
	if _, err := emu.AddDriver(t.Context(), own); !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("AddDriver() of the driver that is served already = %v, want ErrOptions", err)
	}
	far := emulator.DriverOptions{Name: "far", Endpoint: "dns:///driver.example.com"}
	if _, err := emu.AddDriver(t.Context(), far); !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("AddDriver() over the network = %v, want ErrOptions", err)
	}
	endpoint := drivertest.ServeFake(t, "theirs.test", "http://127.0.0.1:1")
	joined, err := emu.AddDriver(t.Context(), emulator.DriverOptions{Name: "theirs", Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"sidecar": emu.Info().DriverName, "sidecar.theirs": "theirs.test"}
	if diff := cmp.Diff(want, emu.Info().Served()); diff != "" {
		t.Errorf("Served() (-want +got):\n%s", diff)
	}
	if err := joined.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"sidecar": emu.Info().DriverName}, emu.Info().Served()); diff != "" {
		t.Errorf("Served() when it has left (-want +got):\n%s", diff)
	}
}
