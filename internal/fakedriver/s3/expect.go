package s3

import "net/http"

// continueEmpty tells a client that waits for "100 Continue" before it sends an
// empty body to go on. net/http tells it when the body is first read, and does not
// take an empty one for a body. The client could do without, but botocore (in
// boto3 and the AWS CLI) keeps the status of an answer that came without it for
// the next request of that kind on the connection, too, and then waits for the
// body of an answer whose head it does not understand until the connection ends.
func continueEmpty(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 && r.Header.Get("Expect") != "" {
		w.WriteHeader(http.StatusContinue) // net/http answers other expectations itself
	}
}
