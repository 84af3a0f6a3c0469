package authentication_test

import (
	"encoding/xml"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/test/s3test"
)

type regionAnswer struct {
	Status       int
	Code, Region string
	Header       string
}

//nolint:lll // one case a line
func TestRegions(t *testing.T) {
	const home, west, east = "eu-central-1", "us-west-2", "us-east-1"
	s := s3test.Serve(t, s3test.Options{Region: home})
	s.Bucket(t, "photos")
	s.Bucket(t, "western", s3test.InRegion(west))
	s.Bucket(t, "eastern", s3test.InRegion(east))
	app := s.Account(t, "app", s3test.ReadWrite("photos"), s3test.ReadWrite("western"))
	tests := map[string]struct {
		reason       string
		method, path string
		region       string
		want         regionAnswer
	}{
		"Home":        {"The store's region.", "GET", "/photos", home, regionAnswer{Status: 200}},
		"West":        {"The bucket's region.", "GET", "/western", west, regionAnswer{Status: 200}},
		"WestAtHome":  {"The region is wrong, and which is right is said.", "GET", "/western", home, regionAnswer{400, "AuthorizationHeaderMalformed", west, west}},
		"HomeInWest":  {"The region is wrong, and which is right is said.", "GET", "/photos/k", west, regionAnswer{400, "AuthorizationHeaderMalformed", home, home}},
		"Head":        {"An answer without body says it in a header.", "HEAD", "/western", home, regionAnswer{Status: 400, Header: west}},
		"Foreign":     {"Where a bucket is that is not within reach is not said.", "GET", "/eastern", home, regionAnswer{Status: 403, Code: "AccessDenied"}},
		"Missing":     {"Nor that there is none.", "GET", "/nothing", west, regionAnswer{Status: 403, Code: "AccessDenied"}},
		"List":        {"ListBuckets is of the store.", "GET", "/", home, regionAnswer{Status: 200}},
		"ListWest":    {"And of every bucket within reach.", "GET", "/", west, regionAnswer{Status: 200}},
		"ListForeign": {"But not of others.", "GET", "/", east, regionAnswer{Status: 400, Code: "AuthorizationHeaderMalformed", Region: home}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := s3test.Signed{Method: tc.method, Path: tc.path, Credentials: app, Region: tc.region, Service: "s3", At: time.Now()}
			response, err := http.DefaultClient.Do(in.Request(t, s))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			got := regionAnswer{Status: response.StatusCode, Header: response.Header.Get("X-Amz-Bucket-Region")}
			var document struct {
				XMLName xml.Name
				Code    string `xml:"Code"`
				Region  string `xml:"Region"`
			}
			if err := xml.NewDecoder(response.Body).Decode(&document); err == nil && document.XMLName.Local == "Error" { //nolint:musttag // any name
				got.Code, got.Region = document.Code, document.Region
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRegionPresigned is the same in a URL, whose error has another code.
func TestRegionPresigned(t *testing.T) {
	s := s3test.Serve(t, s3test.Options{})
	s.Bucket(t, "western", s3test.InRegion("us-west-2"))
	c := s.Client(t, s.Account(t, "app", s3test.ReadWrite("western")))
	for region, want := range map[string]string{"us-west-2": "NoSuchKey", s.Region(): "AuthorizationQueryParametersError"} {
		presigned, err := s3.NewPresignClient(c).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: new("western"), Key: new("k")},
			s3.WithPresignClientFromClientOptions(func(o *s3.Options) { o.Region = region }))
		if err != nil {
			t.Fatal(err)
		}
		if _, body := s3test.Send(t, http.MethodGet, presigned.URL, nil, ""); s3test.Code(t, body) != want {
			t.Errorf("signed for %s: %s, want %s", region, body, want)
		}
	}
}
