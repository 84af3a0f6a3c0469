package ui_test

import (
	"fmt"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/browser"
)

func upload(b *browser.Browser, key, text string) {
	b.Set("#key", key)
	b.Set("#text", text)
	b.Submit("#upload")
}

// TestStore browses a bucket and uploads objects to it, with the rights of several accesses.
func TestStore(t *testing.T) {
	s := start(t, emulator.Options{})
	b := open(t, s)
	claim := emulatortest.Claim(t, s.emu, namespace, "photos")
	credentials := emulatortest.Access(t, s.emu, claim, v1alpha2.BucketAccessModeReadWrite)
	emulatortest.Access(t, s.emu, claim, v1alpha2.BucketAccessModeReadOnly)
	other := emulatortest.Claim(t, s.emu, namespace, "music")
	emulatortest.Access(t, s.emu, other, v1alpha2.BucketAccessModeReadWrite)
	for _, offered := range []string{"admin", "demo/photos-readwrite", "demo/photos-readonly"} {
		b.Await(fmt.Sprintf("[...document.querySelectorAll('#accesses option')].some(o => o.value === %q)", offered))
	}
	hostile := `dir/<b id="owned" onclick="x">.txt`

	b.Set("#access", "demo/photos-readwrite")
	upload(b, "cat.txt", "a cat, by the page")
	b.AwaitText("#store-answer", "uploaded cat.txt")
	b.AwaitText("#keys", "cat.txt")
	upload(b, hostile, "another")
	b.AwaitText("#store-answer", "uploaded dir/")
	b.AwaitText("#keys", "dir/")
	b.Eval("[...document.querySelectorAll('#keys button')].find(e => e.textContent === 'cat.txt').click(), 0")
	b.AwaitText("#content", "a cat, by the page")
	b.Eval("[...document.querySelectorAll('#keys button')].find(e => e.textContent === 'dir/').click(), 0")
	b.AwaitText("#keys", hostile)
	gone(b, "#owned")
	b.Set("#prefix", "")

	b.Set("#access", "demo/photos-readonly")
	b.Submit("#browse")
	b.AwaitText("#keys", "cat.txt")
	b.AwaitText("#store-answer", "1 object of bucket")
	upload(b, "dog.txt", "a dog")
	b.AwaitText("#store-answer.bad", "AccessDenied")

	b.Set("#access", "photos-readwrite")
	b.Submit("#browse")
	b.AwaitText("#store-answer.bad",
		`BucketAccess "photos-readwrite": its namespace is missing: write NAMESPACE/photos-readwrite, or choose one of the list`)

	b.Set("#access", "demo/music-readwrite")
	b.Set("#bucket", credentials.Bucket)
	b.Submit("#browse")
	b.AwaitText("#store-answer.bad", "AccessDenied")

	b.Set("#access", emulator.RootAccount)
	b.Submit("#browse")
	b.AwaitText("#keys:not([hidden])", "cat.txt")
	expectLatestAnswer(b)
}

// expectLatestAnswer sends two requests, and delays the first answer.
func expectLatestAnswer(b *browser.Browser) {
	b.Eval(`(real => {
		const held = new Promise(release => { window.release = release; });
		window.fetch = async (...request) => {
			const answer = await real(...request);
			if (!request[0].includes('access=admin')) return answer;
			const text = await answer.text();
			await held;
			return {ok: answer.ok, text: async () => text};
		};
	})(window.fetch), 0`)
	b.Submit("#browse")
	b.Set("#access", "demo/nobody")
	b.Submit("#browse")
	b.AwaitText("#store-answer.bad", "nobody")
	b.Eval("new Promise(done => { release(); setTimeout(done); })")
	b.AwaitText("#store-answer.bad", "nobody")
}
