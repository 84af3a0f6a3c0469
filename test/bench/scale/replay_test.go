package scale

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBareWrite(t *testing.T) {
	t.Parallel()
	type result struct{ Name, Owner, Content string }
	cases := map[string]struct {
		reason string
		write  write
		want   result
	}{
		"Lock": {
			"another object has another version",
			write{name: "a", resource: "buckets", body: []byte(`{"metadata":{"resourceVersion":"7","finalizers":["f"]}}`)},
			result{"a", "a", `{"metadata":{"finalizers":["f"]}}`},
		},
		"Creation": {
			"the name is in the object",
			write{resource: "secrets", body: []byte(`{"metadata":{"name":"b"},"type":"Opaque"}`)},
			result{"b", "b", `{"metadata":{"name":"b"},"type":"Opaque"}`},
		},
		"Update": {
			"an object that was read has more than one of its own",
			write{name: "c", resource: "secrets", body: []byte(
				`{"metadata":{"name":"c","uid":"u","creationTimestamp":"2026-01-01T00:00:00Z","managedFields":[]}}`)},
			result{"c", "c", `{"metadata":{"name":"c"}}`},
		},
		"Event": {
			"its name begins with that of what it is about",
			write{resource: "events", body: []byte(`{"metadata":{"name":"scale-1.18af"}}`)},
			result{"scale-1.18af", "scale-1", `{"metadata":{"name":"scale-1.18af"}}`},
		},
		"Status": {
			"nothing holds it to anything",
			write{name: "d", resource: "buckets", sub: "status", body: []byte(`{"status":{"bucketID":"x"}}`)},
			result{"d", "d", `{"status":{"bucketID":"x"}}`},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := newBareWrite(&c.write)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, result{got.name, got.owner(), got.content}); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", c.reason, diff)
			}
		})
	}
}

func TestBareWriteRejects(t *testing.T) {
	t.Parallel()
	if _, err := newBareWrite(&write{body: []byte("k8s\x00")}); !errors.Is(err, errReplay) {
		t.Errorf("what is not JSON cannot be repeated: %v", err)
	}
}
