package fault

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

// checkCode finds codes that the seam does not have.
func (f Fault) checkCode() string {
	code := f.Effect.Fail + f.Effect.LoseReply
	if code == "" {
		return ""
	}
	switch f.Match.Seam {
	case journal.SeamAPI:
		return checkAPICode(code)
	case journal.SeamRPC:
		if _, ok := RPCCode(code); !ok {
			return didYouMean(code, f.Match.Seam, fmt.Sprintf(
				"%q is no error code of gRPC; such are Unavailable, Internal, DeadlineExceeded, NotFound", code))
		}
	case journal.SeamStore:
		return f.checkStoreCode(code)
	default: // a start fails with any text
	}
	return ""
}

func checkAPICode(code string) string {
	if _, _, ok := KubernetesStatus(code); ok || slices.Contains([]string{Reset, TLS, Refused}, code) {
		return ""
	}
	return didYouMean(code, journal.SeamAPI, fmt.Sprintf(
		"%q is none of an HTTP status from 400 to 599, a reason of the API server such as Conflict, "+
			"TooManyRequests or InternalError, and %s, %s, %s", code, Reset, TLS, Refused))
}

// didYouMean returns a question with the code that was probably meant, or otherwise the problem.
func didYouMean(code string, seam journal.Seam, problem string) string {
	if meant, ok := suggest.Near(code, Codes(seam)); ok {
		return fmt.Sprintf("unknown code %q at seam %s: did you mean %q?", code, seam, meant)
	}
	return problem
}

func (f Fault) checkStoreCode(code string) string {
	own := slices.Contains(administrative, code)
	if own && !strings.HasPrefix(f.Match.Operation, "Admin") {
		return fmt.Sprintf("%s is an error of the driver's own calls: operation %q should be one of those, such as AdminCreateBucket",
			code, f.Match.Operation)
	}
	if _, ok := S3Status(code); ok || own || code == Reset {
		return ""
	}
	return didYouMean(code, f.Match.Seam, fmt.Sprintf(
		"%q is no code of S3 that is known here, which are %s, and %s; the driver's own calls have %s",
		code, strings.Join(s3Codes(), ", "), Reset, strings.Join(administrative, ", ")))
}

// checkReads finds effects on reads that are set for other operations.
func (f Fault) checkReads() string {
	verb, _, named := strings.Cut(f.Match.Operation, " ")
	isRead := func(read string) bool { return glob.Match(verb+" ", read) }
	if f.Effect.Stale == 0 || !named || slices.ContainsFunc(stales, isRead) {
		return ""
	}
	return fmt.Sprintf("the effect stale is one on reads, which are get and list, and operation %q is none", f.Match.Operation)
}

// checkSides finds effects on the body of a response, or of a request, for operations without such
// a body.
func (f Fault) checkSides() string {
	e, of := f.Effect, f.Match.Operation
	uploads := e.CutUpload != 0 || e.FlipUpload != 0
	switch {
	case (uploads || e.Cut != 0 || e.Flip != 0) && strings.HasPrefix(of, "Admin"):
		return "cut, flip, cutUpload and flipUpload are about the bodies of S3's requests and answers, and the driver's own calls have none"
	case uploads && slices.ContainsFunc(reading, func(prefix string) bool { return strings.HasPrefix(of, prefix) }):
		return fmt.Sprintf("cutUpload and flipUpload are about the bodies of requests, and requests of %s have none; "+
			"cut and flip are for answers", of)
	default:
		return ""
	}
}

// reading are the prefixes of S3 operations whose requests have no body.
var reading = []string{"Get", "Head", "List"}
