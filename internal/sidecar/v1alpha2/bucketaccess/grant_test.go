package bucketaccess

import (
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"
	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/phasetest"
)

// isFilled are the changes of a Secret that gets the credentials of the account "acc".
func isFilled(name string) []string { return isFilledFor(name, "acc") }

func isFilledFor(name, account string) []string {
	prefix := "Secret " + name + ": data."
	return []string{
		prefix + "AWS_ACCESS_KEY_ID=key-of-" + account,
		prefix + "AWS_DEFAULT_REGION=" + drivertest.S3Region,
		prefix + "AWS_ENDPOINT_URL=" + drivertest.S3Endpoint,
		prefix + "AWS_S3_ADDRESSING_STYLE=path",
		prefix + "AWS_SECRET_ACCESS_KEY=" + drivertest.SecretKey(account),
		prefix + "BUCKET_NAME=id-" + name,
		prefix + "COSI_PROTOCOL=S3",
	}
}

const isReady = "BucketAccess app: status.readyToUse=true"

// isGranted is the outcome of a first Grant.
func isGranted(changes []string, writes ...string) phasetest.Outcome {
	return phasetest.Outcome{
		Writes:     append(writes, statusPatch),
		Changes:    append([]string{isReady}, changes...),
		Conditions: []string{"Provisioned=True Provisioned", "ResourcesValidated=True Validated", "ProvisionFailed=False DriverSucceeded"},
		Events:     []string{"Normal Provisioned of BucketAccess app"},
	}
}

// hasReserved makes an access with an account, its Bucket, and its empty Secret.
func (s *scene) hasReserved(edits ...func(*v1alpha2.BucketAccess)) {
	s.Helper()
	s.hasBucket("photos", alsoAzure)
	s.hasAccess(append([]func(*v1alpha2.BucketAccess){identified}, edits...)...)
	s.hasSecret()
}

func (s *scene) hasGranted(edits ...func(*corev1.Secret)) {
	s.Helper()
	s.hasBucket("photos", alsoAzure)
	s.hasAccess(granted)
	s.hasSecret(append([]func(*corev1.Secret){s.filled}, edits...)...)
}

