package connection

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

func TestRejections(t *testing.T) {
	rejected := reasons.Rejected(v1alpha2.ReasonDriverRefused, "no")
	tests := map[string]struct {
		reason  string
		answer  error
		between func(*Rejections, *Conn, *v1alpha2.Bucket)
		inputs  [2]string
		want    int
	}{
		"Same":       {reason: "The driver would reject it again.", answer: rejected, want: 1},
		"Accepted":   {reason: "A success is not remembered.", want: 2},
		"Failed":     {reason: "It may have been temporary.", answer: reasons.Failed(v1alpha2.ReasonDriverError, "later"), want: 2},
		"Not asked":  {reason: "The call had to wait.", answer: errors.New("postponed"), want: 2},
		"New inputs": {reason: "The driver may accept them.", answer: rejected, inputs: [2]string{"a", "b"}, want: 2},
		"Reconnected": {
			reason: "It may be another version of the driver.", answer: rejected,
			between: func(_ *Rejections, c *Conn, _ *v1alpha2.Bucket) { c.accept(Info{}) }, want: 2,
		},
		"Another object": {
			reason: "It has the name of the one before.", answer: rejected,
			between: func(_ *Rejections, _ *Conn, b *v1alpha2.Bucket) { b.UID = "second" }, want: 2,
		},
		"Forgotten": {
			reason: "The object does not exist any more.", answer: rejected,
			between: func(r *Rejections, _ *Conn, b *v1alpha2.Bucket) { r.Forget(client.ObjectKeyFromObject(b)) }, want: 2,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var rejections Rejections
			c, bucket, asked := &Conn{}, &v1alpha2.Bucket{}, 0
			bucket.Name, bucket.UID = "b", types.UID("first")
			for i, inputs := range tc.inputs {
				if i == 1 && tc.between != nil {
					tc.between(&rejections, c, bucket)
				}
				got := rejections.Once(c, bucket, inputs, func() error { asked++; return tc.answer })
				if !errors.Is(got, tc.answer) {
					t.Errorf("request %d: error %v, want %v", i, got, tc.answer)
				}
			}
			if diff := cmp.Diff(tc.want, asked); diff != "" {
				t.Errorf("calls (-want +got): %s\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRejectionsLateAnswer: a driver that has restarted may give another answer than before.
func TestRejectionsLateAnswer(t *testing.T) {
	var rejections Rejections
	c, bucket, asked := &Conn{}, &v1alpha2.Bucket{}, 0
	for range 2 {
		err := rejections.Once(c, bucket, "", func() error {
			asked++
			c.accept(Info{})
			return reasons.Rejected(v1alpha2.ReasonDriverRefused, "no")
		})
		if err == nil {
			t.Error("no error")
		}
	}
	if asked != 2 {
		t.Errorf("%d calls, want 2", asked)
	}
}
