package emulator_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// TestTryKey tries keys with all grants at buckets of all protocols.
func TestTryKey(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, everyProtocol())
	const owner = "test"
	store := emu.Store()
	for name, protocol := range map[string]fakedriver.Protocol{
		"photos": fakedriver.ProtocolS3, "videos": fakedriver.ProtocolGCS, "letters": fakedriver.ProtocolAzure,
	} {
		foreign := "foreign-" + name
		for _, bucket := range []string{name, foreign} {
			if _, err := store.CreateBucket(t.Context(), fakedriver.BucketSpec{Name: bucket, Owner: owner, Protocol: protocol}); err != nil {
				t.Fatal(err)
			}
		}
		for mode, want := range map[fakedriver.AccessMode]bool{
			fakedriver.NoAccess: false, fakedriver.ReadOnly: true, fakedriver.WriteOnly: true, fakedriver.ReadWrite: true,
		} {
			t.Run(name+" "+string(mode), func(t *testing.T) {
				grants := []fakedriver.Grant{{Bucket: name, ObjectData: mode}}
				issued, err := store.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "tried", Owner: owner, Grants: grants})
				if err != nil {
					t.Fatal(err)
				}
				key := backend.IssuedKey{AccessKeyID: issued.AccessKeyID, Secret: issued.SecretAccessKey}
				wrong := backend.IssuedKey{AccessKeyID: issued.AccessKeyID, Secret: "wrong"}
				expect := func(what string, key backend.IssuedKey, bucket string, want bool) {
					t.Helper()
					if opened, err := emu.Keys().Try(t.Context(), key, bucket); opened != want || err != nil {
						t.Errorf("Try() with %s at %q = %t, %v; want %t", what, bucket, opened, err, want)
					}
				}
				expect("the key", key, name, want)
				expect("the key", key, foreign, false)
				expect("the key", key, "", true) // of any protocol: S3 lists no buckets then
				expect("a wrong secret", wrong, name, false)
				expect("a wrong secret", wrong, "", false)
				if err := store.DeleteAccount(t.Context(), owner, "tried"); err != nil {
					t.Fatal(err)
				}
				expect("the revoked key", key, name, false)
				expect("the revoked key", key, "", false)
			})
		}
	}
}
