package v1alpha1

import "testing"

func TestIsDriver(t *testing.T) {
	for written, want := range map[string]bool{"driver.test": true, "Driver.TEST": true, "driver.tes": false, "": false} {
		if got := IsDriver(written, "driver.test"); got != want {
			t.Errorf("IsDriver(%q) = %t, want %t", written, got, want)
		}
	}
}

func TestCanonical(t *testing.T) {
	cases := map[Protocol]Protocol{
		"S3": ProtocolS3, "s3": ProtocolS3,
		"Azure": ProtocolAzure, "azure": ProtocolAzure, "AZURE": ProtocolAzure,
		"GCP": ProtocolGCP, "gcp": ProtocolGCP, "GCS": ProtocolGCP, "gcs": ProtocolGCP,
		"": "", "swift": "", "S3.": "",
	}
	for written, want := range cases {
		if got, known := written.Canonical(); got != want || known != (want != "") {
			t.Errorf("%q means %q, known %t; want %q", written, got, known, want)
		}
	}
}

func TestEqual(t *testing.T) {
	cases := map[[2]Protocol]bool{
		{"S3", "s3"}: true, {"GCS", "gcp"}: true, {"swift", "swift"}: true,
		{"S3", "Azure"}: false, {"swift", "Swift"}: false, {"", "swift"}: false,
	}
	for pair, want := range cases {
		if got := pair[0].Equal(pair[1]); got != want {
			t.Errorf("%q equals %q: %t, want %t", pair[0], pair[1], got, want)
		}
	}
}

func TestIsKnown(t *testing.T) {
	for authentication, want := range map[AuthenticationType]bool{"Key": true, "IAM": true, "KEY": false, "iam": false, "": false} {
		if got := authentication.IsKnown(); got != want {
			t.Errorf("authentication type %q is known: %t, want %t", authentication, got, want)
		}
	}
	for policy, want := range map[DeletionPolicy]bool{"Retain": true, "Delete": true, "delete": false, "": false} {
		if got := policy.IsKnown(); got != want {
			t.Errorf("deletion policy %q is known: %t, want %t", policy, got, want)
		}
	}
}
