package ui_test

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/test/browser"
)

var pictures = flag.String("pictures", "", "directory to which the pictures of the documentation are written")

// maxPicture is the maximum size of a picture of the documentation, in bytes.
const maxPicture = 100 << 10

// TestPictures takes the pictures of docs/ui.md: `make pictures`.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures names no directory")
	}
	s := start(t, emulator.Options{})
	b := open(t, s)
	b.Size(1200, 800)
	s.post(t, "faults", flaky)
	claim := emulatortest.Claim(t, s.emu, namespace, "photos")
	emulatortest.Access(t, s.emu, claim, v1alpha2.BucketAccessModeReadWrite)
	emulatortest.Access(t, s.emu, claim, v1alpha2.BucketAccessModeReadOnly)
	expectWaiting(t, s, b)
	music := emulatortest.Claim(t, s.emu, namespace, "music")
	emulatortest.Access(t, s.emu, music, v1alpha2.BucketAccessModeReadWrite)
	remove(t, s, music)
	shown(b, selector("BucketClaim", "demo/music", ".deleting"))
	last := s.emu.Journal().Mark()
	b.Click("#pause")
	b.Click("#pause")
	b.Await(fmt.Sprintf("%s > %d - 50", latest, last))
	take(t, b, "ui.png")

	b.Dark(true)
	b.Set("#access", "demo/photos-readonly")
	upload(b, "dog.txt", "a dog")
	b.AwaitText("#store-answer.bad", "AccessDenied")
	b.Click(selector("BucketClaim", "demo/photos", ""))
	b.AwaitText("#yaml", "kind: BucketClaim")
	b.Eval("document.getElementById('store').scrollIntoView(), 0")
	take(t, b, "ui-store.png")
}

// take takes a picture of the visible part when nothing moves any more.
func take(t *testing.T, b *browser.Browser, name string) {
	t.Helper()
	b.Await("document.getAnimations().every(a => a.playState === 'finished')")
	picture, err := png.Decode(bytes.NewReader(b.Screenshot()))
	if err != nil {
		t.Fatal(err)
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, withFewColors(picture)); err != nil {
		t.Fatal(err)
	}
	if small.Len() > maxPicture {
		t.Errorf("%s has %d bytes, want at most %d", name, small.Len(), maxPicture)
	}
	if err := os.WriteFile(filepath.Join(*pictures, name), small.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// withFewColors returns a picture with its most frequent colours, which makes the file smaller.
func withFewColors(picture image.Image) image.Image {
	const most = 64
	count := map[color.Color]int{}
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[picture.At(x, y)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return count[b] - count[a] })
	small := image.NewPaletted(bounds, frequent[:min(most, len(frequent))])
	draw.Draw(small, bounds, picture, bounds.Min, draw.Src)
	return small
}
