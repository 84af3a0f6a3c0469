package life

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// Names of access modes.
const (
	readWrite = "ReadWrite"
	readOnly  = "ReadOnly"
	writeOnly = "WriteOnly"
)

// kinds render the objects of a version, and what they must become.
type kinds interface {
	// version is the line of the setup that names it; may be empty.
	version() string
	claim(c *claim) string
	existingBucket() string
	existingClaim() string
	access(a *access) string
	readyClaim() string
	grantedAccess() string
	// wholeSecret is what a Secret is like that nobody has damaged.
	wholeSecret() string
	// bucketOf returns the Bucket of a claim in a variable.
	bucketOf(variable string) string
	grants() []grant
	modes() []string
	// severalClaims, restoresSecrets and releasesBuckets report what the specification has: accesses to several claims, Secrets
	// that are restored, and Buckets that outlive their claims.
	severalClaims() bool
	restoresSecrets() bool
	releasesBuckets() bool
}

func kindsOf(version objectstorage.Version) kinds {
	if version == objectstorage.V1alpha1 {
		return v1alpha1{}
	}
	return v1alpha2{}
}

type v1alpha2 struct{}

func (v1alpha2) version() string       { return "" }
func (v1alpha2) readyClaim() string    { return "{status: {readyToUse: true}}" }
func (v1alpha2) grantedAccess() string { return "{status: {readyToUse: true}}" }
func (v1alpha2) modes() []string       { return []string{readWrite, readWrite, readOnly, writeOnly} }
func (v1alpha2) severalClaims() bool   { return true }
func (v1alpha2) restoresSecrets() bool { return true }
func (v1alpha2) releasesBuckets() bool { return true }
func (v1alpha2) wholeSecret() string {
	return "{metadata: {deletionTimestamp: absent}, stringData: {BUCKET_NAME: present}}"
}

func (v1alpha2) grants() []grant {
	return []grant{
		{name: "single"}, {name: "several", several: true}, {name: "readers", disallowed: []string{readWrite, writeOnly}},
		{name: "keyless", serviceAccount: "ServiceAccount"},
	}
}

func (v1alpha2) bucketOf(variable string) string {
	return fmt.Sprintf("Bucket/${%s.status.boundBucketName}", variable)
}

func (v1alpha2) claim(c *claim) string {
	return fmt.Sprintf(`{kind: BucketClaim, metadata: {name: %s}, spec: {bucketClassName: "${classes.%s}", protocols: [S3]}}`,
		c.name, c.class.name)
}

func (v1alpha2) existingBucket() string {
	return fmt.Sprintf(`{kind: Bucket, metadata: {name: "old-${scope}"}, spec: {driverName: "${driver}", deletionPolicy: Retain, `+
		`existingBucketID: "old-${scope}", protocols: [S3], bucketClaimRef: {name: %s, namespace: "${ns}"}}}`, existingName)
}

func (v1alpha2) existingClaim() string {
	return fmt.Sprintf(`{kind: BucketClaim, metadata: {name: %s}, spec: {existingBucketName: "old-${scope}", protocols: [S3]}}`, existingName)
}

func (v1alpha2) access(a *access) string {
	var uses []string
	for _, u := range a.uses {
		uses = append(uses, fmt.Sprintf("{bucketClaimName: %s, accessSecretName: %s, accessModes: {objectData: %s}}", u.claim, a.secret(u), u.mode))
	}
	return fmt.Sprintf(`{kind: BucketAccess, metadata: {name: %s}, spec: {bucketAccessClassName: "${accessClasses.%s}", protocol: S3%s, `+
		`bucketClaims: [%s]}}`, a.name, a.class.name, a.class.identity(), strings.Join(uses, ", "))
}

type v1alpha1 struct{}

func (v1alpha1) version() string       { return "  api: v1alpha1\n" }
func (v1alpha1) readyClaim() string    { return "{status: {bucketReady: true}}" }
func (v1alpha1) grantedAccess() string { return "{status: {accessGranted: true}}" }
func (v1alpha1) modes() []string       { return []string{readWrite} }
func (v1alpha1) severalClaims() bool   { return false }
func (v1alpha1) restoresSecrets() bool { return false }
func (v1alpha1) releasesBuckets() bool { return false }
func (v1alpha1) wholeSecret() string   { return "present" }

func (v1alpha1) grants() []grant {
	return []grant{{name: "single"}, {name: "single"}, {name: "keyless", serviceAccount: "IAM"}}
}

func (v1alpha1) bucketOf(variable string) string {
	return fmt.Sprintf("Bucket/${%s.status.bucketName}", variable)
}

func (v1alpha1) claim(c *claim) string { return v1alpha2{}.claim(c) }

func (v1alpha1) existingBucket() string {
	return `{kind: Bucket, metadata: {name: "old-${scope}"}, spec: {driverName: "${driver}", bucketClassName: none, ` +
		`bucketClaim: {}, deletionPolicy: Retain, existingBucketID: "old-${scope}", protocols: [S3]}}`
}

func (v1alpha1) existingClaim() string { return v1alpha2{}.existingClaim() }

func (v1alpha1) access(a *access) string {
	u := a.uses[0]
	return fmt.Sprintf(`{kind: BucketAccess, metadata: {name: %s}, spec: {bucketAccessClassName: "${accessClasses.%s}", protocol: S3%s, `+
		`bucketClaimName: %s, credentialsSecretName: %s}}`, a.name, a.class.name, a.class.identity(), u.claim, a.secret(u))
}

// class is a BucketClass.
type class struct {
	name, driver string
	retained     bool
}

func classes() []class {
	return []class{{name: "plain"}, {name: "plain"}, {name: "kept", retained: true}}
}

// otherDriver is the second driver of a life that has two, and the name of its classes.
const otherDriver = "two"

func (c class) policy() string {
	if c.retained {
		return "Retain"
	}
	return "Delete"
}

func (c class) text() string {
	text := "{name: " + c.name
	if c.retained {
		text += ", deletionPolicy: Retain"
	}
	if c.driver != "" {
		text += ", driver: " + c.driver
	}
	return text + "}"
}

// grant is a BucketAccessClass.
type grant struct {
	name, driver   string
	serviceAccount string // the authentication type, if it is not Key
	several        bool
	disallowed     []string
}

func (g grant) allows(mode string) bool { return !slices.Contains(g.disallowed, mode) }

// identity returns the field of an access that names its ServiceAccount.
func (g grant) identity() string {
	if g.serviceAccount == "" {
		return ""
	}
	return ", serviceAccountName: " + serviceAccount
}

const serviceAccount = "builder"

func (g grant) text() string {
	text := "{name: " + g.name
	if g.driver != "" {
		text += ", driver: " + g.driver
	}
	if g.serviceAccount != "" {
		text += ", authenticationType: " + g.serviceAccount
	}
	if g.several {
		text += ", multiBucketAccess: MultipleBuckets"
	}
	if len(g.disallowed) > 0 {
		text += ", disallowedBucketAccessModes: {objectData: [" + strings.Join(g.disallowed, ", ") + "]}"
	}
	return text + "}"
}
