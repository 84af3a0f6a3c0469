package contract_test

import (
	"errors"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

//nolint:lll // one case a line
func TestQuota(t *testing.T) {
	put := func(key, content string) func(*fixture) error {
		return func(f *fixture) error {
			d, done := f.draft(content)
			defer done()
			_, err := f.Put(key, d, objects.Conditions{})
			return err
		}
	}
	part := func(number int, content string) func(*fixture) error {
		return func(f *fixture) error {
			body := f.body(content)
			defer body.Release()
			u := f.ListUploads(objects.Query{Max: 1}).Uploads[0]
			_, err := f.PutPart(u.Key, u.ID, objects.Part{Number: number, ETag: etag(content), Body: body})
			return err
		}
	}
	complete := func(parts ...objects.CompletedPart) func(*fixture) error {
		return func(f *fixture) error {
			u := f.ListUploads(objects.Query{Max: 1}).Uploads[0]
			_, err := f.CompleteUpload(u.Key, u.ID, objects.Completion{Parts: parts})
			return err
		}
	}
	tests := map[string]struct {
		reason     string
		quota      objects.Quota
		versioning objects.Versioning
		before     []func(*fixture) error
		last       func(*fixture) error
		want       error
		used       objects.Quota
	}{
		"Full":           {"what fits to the byte fits", objects.Quota{Bytes: 4}, "", nil, put("k", "1234"), nil, objects.Quota{Bytes: 4, Objects: 1}},
		"TooLarge":       {"one byte more does not", objects.Quota{Bytes: 4}, "", nil, put("k", "12345"), s3error.ErrQuotaExceeded, objects.Quota{}},
		"Sum":            {"all objects count", objects.Quota{Bytes: 4}, "", []func(*fixture) error{put("a", "123")}, put("k", "12"), s3error.ErrQuotaExceeded, objects.Quota{Bytes: 3, Objects: 1}},
		"Replaced":       {"what goes makes room", objects.Quota{Bytes: 4}, "", []func(*fixture) error{put("k", "123")}, put("k", "1234"), nil, objects.Quota{Bytes: 4, Objects: 1}},
		"Kept":           {"an old version does not go", objects.Quota{Bytes: 4}, objects.Enabled, []func(*fixture) error{put("k", "123")}, put("k", "12"), s3error.ErrQuotaExceeded, objects.Quota{Bytes: 3, Objects: 1}},
		"Objects":        {"objects are counted", objects.Quota{Objects: 1}, "", []func(*fixture) error{put("a", "")}, put("k", ""), s3error.ErrQuotaExceeded, objects.Quota{Objects: 1}},
		"ObjectReplaced": {"the same one is one", objects.Quota{Objects: 1}, "", []func(*fixture) error{put("k", "a")}, put("k", "b"), nil, objects.Quota{Bytes: 1, Objects: 1}},
		"Versions":       {"versions are objects here", objects.Quota{Objects: 1}, objects.Enabled, []func(*fixture) error{put("k", "a")}, put("k", "b"), s3error.ErrQuotaExceeded, objects.Quota{Bytes: 1, Objects: 1}},
		"Marker":         {"a marker takes nothing", objects.Quota{Bytes: 1, Objects: 1}, objects.Enabled, []func(*fixture) error{put("k", "a")}, remove, nil, objects.Quota{Bytes: 1, Objects: 1}},
		"Part":           {"parts take room", objects.Quota{Bytes: 4}, "", []func(*fixture) error{begin, part(1, "123")}, part(2, "12"), s3error.ErrQuotaExceeded, objects.Quota{Bytes: 3}},
		"PartReplaced":   {"as long as they are there", objects.Quota{Bytes: 4}, "", []func(*fixture) error{begin, part(1, "123")}, part(1, "1234"), nil, objects.Quota{Bytes: 4}},
		"Complete":       {"an object takes no more than its parts", objects.Quota{Bytes: 4}, "", []func(*fixture) error{begin, part(1, "1234")}, complete(named(1, "1234")), nil, objects.Quota{Bytes: 4, Objects: 1}},
		"CompleteOver":   {"but is one more", objects.Quota{Objects: 1}, "", []func(*fixture) error{put("a", ""), begin, part(1, "12")}, complete(named(1, "12")), s3error.ErrQuotaExceeded, objects.Quota{Bytes: 2, Objects: 1}},
		"CompleteSome":   {"what is left out makes room", objects.Quota{Bytes: 8}, "", []func(*fixture) error{begin, part(1, "1234"), part(2, "12"), complete(named(1, "1234"))}, put("a", "1234"), nil, objects.Quota{Bytes: 8, Objects: 2}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, objects.Config{Quota: tc.quota, Versioning: tc.versioning})
			for _, step := range tc.before {
				f.must(step(f))
			}
			if err := tc.last(f); !errors.Is(err, tc.want) {
				t.Errorf("%s: %v, want %v", tc.reason, err, tc.want)
			}
			if got := f.Used(); got != tc.used {
				t.Errorf("%s: used are %+v, want %+v", tc.reason, got, tc.used)
			}
		})
	}
}

func begin(f *fixture) error {
	_, err := f.BeginUpload(objects.Upload{Key: "k"})
	return err
}

func remove(f *fixture) error {
	_, err := f.Delete("k", "", objects.Conditions{}, objects.BypassNothing)
	return err
}
