package s3error

import (
	"encoding/xml"
	"net/http"
	"strconv"
)

type document struct {
	XMLName   xml.Name `xml:"Error"`
	Code      string   `xml:"Code"`
	Message   string   `xml:"Message"`
	Region    string   `xml:"Region,omitempty"`
	Details   []element
	Resource  string `xml:"Resource"`
	RequestID string `xml:"RequestId"`
	HostID    string `xml:"HostId,omitempty"`
}

type element struct {
	XMLName xml.Name
	Value   string `xml:",chardata"`
}

func elements(details []Detail) []element {
	all := make([]element, 0, len(details))
	for _, detail := range details {
		all = append(all, element{xml.Name{Local: detail.Name}, detail.Value})
	}
	return all
}

// Write responds to a request with an error. Responses to HEAD, and those with status 304, have no
// body, as HTTP requires.
func Write(w http.ResponseWriter, r *http.Request, requestID string, e *Error) {
	w.Header().Del("Content-Length")
	if r.Method == http.MethodHead || e.Status == http.StatusNotModified {
		w.WriteHeader(e.Status)
		return
	}
	body, err := xml.Marshal(document{ //nolint:musttag // details have names of their own
		Code: e.Code, Message: e.Message, Region: e.Region, Details: elements(e.Details), Resource: r.URL.Path,
		RequestID: requestID, HostID: w.Header().Get("X-Amz-Id-2"),
	})
	if err != nil {
		body = nil // impossible with strings only
	}
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(xml.Header)+len(body)))
	w.WriteHeader(e.Status)
	_, _ = w.Write(append([]byte(xml.Header), body...)) // the client may have disconnected
}
