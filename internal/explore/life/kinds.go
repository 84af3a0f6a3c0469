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

// kinds are the kinds of a version: the text of their objects, and the states that they must reach.
type kinds struct {
	version        string // the line of the setup that names it; may be empty
	readyClaim     string
	grantedAccess  string
	wholeSecret    string // an undamaged Secret
	boundBucket    string // the field of a claim with the name of its Bucket
	existingBucket string
	access         func(*access) string

	grants []grant
	modes  []string
	// Features of the version: accesses to several claims, Secrets that are restored, and Buckets that outlive their claims.
	severalClaims, restoresSecrets, releasesBuckets bool
}

func kindsOf(version objectstorage.Version) kinds {
	if version == objectstorage.V1alpha1 {
		return v1alpha1()
	}
	return v1alpha2()
}

func v1alpha2() kinds {
	return kinds{ //nolint:gosec // no credentials
		readyClaim:    "{status: {readyToUse: true}}",
		grantedAccess: "{status: {readyToUse: true}}",
		wholeSecret:   "{metadata: {deletionTimestamp: absent}, stringData: {BUCKET_NAME: present}}",
		boundBucket:   "boundBucketName",
		existingBucket: `{kind: Bucket, metadata: {name: "old-${scope}"}, spec: {driverName: "${driver}", deletionPolicy: Retain, ` +
			`existingBucketID: "old-${scope}", protocols: [S3], bucketClaimRef: {name: ` + existingName + `, namespace: "${ns}"}}}`,
		access: func(a *access) string {
			var uses []string
			for _, u := range a.uses {
				uses = append(uses, fmt.Sprintf("{bucketClaimName: %s, accessSecretName: %s, accessModes: {objectData: %s}}",
					u.claim, a.secret(u), u.mode))
			}
			return a.text("bucketClaims: [" + strings.Join(uses, ", ") + "]")
		},
		grants: []grant{
			{name: "single"}, {name: "several", several: true}, {name: "readers", disallowed: []string{readWrite, writeOnly}},
			{name: "keyless", serviceAccount: "ServiceAccount"},
		},
		modes:         []string{readWrite, readWrite, readOnly, writeOnly},
		severalClaims: true, restoresSecrets: true, releasesBuckets: true,
	}
}

func v1alpha1() kinds {
	return kinds{
		version:       "  api: v1alpha1\n",
		readyClaim:    "{status: {bucketReady: true}}",
		grantedAccess: "{status: {accessGranted: true}}",
		wholeSecret:   "present",
		boundBucket:   "bucketName",
		existingBucket: `{kind: Bucket, metadata: {name: "old-${scope}"}, spec: {driverName: "${driver}", bucketClassName: none, ` +
			`bucketClaim: {}, deletionPolicy: Retain, existingBucketID: "old-${scope}", protocols: [S3]}}`,
		access: func(a *access) string {
			return a.text("bucketClaimName: " + a.uses[0].claim + ", credentialsSecretName: " + a.secret(a.uses[0]))
		},
		grants: []grant{{name: "single"}, {name: "single"}, {name: "keyless", serviceAccount: "IAM"}},
		modes:  []string{readWrite},
	}
}

// text returns the object, with the fields of its claims.
func (a *access) text(claims string) string {
	return fmt.Sprintf(`{kind: BucketAccess, metadata: {name: %s}, spec: {bucketAccessClassName: "${accessClasses.%s}", protocol: S3%s, %s}}`,
		a.name, a.class.name, a.class.identity(), claims)
}

// text returns the object, which is the same in both versions.
func (c *claim) text() string {
	from := `existingBucketName: "old-${scope}"`
	if !c.existing {
		from = `bucketClassName: "${classes.` + c.class.name + `}"`
	}
	return fmt.Sprintf("{kind: BucketClaim, metadata: {name: %s}, spec: {%s, protocols: [S3]}}", c.name, from)
}

// bucketOf returns the Bucket of the claim in a variable.
func (k kinds) bucketOf(variable string) string {
	return fmt.Sprintf("Bucket/${%s.status.%s}", variable, k.boundBucket)
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
