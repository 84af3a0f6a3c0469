package checks

// The places of sentences. "spec" is that of v1alpha1, which the KEP does not replace, and the
// comments of the protocol's definition.
const (
	sourceInfo     = "KEP-1979, DriverGetInfo"
	sourceGenerate = "KEP-1979, DriverGenerateBucketId"
	sourceCreate   = "KEP-1979, DriverCreateBucket; v1alpha1: service Provisioner"
	sourceGet      = "KEP-1979, DriverGetBucket"
	sourceDelete   = "KEP-1979, DriverDeleteBucket; v1alpha1: service Provisioner"
	sourceAccount  = "KEP-1979, DriverGenerateBucketAccessId"
	sourceGrant    = "KEP-1979, DriverGrantBucketAccess; v1alpha1: service Provisioner"
	sourceRevoke   = "KEP-1979, DriverRevokeBucketAccess; v1alpha1: service Provisioner"
	sourceErrors   = "spec, Error Scheme"
	sourceFields   = "spec, Field Requirements"
	sourceTimeouts = "spec, Timeouts"
	sourcePending  = "spec, Concurrency"
	sourceSizes    = "spec, Size Limits"
	sourceWorkflow = "KEP-1979, workflows"
	sourceAzure    = "KEP-1979, BucketAccess Secret data, Azure"
	sourceGCS      = "KEP-1979, BucketAccess Secret data, GCS"
	sourceMode     = "spec, AccessMode"
	sourceCodes    = "gRPC, Status Codes"
	sourcePolicy   = "KEP-1979, Deleting a Bucket; what happens to objects is for the driver to decide, and to state"
	sourceEndpoint = "spec, Plugin endpoint"
	sourceSidecar  = "spec, Supervised lifecycle"
	sourceLogs     = "spec, Logging"
	sourcePods     = "Kubernetes, Termination of Pods"
)

// Sentences that several checks rest on.
const (
	sayRequired    = "A field noted as REQUIRED MUST be specified."
	sayInvalid     = "INVALID_ARGUMENT: one or more fields are either not allowed by the Plugin or have an invalid value."
	sayIdempotent  = "This API must be idempotent."
	sayID          = "The ID has at most 2048 characters of a-z, A-Z, 0-9, '-', '.', '_' and '/'."
	sayUnique      = "The returned ID must be unique."
	sayIncompat    = "ALREADY_EXISTS (not retryable) when the bucket already exists but is incompatible with the request."
	sayRetry       = "Any of the RPCs MAY timeout and MAY be retried. A retried call with the same fields continues where it left off."
	sayDeleted     = "OK when the bucket already does not exist."
	sayRevoked     = "OK when the bucket access already does not exist."
	sayAuth        = "INVALID_ARGUMENT (not retryable) if AuthenticationType is not supported."
	sayUnknown     = "UNKNOWN is not valid: a driver treats it as an error."
	sayPending     = "The Plugin SHOULD handle [simultaneous calls for one bucket] as gracefully as possible, and MAY return ABORTED."
	sayAccess      = "This call creates a set of access credentials for one or more buckets."
	sayRevokes     = "This call revokes access granted to a particular account."
	sayDestructive = sayRequired
	sayUniqueKeys  = "This gRPC call requests to generate unique access credentials for the Bucket(s)."
	sayNotFound    = "NOT_FOUND: Some requested entity (e.g., file or directory) was not found."
	sayNotEmpty    = "FAILED_PRECONDITION: The operation was rejected because the system is not in a state required for the " +
		"operation's execution. For example, the directory to be deleted is non-empty."
	sayIncompatAccess = "ALREADY_EXISTS (not retryable): same identity, other parameters."
	sayGetIncompat    = "If the backend bucket isn't compatible with the input parameters, error InvalidArgument must be returned."
	saySubdomain      = "Names that COSI sends are DNS subdomains of at most 253 characters."
	sayGlobal         = "bucket_id is expected to be the globally unique identifier for the bucket in the object storage provider."
	sayOneEach        = "The CO is responsible for no more than one call in-flight per bucket."
	sayOpaque         = "The receiver is responsible for parsing and validating the values."
	sayDeletes        = "This gRPC call deletes a bucket in the OSP."
)
