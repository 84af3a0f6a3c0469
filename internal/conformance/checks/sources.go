package checks

import (
	"net/url"
	"strings"
)

// Source is a section of a document that requires properties of drivers.
type Source struct {
	// Name is the name of the section for readers.
	Name string
	// Page is its address, with an anchor.
	Page string
	// Comment means that the sentences are comments in code, whose lines no link can join.
	Comment bool
}

// Rule is a sentence of a specification.
type Rule struct {
	// Sentence is a literal quotation of the specification; an ellipsis stands for omitted text.
	Sentence string
	Source   Source
}

func (s Source) says(sentence string) Rule { return Rule{Sentence: sentence, Source: s} }

// omission separates the parts of a sentence with omissions.
const omission = "…"

// Link returns the address of the section, with a text fragment that leads a browser to each part
// of the sentence.
func (r Rule) Link() string {
	link := r.Source.Page
	if r.Source.Comment {
		return link
	}
	if !strings.Contains(link, "#") {
		link += "#"
	}
	separator := ":~:"
	for part := range strings.SplitSeq(r.Sentence, omission) {
		// In a text fragment, a comma and a hyphen have meanings of their own.
		text := strings.NewReplacer("+", "%20", "-", "%2D").Replace(url.QueryEscape(strings.TrimSpace(part)))
		link += separator + "text=" + text
		separator = "&"
	}
	return link
}

const (
	kepPage = "https://github.com/kubernetes/enhancements/blob/master/keps/sig-storage/1979-object-storage-support/README.md"
	// specPage is the specification of v1alpha2, whose sections about errors, fields, time limits
	// and operation equal the ones of v1alpha1.
	specPage = "https://github.com/kubernetes-sigs/container-object-storage-interface/blob/main/proto/spec.md"
	// olderPage is the specification of v1alpha1.
	olderPage = "https://github.com/kubernetes-sigs/container-object-storage-interface-spec/blob/v0.1.0/spec.md"
)

var (
	sourceInfo      = Source{Name: "KEP-1979, DriverGetInfo", Page: kepPage + "#drivergetinfo"}
	sourceGenerate  = Source{Name: "KEP-1979, DriverGenerateBucketId", Page: kepPage + "#drivergeneratebucketid"}
	sourceCreate    = Source{Name: "KEP-1979, DriverCreateBucket", Page: kepPage + "#drivercreatebucket"}
	sourceGet       = Source{Name: "KEP-1979, DriverGetBucket", Page: kepPage + "#drivergetbucket"}
	sourceDelete    = Source{Name: "KEP-1979, DriverDeleteBucket", Page: kepPage + "#driverdeletebucket"}
	sourceAccount   = Source{Name: "KEP-1979, DriverGenerateBucketAccessId", Page: kepPage + "#drivergeneratebucketaccessid"}
	sourceGrant     = Source{Name: "KEP-1979, DriverGrantBucketAccess", Page: kepPage + "#drivergrantbucketaccess"}
	sourceRevoke    = Source{Name: "KEP-1979, DriverRevokeBucketAccess", Page: kepPage + "#driverrevokebucketaccess"}
	sourceGranting  = Source{Name: "KEP-1979, Generating Bucket Access Credentials", Page: kepPage + "#generating-bucket-access-credentials"}
	sourcePolicy    = Source{Name: "KEP-1979, Deleting a Bucket", Page: kepPage + "#deleting-a-bucket"}
	sourceMode      = Source{Name: "KEP-1979, BucketAccess", Page: kepPage + "#bucketaccess", Comment: true}
	sourceHealth    = Source{Name: "gRPC, Health Checking Protocol", Page: "https://github.com/grpc/grpc/blob/master/doc/health-checking.md"}
	sourceErrors    = Source{Name: "COSI specification, Error Scheme", Page: specPage + "#error-scheme"}
	sourceFields    = Source{Name: "COSI specification, Field Requirements", Page: specPage + "#field-requirements"}
	sourceSizes     = Source{Name: "COSI specification, Size Limits", Page: specPage + "#size-limits"}
	sourceTimeouts  = Source{Name: "COSI specification, Timeouts", Page: specPage + "#timeouts"}
	sourcePending   = Source{Name: "COSI specification, Concurrency", Page: specPage + "#concurrency"}
	sourceEndpoint  = Source{Name: "COSI specification, Connectivity", Page: specPage + "#connectivity"}
	sourceBootstrap = Source{Name: "COSI specification, Plugin Bootstrap Example", Page: specPage + "#plugin-bootstrap-example"}
	sourceService   = Source{Name: "COSI specification, Operational Recommendations", Page: specPage + "#operational-recommendations"}
	sourceLogs      = Source{Name: "COSI specification, Logging", Page: specPage + "#logging"}
	sourceMessages  = Source{Name: "COSI specification, RPC Interface", Page: specPage + "#rpc-interface", Comment: true}
	sourceOlder     = Source{Name: "COSI specification of v1alpha1, RPC Interface", Page: olderPage + "#rpc-interface", Comment: true}
	sourceCodes     = Source{Name: "gRPC, Status Codes", Page: "https://grpc.io/docs/guides/status-codes/"}
	sourcePods      = Source{
		Name: "Kubernetes, Termination of Pods",
		Page: "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination",
	}
)

