package condition

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

func TestMessageIsClipped(t *testing.T) {
	var got []metav1.Condition
	For(&got, 1).Set(v1alpha2.ConditionProvisioned, no, "R", strings.Repeat("ä", maxMessage))
	message := got[0].Message
	if len(message) > maxMessage || !strings.HasSuffix(message, "...") || strings.ContainsRune(message, '\uFFFD') {
		t.Errorf("message of %d bytes, ending in %q", len(message), message[len(message)-8:])
	}
}

// KEP: RETRY-2
func TestUnchangedMessages(t *testing.T) {
	cases := []struct {
		name          string
		reason        string
		found         func(reason, format string, args ...any) error
		of            string
		before, after string
		news          bool
	}{
		{
			"same", "nothing has changed",
			reasons.Failed, v1alpha2.ReasonDriverError, "request 7f1 failed", "request 7f1 failed", false,
		},
		{
			"another number", "a driver counts its requests",
			reasons.Failed, v1alpha2.ReasonDriverError, "request 7f1 failed", "request 8a2 failed", false,
		},
		{
			"another text", "something else is wrong",
			reasons.Failed, v1alpha2.ReasonDriverError, "request 7f1 failed", "request 7f1 timed out", true,
		},
		{
			"another number in an error", "a driver counts its requests",
			reasons.Rejected, v1alpha2.ReasonDriverRefused, "request 7f1 denied", "request 8a2 denied", false,
		},
		{
			"another name", "a user goes by the names of objects",
			reasons.Waiting, v1alpha2.ReasonBucketClaimNotFound, "waiting for logs-1", "waiting for logs-2", true,
		},
		{
			"another number, clipped", "what is cut off is the same",
			reasons.Failed, v1alpha2.ReasonDriverError,
			"request 1 " + strings.Repeat("x", 2*maxMessage), "request 2 " + strings.Repeat("x", 2*maxMessage), false,
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			var conditions []metav1.Condition
			var messages []string
			for _, message := range []string{tc.before, tc.after} {
				found, _ := reasons.As(tc.found(tc.of, "%s", message))
				For(&conditions, 1).Record(found)
				messages = append(messages, conditions[0].Message)
			}
			if news := messages[0] != messages[1]; news != tc.news {
				t.Errorf("%s: message %.80q after %.80q; want news: %t", tc.reason, messages[1], messages[0], tc.news)
			}
		})
	}
}
