package fault

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// reasons are the API server's, with their statuses.
var reasons = map[metav1.StatusReason]int{
	metav1.StatusReasonBadRequest:            http.StatusBadRequest,
	metav1.StatusReasonUnauthorized:          http.StatusUnauthorized,
	metav1.StatusReasonForbidden:             http.StatusForbidden,
	metav1.StatusReasonNotFound:              http.StatusNotFound,
	metav1.StatusReasonMethodNotAllowed:      http.StatusMethodNotAllowed,
	metav1.StatusReasonNotAcceptable:         http.StatusNotAcceptable,
	metav1.StatusReasonConflict:              http.StatusConflict,
	metav1.StatusReasonAlreadyExists:         http.StatusConflict,
	metav1.StatusReasonGone:                  http.StatusGone,
	metav1.StatusReasonExpired:               http.StatusGone,
	metav1.StatusReasonRequestEntityTooLarge: http.StatusRequestEntityTooLarge,
	metav1.StatusReasonUnsupportedMediaType:  http.StatusUnsupportedMediaType,
	metav1.StatusReasonInvalid:               http.StatusUnprocessableEntity,
	metav1.StatusReasonTooManyRequests:       http.StatusTooManyRequests,
	metav1.StatusReasonInternalError:         http.StatusInternalServerError,
	metav1.StatusReasonServerTimeout:         http.StatusInternalServerError,
	metav1.StatusReasonServiceUnavailable:    http.StatusServiceUnavailable,
	metav1.StatusReasonTimeout:               http.StatusGatewayTimeout,
}

// outcomes are possible at every seam, beside OK and the codes of the seam.
var outcomes = []string{"Fenced", "Canceled", "DeadlineExceeded", "Error"}

// Codes returns the names of the error codes at a seam, sorted. HTTP statuses are not
// among them.
func Codes(seam journal.Seam) []string {
	var names []string
	switch seam {
	case journal.SeamAPI:
		for reason := range reasons {
			names = append(names, string(reason))
		}
		names = append(names, Reset, TLS, Refused)
	case journal.SeamRPC:
		for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
			names = append(names, code.String())
		}
	case journal.SeamStore:
		names = slices.Concat(s3Codes(), administrative, []string{Reset})
	default: // a start fails with any text
	}
	slices.Sort(names)
	return names
}

// CheckOutcome returns an error if no event at a seam has such an outcome. At the store seam, whose
// codes depend on the store, it rejects only misspelt codes.
func CheckOutcome(seam journal.Seam, outcome string) error {
	known := slices.Concat([]string{journal.OutcomeOK}, outcomes, Codes(seam))
	if seam == journal.SeamAPI {
		known = append(known, "ConnectionError", "Dropped")
		for status := http.StatusBadRequest; status <= http.StatusNetworkAuthenticationRequired; status++ {
			known = append(known, http.StatusText(status))
		}
	}
	if seam == journal.SeamStore {
		known = append(known, s3error.Codes()...)
	}
	meant, near := suggest.Near(outcome, known)
	switch {
	case slices.Contains(known, outcome) || seam == journal.SeamStore && !near:
		return nil
	case near:
		return fmt.Errorf("unknown outcome %q at seam %s: did you mean %q?", outcome, seam, meant)
	default:
		return fmt.Errorf("unknown outcome %q at seam %s: it can be OK, or an error code such as %s", outcome, seam, examples[seam])
	}
}

// examples are codes of each seam.
var examples = map[journal.Seam]string{
	journal.SeamAPI: "Conflict, NotFound, ConnectionError", journal.SeamRPC: "Unavailable, NotFound, DeadlineExceeded",
	journal.SeamProcess: "Error",
}

// KubernetesStatus returns the HTTP status of a code at the api seam, and the reason if the code is
// one. It returns false for a code that is neither a status from 400 to 599 nor a reason.
func KubernetesStatus(code string) (status int, reason metav1.StatusReason, ok bool) {
	if status, ok := reasons[metav1.StatusReason(code)]; ok {
		return status, metav1.StatusReason(code), true
	}
	status, err := strconv.Atoi(code)
	return status, "", err == nil && status >= 400 && status <= 599
}

// RPCCode returns the gRPC code of a name such as Unavailable, or false.
func RPCCode(name string) (codes.Code, bool) {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		if code.String() == name {
			return code, true
		}
	}
	return codes.OK, false
}

// s3 are the S3 error codes of a store with problems, or with changed configuration.
var s3 = map[string]int{
	"AccessDenied":            http.StatusForbidden,
	"AllAccessDisabled":       http.StatusForbidden,
	"BucketAlreadyExists":     http.StatusConflict,
	"BucketAlreadyOwnedByYou": http.StatusConflict,
	"BucketNotEmpty":          http.StatusConflict,
	"EntityTooLarge":          http.StatusBadRequest,
	"ExpiredToken":            http.StatusBadRequest,
	"InternalError":           http.StatusInternalServerError,
	"InvalidAccessKeyId":      http.StatusForbidden,
	"NoSuchBucket":            http.StatusNotFound,
	"NoSuchKey":               http.StatusNotFound,
	"NoSuchUpload":            http.StatusNotFound,
	"NotImplemented":          http.StatusNotImplemented,
	"OperationAborted":        http.StatusConflict,
	"PreconditionFailed":      http.StatusPreconditionFailed,
	"RequestTimeTooSkewed":    http.StatusForbidden,
	"RequestTimeout":          http.StatusBadRequest,
	"ServiceUnavailable":      http.StatusServiceUnavailable,
	"SignatureDoesNotMatch":   http.StatusForbidden,
	"SlowDown":                http.StatusServiceUnavailable,
	"TooManyBuckets":          http.StatusBadRequest,
}

// S3Status returns the HTTP status of an S3 code, or false; see the list of error
// codes in the Amazon S3 API reference.
func S3Status(code string) (int, bool) {
	status, ok := s3[code]
	return status, ok
}

// NearS3Code returns the S3 error code that a misspelt code resembles. It returns false if the code
// exists, or resembles none. A response without a body has the words of its HTTP status.
func NearS3Code(code string) (string, bool) {
	known := slices.Concat(s3Codes(), s3error.Codes())
	for status := http.StatusMultipleChoices; status <= http.StatusNetworkAuthenticationRequired; status++ {
		if text := http.StatusText(status); text != "" {
			known = append(known, strings.ReplaceAll(text, " ", ""))
		}
	}
	if slices.Contains(known, code) {
		return "", false
	}
	return suggest.Near(code, known)
}

func s3Codes() []string { return slices.Sorted(maps.Keys(s3)) }

// administrative are the kinds of errors of the driver's own calls; see package fakedriver/store.
var administrative = []string{"NotExist", "Conflict", "NotEmpty", "Invalid", "Limit", "Closed"}