// Sentences for several checks, as in the specifications.
const (
	sayRequired = "A field noted as REQUIRED MUST be specified, subject to any per-RPC caveats; caveats SHOULD be rare."
	sayInvalid  = "Invalid or unsupported field in the request … 3 INVALID_ARGUMENT … " +
		"either not allowed by the Plugin or has an invalid value."
	sayMatching   = "MUST return OK if a backend bucket with matching identity and parameters already exists."
	sayIdempotent = "This API must be idempotent."
	sayID         = "this must be at most 2048 characters long, consisting of alphanumeric characters"
	sayUnique     = "The returned ID must be unique"
	sayIncompat   = "AlreadyExists (not retryable) when the bucket already exists but is incompatible with the request"
	sayRetry      = "Any of the RPCs defined in this spec MAY timeout and MAY be retried. … " +
		"a retried call with the same fields continues where it left off when retried."
	sayDeleted  = "OK when OSP bucket already does not exist"
	sayRevoked  = "OK when OSP bucket access already does not exist"
	sayAuth     = "InvalidArgument (not retryable) if AuthenticationType is not supported"
	sayMode     = "REQUIRED. The read/write access mode that the Provisioner SHOULD provision for the bucket"
	sayPending  = "The Plugin, SHOULD handle this as gracefully as possible, and MAY return this error code to reject secondary calls."
	sayAccess   = "This gRPC call creates a set of access credentials for one or more buckets."
	sayRevokes  = "This gRPC call revokes access granted to a particular account."
	sayOwnKeys  = "Sidecar calls the COSI driver via gRPC to generate unique access credentials for the Bucket(s), by prior account ID"
	sayNotFound = "Some requested entity (e.g., file or directory) was not found."
	sayNotEmpty = "The operation was rejected because the system is not in a state required for the operation's execution. " +
		"For example, the directory to be deleted is non-empty"
	sayGetIncompat = "If the backend bucket isn't compatible with the input parameters, error InvalidArgument must be returned."
	saySubdomain   = "COSI WILL use DNS subdomain format"
	sayGlobal      = "bucket_id returned here is expected to be the globally unique identifier for the bucket in the object storage provider"
	sayOneEach     = "there is no more than one call “in-flight” per Bucket at a given time."
	sayOpaque      = "The receiver is responsible for parsing and validating the values."
	sayDeletes     = "This gRPC call deletes a bucket in the OSP."
	sayCreates     = "This gRPC call creates a bucket in the OSP, and returns information about the new bucket."
	sayOneProtocol = "at least one protocol must be returned, or provisioning will be considered failed"
	sayOneBucket   = "multiple DriverCreateBucket calls for the same bucket_id do not result in more than one OSP backend bucket " +
		"being provisioned"
	sayOneAccess = "multiple DriverGrantBucketAccess calls for the same account_name do not result in more than one OSP backend " +
		"bucket access"
	sayGets = "This gRPC call is used to get details about a statically-provisioned bucket that should already exist in the OSP " +
		"backend."
	sayGetNotFound  = "NotFound (retryable) when the bucket does not exist in the backend"
	saySameResponse = "same response defined in DriverCreateBucket"
	sayShort        = "Unless otherwise specified, fields SHALL NOT exceed the limits documented here. … 128 bytes"
	sayAccount      = "This is the account_id that is being provided access."
	sayLaterAccount = "This is the account_id that is being provided access. This will be required later to revoke access."
	sayName         = "The name is used to identify which resources the driver should manage."
	sayRange        = "OutOfRange (not retryable) if (and only if) the driver does not support creating a single shared access credential " +
		"for multiple buckets"
	sayStated    = "If OSP returns provision fail, Sidecar reports error to Bucket status and retries gRPC call"
	sayPurged    = "Delete: Bucket and underlying OSP bucket are deleted as part of BucketClaim deletion process"
	saySensitive = "Indicates that a field MAY contain information that is sensitive and MUST be treated as such (e.g. not logged)."
)
