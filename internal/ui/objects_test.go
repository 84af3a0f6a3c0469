package ui_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/browser"
)

// aFault returns a fault that nothing matches.
func aFault(name string) fault.Fault {
	return fault.Fault{
		Name:   name,
		Match:  fault.Match{Seam: journal.SeamAPI, Subject: "no-such-object"},
		Effect: fault.Effect{Fail: "Conflict"},
	}
}

// selector returns the selector of an object in the graph, with classes such as ".good".
func selector(kind, name, classes string) string {
	return fmt.Sprintf(".node.%s%s[data-name=%q]", kind, classes, name)
}

// shown waits until the graph has an element, and gone until it has none.
func shown(b *browser.Browser, selector string) {
	b.Await(fmt.Sprintf("document.querySelector(%q)", selector))
}
func gone(b *browser.Browser, selector string) {
	b.Await(fmt.Sprintf("!document.querySelector(%q)", selector))
}

func open(t *testing.T, s *stage) *browser.Browser {
	t.Helper()
	b := browser.Start(t)
	b.Open(s.url)
	shown(b, "#dot.on")
	t.Cleanup(func() {
		if said := b.Complaints(); len(said) > 0 {
			t.Errorf("the script, or the policy, complains:\n%s", strings.Join(said, "\n"))
		}
	})
	return b
}

func remove(t *testing.T, s *stage, objects ...client.Object) {
	t.Helper()
	for _, o := range objects {
		if err := s.emu.Client().Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

// claimOf returns a claim that does not exist yet.
func claimOf(name string) *v1alpha2.BucketClaim {
	return &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1alpha2.BucketClaimSpec{BucketClassName: emulator.ClassStandard, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
}

func access(name string) *v1alpha2.BucketAccess {
	return &v1alpha2.BucketAccess{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// TestObjects verifies that all objects of a claim and of its access are in the graph from their
// creation to their end, with their state.
func TestObjects(t *testing.T) {
	s := start(t, emulator.Options{})
	b := open(t, s)
	claim := emulatortest.Claim(t, s.emu, namespace, "photos")
	credentials := emulatortest.Access(t, s.emu, claim, v1alpha2.BucketAccessModeReadWrite)
	all := []string{
		selector("BucketClaim", "demo/photos", ".good"), selector("BucketAccess", "demo/photos-readwrite", ".good"),
		selector("Bucket", claim.Status.BoundBucketName, ".good"), selector("backend", credentials.Bucket, ""),
		selector("Secret", "demo/photos-readwrite", ""), ".node.account",
		selector("BucketClass", emulator.ClassStandard, ""), selector("BucketAccessClass", emulator.ClassStandard, ""),
		selector("driver", s.emu.Info().DriverName, ".good"),
	}
	for _, one := range all {
		shown(b, one)
	}
	b.Await("document.querySelector('#edges path').getAttribute('d').split('M').length > 6")
	t.Run("waiting", func(t *testing.T) { expectWaiting(t, s, b.For(t)) })
	t.Run("details", func(t *testing.T) { expectDetails(t, b.For(t), credentials) })
	t.Run("filter", func(t *testing.T) {
		b := b.For(t)
		b.Set("#find", "nothing-has-this-name")
		gone(b, ".node")
		b.Set("#find", "photos")
		shown(b, all[0])
		gone(b, selector("BucketClaim", "demo/early", ""))
		b.Set("#find", "")
		shown(b, selector("BucketClaim", "demo/early", ""))
	})
	t.Run("deletion", func(t *testing.T) {
		b := b.For(t)
		remove(t, s, claim)
		shown(b, selector("BucketClaim", "demo/photos", ".deleting"))
		b.AwaitText(selector("BucketClaim", "demo/photos", ".deleting"), "deleting, 1 finalizer")
		b.Click(selector("BucketClaim", "demo/photos", ".deleting"))
		b.AwaitText("#detail-body", "Finalizers that hold it: objectstorage.k8s.io/protection")
		remove(t, s, access("photos-readwrite"))
		for _, one := range all[:6] {
			gone(b, one)
		}
	})
}

// expectWaiting expects that an object shows its reason for waiting.
func expectWaiting(t *testing.T, s *stage, b *browser.Browser) {
	t.Helper()
	early := claimOf("early")
	early.Spec.BucketClassName = "missing"
	if err := s.emu.Client().Create(t.Context(), early); err != nil {
		t.Fatal(err)
	}
	b.AwaitText(selector("BucketClaim", "demo/early", ".unknown"), "waiting, BucketClassNotFound")
	shown(b, selector("BucketClass", "missing", ".absent"))
	b.AwaitText(selector("BucketClass", "missing", ".absent"), "not there")
}

func expectDetails(t *testing.T, b *browser.Browser, credentials emulatortest.Credentials) {
	t.Helper()
	b.Click(selector("BucketClaim", "demo/photos", ""))
	b.AwaitText("#yaml", "kind: BucketClaim")
	b.AwaitText("#detail-body", "readyToUse: true")
	b.AwaitText("#detail-body .state.good", "True")
	b.AwaitText("#detail-body h3", "Events")
	b.AwaitText("#detail-body table", "Provisioned")
	shown(b, "#own a.mark")

	b.Click(selector("Secret", "demo/photos-readwrite", ""))
	b.AwaitText("#yaml", "kind: Secret")
	if text := b.HTML(); strings.Contains(text, credentials.SecretAccessKey) || !strings.Contains(text, "***redacted***") {
		t.Error("the page shows the values of a Secret")
	}
	for _, c := range []struct{ kind, name, want string }{
		{"backend", credentials.Bucket, "name: " + credentials.Bucket}, {"driver", "fake.cosi-emu", "name: sidecar"},
		{"Bucket", credentials.Bucket, "kind: Bucket"}, {"BucketClass", emulator.ClassStandard, "deletionPolicy: Delete"},
	} {
		b.Click(selector(c.kind, c.name, ""))
		b.AwaitText("#yaml", c.want)
	}
	b.Press("Escape")
	b.Await("document.getElementById('detail').hidden")
}
