package dialects

import (
	"fmt"
	"slices"
)

// Range is the dialects from First to Last. An empty end is open.
type Range struct{ First, Last Dialect }

// Dialects returns the dialects of the range, the oldest first.
func (r Range) Dialects() []Dialect {
	all := All()
	if r.Last != "" {
		all = all[:slices.Index(all, r.Last)+1]
	}
	return all[max(0, slices.Index(all, r.First)):]
}

// Has reports whether a dialect is in the range.
func (r Range) Has(d Dialect) bool { return slices.Contains(r.Dialects(), d) }

// String implements fmt.Stringer.
func (r Range) String() string {
	switch all := r.Dialects(); {
	case len(all) == len(All()):
		return "all"
	case len(all) == 1 && all[0] == V1alpha1:
		return V1alpha1.Version()
	case len(all) == 1:
		return "dialect " + string(all[0])
	case r.First == NoModes && all[len(all)-1] == KEP:
		return KEP.Version()
	default:
		return fmt.Sprintf("dialects %s to %s", all[0], all[len(all)-1])
	}
}

// Difference is a call or field in which a dialect differs from the KEP. Numbers in parentheses are
// field numbers on the wire.
type Difference struct {
	Subject string `json:"subject"`
	// Dialect and KEP are its forms in the dialect and in the KEP.
	Dialect string `json:"dialect"`
	KEP     string `json:"kep"`
}

// Differences returns the differences of the dialect from the KEP, in the order of a bucket's life.
func (d Dialect) Differences() []Difference {
	var all []Difference
	for _, row := range differences() {
		if row.dialects.Has(d) {
			all = append(all, row.Difference)
		}
	}
	return all
}

// difference applies to several dialects.
type difference struct {
	dialects Range
	Difference
}

func differences() []difference {
	old, oneCall := Range{Last: V1alpha1}, Range{NoModes, OneModeGet}
	const threeModes = "modes for object data (2), object metadata (3) and bucket metadata (4)"
	return []difference{
		{old, Difference{"package", "cosi.v1alpha1", "sigs.k8s.io.cosi.v1alpha2"}},
		{old, Difference{"DriverGetInfoResponse", "name (1)", "name (1), supported_protocols (2)"}},
		{Range{Last: OneModeGet}, Difference{
			"DriverGenerateBucketId", "none: DriverCreateBucket returns the ID", "returns the ID before the bucket exists",
		}},
		{old, Difference{"DriverCreateBucketRequest", "name (1), parameters (2)", "bucket_id (1), protocols (2), parameters (4)"}},
		{oneCall, Difference{"DriverCreateBucketRequest", "name (1)", "bucket_id (1)"}},
		{old, Difference{"DriverCreateBucketResponse", "bucket_id (1), bucket_info (2)", "protocols (1)"}},
		{oneCall, Difference{"DriverCreateBucketResponse", "bucket_id (1), protocols (2)", "protocols (1)"}},
		{Range{BucketIDs, BucketIDs}, Difference{"DriverCreateBucketResponse", "protocols (2)", "protocols (1)"}},
		{old, Difference{"DriverGetBucket", "none", "finds a bucket that COSI did not create"}},
		{Range{NoModes, OneMode}, Difference{"DriverGetBucket", "its name is DriverGetExistingBucket", "its name is DriverGetBucket"}},
		{oneCall, Difference{"DriverGetBucketResponse", "bucket_id (1), protocols (2)", "protocols (2)"}},
		{Range{Last: BucketIDs}, Difference{
			"DriverGenerateBucketAccessId", "none: DriverGrantBucketAccess returns the ID", "returns the ID before access is granted",
		}},
		{old, Difference{"DriverGrantBucketAccessRequest", "one bucket_id (1), name (2)", "account_id (1), protocol (2), buckets (6)"}},
		{Range{NoModes, BucketIDs}, Difference{"DriverGrantBucketAccessRequest", "account_name (1)", "account_id (1)"}},
		{old, Difference{"DriverGrantBucketAccessResponse", "account_id (1), credentials (2)", "buckets (2), credentials (3)"}},
		{Range{NoModes, BucketIDs}, Difference{
			"DriverGrantBucketAccessResponse", "account_id (1), buckets (2), credentials (3)", "buckets (2), credentials (3)",
		}},
		{old, Difference{"AccessedBucket", "no mode: access is read-write", threeModes}},
		{Range{NoModes, NoModes}, Difference{"AccessedBucket", "access_mode (2) without a field: access is read-write", threeModes}},
		{Range{OneMode, OneModeGet}, Difference{"AccessedBucket", "one access_mode (2)", threeModes}},
		{Range{OneMode, OneModeGet}, Difference{
			"AccessMode", "READ_WRITE 1, READ_ONLY 2, WRITE_ONLY 3", "ANY 1, READ_WRITE 2, READ_ONLY 3, WRITE_ONLY 4",
		}},
		{old, Difference{"IDs", "at most 128 bytes", "at most 2048 letters, digits, '-', '.', '_' and '/'"}},
		{Range{NoModes, OneMode}, Difference{
			"IDs", "at most 2048 letters, digits, '-' and '.'", "at most 2048 letters, digits, '-', '.', '_' and '/'",
		}},
	}
}