func TestGrant(t *testing.T) {
	t.Parallel()
	first := isGranted(isFilled("photos"), grants, updates)
	isGrantedAgain := isGranted(isFilledForAzure("2999-01-01T00:00:00Z"), grants, updates)
	isGrantedAgain.Requeue = true
	runTable(t, []phaseCase{
		{
			Name: "account", Reason: "the driver grants access, and its answer goes into the Secret before the access is ready",
			Given: func(s *scene) { s.hasReserved() }, Want: first,
		},
		{
			Name: "two claims", Reason: "one Grant is for both, and each Secret has its bucket",
			Given: func(s *scene) {
				s.hasBucket("photos")
				s.hasBucket("videos")
				s.hasAccess(identified, s.alsoTo("videos"))
				s.hasSecret(func(secret *corev1.Secret) {
					secret.Name = "videos"
					secret.Annotations[v1alpha2.BucketClaimReferenceAnnotation] = s.Namespace + "/videos"
				})
				s.hasSecret()
			},
			Want: isGranted(append(isFilled("photos"), isFilled("videos")...),
				"call DriverGrantBucketAccess acc (id-photos, id-videos)", updates, "update secrets videos (uid, resourceVersion)"),
		},
		{
			Name: "granted, Secret as granted", Reason: "the driver's answer is written only on change",
			Given: func(s *scene) { s.hasGranted() }, Want: phasetest.Outcome{Writes: []string{grants}},
		},
		{
			Name: "granted, Secret edited", Reason: "a key that the driver does not return is removed",
			Given: func(s *scene) {
				s.hasGranted(func(secret *corev1.Secret) {
					secret.Data["extra"] = []byte("x")
					delete(secret.Data, v1alpha2.SecretKeyS3AccessKeyID)
				})
			},
			Want: phasetest.Outcome{
				Writes:  []string{grants, updates},
				Changes: []string{"Secret photos: data.AWS_ACCESS_KEY_ID=key-of-acc", "Secret photos: data.extra is removed"},
			},
		},
		{
			Name: "granted, orphaned Secret", Reason: "the garbage collector deletes it with the access again",
			Given: func(s *scene) { s.hasGranted(orphaned) },
			Want:  phasetest.Outcome{Writes: []string{grants, updates}, Changes: isReserved("photos")[4:5]},
		},
		{
			Name: "certificate authority", Reason: "applications need it to verify the endpoint",
			Given: func(s *scene) { s.hasGranted(); s.options.CertificateAuthority = "PEM" },
			Want: phasetest.Outcome{
				Writes:  []string{grants, updates},
				Changes: []string{"Secret photos: data." + v1alpha2.SecretKeyCertificateAuthority + "=PEM"},
			},
		},
		{
			Name: "keys of an earlier draft too", Reason: "applications of today read them",
			Given: func(s *scene) {
				s.hasGranted()
				s.options.SecretKeys = []v1alpha2.SecretKeySet{v1alpha2.SecretKeysKEP, v1alpha2.SecretKeysCOSI}
			},
			Want: phasetest.Outcome{
				Writes: []string{grants, updates},
				Changes: []string{
					"Secret photos: data.COSI_S3_ACCESS_KEY_ID=key-of-acc",
					"Secret photos: data.COSI_S3_ACCESS_SECRET_KEY=secret-of-acc",
					"Secret photos: data.COSI_S3_ADDRESSING_STYLE=path",
					"Secret photos: data.COSI_S3_BUCKET_ID=id-photos",
					"Secret photos: data.COSI_S3_ENDPOINT=http://127.0.0.1:9000",
					"Secret photos: data.COSI_S3_REGION=test-1",
				},
			},
		},
		{
			Name: "ServiceAccount, without credentials", Reason: "KEP: the application has an identity of its own",
			Given: func(s *scene) {
				s.hasReserved(func(access *v1alpha2.BucketAccess) {
					access.Spec.ServiceAccountName, access.Status.AuthenticationType = "app", v1alpha2.AuthenticationTypeServiceAccount
				})
				s.answersGrant(nil)
			},
			Want: isGranted(append(isFilled("photos")[1:4:4], isFilled("photos")[5:]...), grants, updates),
		},
		{
			Name: "token that expires", Reason: "the access is granted again before that",
			Given: func(s *scene) {
				s.hasReserved(forAzureAccess)
				s.answersGrant(azureToken("2999-01-01T00:00:00Z"), asAzure)
			},
			Want: isGrantedAgain,
		},
		{
			Name: "token that has expired", Reason: "the driver has no better one",
			Given: func(s *scene) {
				s.hasReserved(forAzureAccess)
				s.answersGrant(azureToken("1999-01-01T00:00:00Z"), asAzure)
			},
			Want: isGranted(isFilledForAzure("1999-01-01T00:00:00Z"), grants, updates),
		},
		{
			Name: "Secret changed meanwhile", Reason: "a Secret that was changed after it was read is not overwritten",
			Given: func(s *scene) {
				s.hasReserved()
				s.Before("update secrets", func() { s.Label(s.secret) })
			},
			Want: phasetest.Retried("Conflict", grants, updates+": Conflict"),
		},
		{
			Name: "Secret deleted meanwhile", Reason: "the next reconcile creates it again",
			Given: func(s *scene) {
				s.hasReserved()
				s.Before("update secrets", func() { s.ForceRemove(s.secret) })
			},
			Want: phasetest.Retried("NotFound", grants, updates+": Not Found"),
		},
		{
			Name: "Secret that the API server rejects", Reason: "the access is not ready; the user is told",
			Given: func(s *scene) { s.hasReserved(); s.Reject("update secrets", http.StatusForbidden) },
			Want:  unwritable(grants, updates+": Forbidden"),
		},
		{
			Name: "deletion that the cache does not have", Reason: "an account that is created now would leak",
			Given: func(s *scene) { s.hasReserved(); s.Behind(func() { s.Remove(s.access) }) },
			Want:  phasetest.Retried("Conflict"),
		},
		{
			Name: "granted, deletion that the cache does not have", Reason: "another replica may have revoked the account",
			Given: func(s *scene) {
				s.hasGranted(func(secret *corev1.Secret) { secret.Data = nil })
				s.Behind(func() { s.Remove(s.access) })
			},
			Want: phasetest.Retried("Conflict"),
		},
		{
			Name: "deletion of the Bucket that the cache does not have", Reason: "the bucket must not get new users",
			Given: func(s *scene) { s.hasReserved(); s.Behind(func() { s.Remove(s.bucket) }) },
			Want:  invalid(v1alpha2.ReasonBucketDeleting),
		},
		{
			Name: "access changed meanwhile", Reason: "the conditions are a list; the idempotent call is repeated",
			Given: func(s *scene) { s.hasReserved(); s.Before("update secrets", func() { s.Label(s.access) }) },
			Want: phasetest.Outcome{
				Writes: []string{grants, updates, statusPatch + ": Conflict"}, Changes: isFilled("photos"), Requeue: true,
			},
		},
		{
			Name: "call in flight for the bucket", Reason: "a driver need not handle two at once; nothing is written while it waits",
			Given: func(s *scene) { s.hasReserved(); s.busy = []string{s.Name("id-photos")} },
			Want:  phasetest.Outcome{Err: "postponed"},
		},
		{
			Name: "call in flight for another bucket", Reason: "the two are independent",
			Given: func(s *scene) { s.hasReserved(); s.busy = []string{s.Name("id-videos")} }, Want: first,
		},
	}, (*attempt).ensureSecrets, (*attempt).grant)
}

func (s *scene) answersGrant(credentials *cosiv1alpha2.CredentialInfo, edits ...func(*cosiv1alpha2.DriverGrantBucketAccessResponse)) {
	answer := &cosiv1alpha2.DriverGrantBucketAccessResponse{
		Credentials: credentials,
		Buckets: []*cosiv1alpha2.DriverGrantBucketAccessResponse_BucketInfo{
			{BucketId: s.Name("id-photos"), BucketInfo: drivertest.S3Info(s.Name("id-photos"))},
		},
	}
	for _, edit := range edits {
		edit(answer)
	}
	s.driver.Answer("DriverGrantBucketAccess", answer)
}

