package events

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// KEP: REASON-31
func TestAPIErrors(t *testing.T) {
	buckets := v1alpha2.Resource("buckets")
	forbidden := fmt.Errorf("create Bucket b: %w", apierrors.NewForbidden(buckets, "b", errors.New("no")))
	busy := apierrors.NewTooManyRequests("slow down", 1)
	const (
		saysForbidden = `Warning APIError create Bucket b: buckets.objectstorage.k8s.io "b" is forbidden: no`
		saysBusy      = "Warning APIError slow down"
	)
	cases := []struct {
		name   string
		reason string
		errs   []error
		want   []string
	}{
		{"forbidden", "an administrator has to give rights", []error{forbidden}, []string{saysForbidden}},
		{"still forbidden", "each retry would be an Event", []error{forbidden, forbidden, forbidden}, []string{saysForbidden}},
		{"something else", "it is news", []error{forbidden, busy}, []string{saysForbidden, saysBusy}},
		{"forbidden again", "in between it was not", []error{forbidden, nil, forbidden}, []string{saysForbidden, saysForbidden}},
		{
			"another error in between", "the reconcile got further",
			[]error{forbidden, reasons.Waiting("R", "m"), forbidden}, []string{saysForbidden, saysForbidden},
		},
		{"conflict", "another write was faster", []error{apierrors.NewConflict(buckets, "b", errors.New("x"))}, nil},
		{"not found", "it has vanished meanwhile", []error{apierrors.NewNotFound(buckets, "b")}, nil},
		{"already exists", "it has appeared meanwhile", []error{apierrors.NewAlreadyExists(buckets, "b")}, nil},
		{"no connection", "the Event would not get through either", []error{errors.New("connection refused")}, nil},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			recorder := events.NewFakeRecorder(10)
			apiErrors := NewAPIErrors(recorder)
			bucket := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{UID: "u"}}
			for _, err := range tc.errs {
				if got := apiErrors.Record(bucket, Provision, err); !errors.Is(got, err) {
					t.Errorf("Tell(%v) = %v, want the same error", err, got)
				}
			}
			close(recorder.Events)
			var got []string
			for event := range recorder.Events {
				got = append(got, event)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
