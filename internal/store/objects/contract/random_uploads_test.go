package contract_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

func (w *walker) begin() {
	u, err := w.BeginUpload(objects.Upload{Key: w.key()})
	if !w.rejected(err, true) {
		w.model.uploads[u.ID] = &modelUpload{Upload: u, parts: map[int]string{}}
	}
}

func (w *walker) putPart() {
	u := w.upload()
	if u == nil {
		return
	}
	number, content := 1+w.IntN(4), w.content()
	body := w.body(content)
	defer body.Release()
	fits := w.model.fits(int64(len(content)-len(u.parts[number])), 0)
	_, err := w.PutPart(u.Key, u.ID, objects.Part{Number: number, ETag: etag(content), Body: body})
	if !w.rejected(err, fits) {
		u.parts[number] = content
	}
}

// complete completes an upload with those parts that may be in the middle, sometimes none.
func (w *walker) complete() {
	u := w.upload()
	if u == nil {
		return
	}
	var completion objects.Completion
	var object strings.Builder
	for _, number := range slices.Sorted(maps.Keys(u.parts)) {
		if content := u.parts[number]; len(content) >= minPart {
			completion.Parts = append(completion.Parts, named(number, content))
			object.WriteString(content)
		}
	}
	if len(completion.Parts) == 0 {
		return
	}
	v, err := w.CompleteUpload(u.Key, u.ID, completion)
	id := ""
	if v != nil {
		id = v.ID
	}
	before := w.model.versions[u.Key]
	fits := w.model.put(u.Key, id, object.String(), u.bytes())
	if w.rejected(err, fits) {
		w.model.set(u.Key, before)
		return
	}
	delete(w.model.uploads, u.ID)
}

func (w *walker) abort() {
	u := w.upload()
	if u == nil {
		return
	}
	if err := w.AbortUpload(u.Key, u.ID); !w.rejected(err, true) {
		delete(w.model.uploads, u.ID)
	}
}