func alsoAzure(b *v1alpha2.Bucket) {
	b.Status.Protocols = append(b.Status.Protocols, v1alpha2.ProtocolAzure)
}

func forAzureAccess(access *v1alpha2.BucketAccess) { access.Spec.Protocol = v1alpha2.ProtocolAzure }

func azureToken(expires string) *cosiv1alpha2.CredentialInfo {
	return &cosiv1alpha2.CredentialInfo{Azure: &cosiv1alpha2.AzureCredentialInfo{AccessToken: "token", ExpiryTimestamp: expires}}
}

func asAzure(answer *cosiv1alpha2.DriverGrantBucketAccessResponse) {
	answer.Buckets[0].BucketInfo = &cosiv1alpha2.ObjectProtocolAndBucketInfo{Azure: &cosiv1alpha2.AzureBucketInfo{StorageAccount: "storage"}}
}

func isFilledForAzure(expires string) []string {
	const prefix = "Secret photos: data."
	return []string{
		prefix + "AZURE_STORAGE_ACCOUNT=storage", prefix + "AZURE_STORAGE_SAS_TOKEN=token",
		prefix + "AZURE_STORAGE_SAS_TOKEN_EXPIRY_TIMESTAMP=" + expires, prefix + "COSI_PROTOCOL=Azure",
	}
}

// TestGrantFails: what the driver's failures and invalid answers become.
func TestGrantFails(t *testing.T) {
	t.Parallel()
	fails := func(code codes.Code) func(*scene) {
		return func(s *scene) { s.hasReserved(); s.driver.Fail("DriverGrantBucketAccess", code, "no") }
	}
	key := func(id, secret string) *cosiv1alpha2.CredentialInfo {
		return &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: id, AccessSecretKey: secret}}
	}
	answers := func(credentials *cosiv1alpha2.CredentialInfo, edits ...func(*cosiv1alpha2.DriverGrantBucketAccessResponse)) func(*scene) {
		return func(s *scene) { s.hasReserved(); s.answersGrant(credentials, edits...) }
	}
	refused := func(code string) phasetest.Outcome { return rejected(v1alpha2.ReasonDriverRefused, grants+": "+code) }
	isRejected := rejected(v1alpha2.ReasonInvalidDriverResponse, grants)
	runTable(t, []phaseCase{
		{Name: "driver unavailable", Reason: "time may help", Given: fails(codes.Unavailable), Want: retried(grants + ": Unavailable")},
		{
			Name: "no such bucket", Reason: "KEP: it may still be created",
			Given: fails(codes.NotFound), Want: retried(grants + ": NotFound"),
		},
		{
			Name: "account exists with other parameters", Reason: "KEP: AlreadyExists is final",
			Given: fails(codes.AlreadyExists), Want: refused("AlreadyExists"),
		},
		{
			Name: "too many buckets for the driver", Reason: "KEP: OutOfRange is final",
			Given: fails(codes.OutOfRange), Want: refused("OutOfRange"),
		},
		{
			Name: "driver rejects the parameters", Reason: "KEP: InvalidArgument is final",
			Given: fails(codes.InvalidArgument), Want: refused("InvalidArgument"),
		},
		{
			Name: "granted, driver unavailable", Reason: "the credentials in the Secret stay valid, and the access ready",
			Given: func(s *scene) { s.hasGranted(); s.driver.Fail("DriverGrantBucketAccess", codes.Unavailable, "later") },
			Want: phasetest.Outcome{
				Writes: []string{grants + ": Unavailable", statusPatch}, Conditions: []string{"ProvisionFailed=True DriverError"},
				Events: []string{"Warning DriverError of BucketAccess app"}, Err: "Failed DriverError", Requeue: true,
			},
		},
		{Name: "no key", Reason: "KEP: the class authenticates by Key", Given: answers(nil), Want: isRejected},
		{Name: "half a key", Reason: "the application could not use it", Given: answers(key("id", "")), Want: isRejected},
		{
			Name: "key of another protocol", Reason: "the application could not use it",
			Given: answers(&cosiv1alpha2.CredentialInfo{Azure: &cosiv1alpha2.AzureCredentialInfo{}}), Want: isRejected,
		},
		{
			Name: "no bucket", Reason: "the Secret would have none",
			Given: answers(key("id", "secret"), func(answer *cosiv1alpha2.DriverGrantBucketAccessResponse) { answer.Buckets = nil }),
			Want:  isRejected,
		},
		{
			Name: "bucket without an endpoint", Reason: "the application could not connect; no Secret is written in part",
			Given: answers(key("id", "secret"), func(answer *cosiv1alpha2.DriverGrantBucketAccessResponse) {
				answer.Buckets[0].BucketInfo.S3.Endpoint = ""
			}),
			Want: isRejected,
		},
	}, (*attempt).ensureSecrets, (*attempt).grant)
}
