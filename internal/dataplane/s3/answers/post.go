package answers

import (
	"encoding/xml"
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
)

// postObject answers PostObject as the form requests.
func (a *Answers) postObject(x *s3exchange.Exchange) error {
	if err := storeObject(x); err != nil {
		return err
	}
	header, etag := x.W.Header(), x.W.Header().Get("Etag")
	if to := x.Success.Redirect; to != nil {
		header.Set("Location", redirection(*to, x.Bucket, x.Key, etag))
		x.W.WriteHeader(http.StatusSeeOther)
		return nil
	}
	location := locationOf(x)
	header.Set("Location", location)
	if x.Success.Status != http.StatusCreated {
		x.W.WriteHeader(x.Success.Status)
		return nil
	}
	return sendXMLAs(x, http.StatusCreated, struct {
		XMLName                     xml.Name `xml:"PostResponse"`
		Location, Bucket, Key, ETag string
	}{Location: location, Bucket: x.Bucket, Key: x.Key, ETag: etag})
}

// redirection adds the stored object to a URL.
func redirection(to url.URL, bucket, key, etag string) string {
	added := url.Values{"bucket": {bucket}, "key": {key}, "etag": {etag}}.Encode()
	if to.RawQuery != "" {
		added = to.RawQuery + "&" + added
	}
	to.RawQuery = added
	return to.String()
}
