package fakedriver

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3rules"
)

// Parameters of BucketClasses are part of the bucket: creating it again with others is a conflict.
const (
	// ParameterNote holds any short text, also in BucketAccessClasses.
	ParameterNote = "note"
	// ParameterNonEmptyDeletion is NonEmptyReject or NonEmptyPurge.
	ParameterNonEmptyDeletion = "nonEmptyDeletion"
	// ParameterVersioning is "enabled".
	ParameterVersioning = "versioning"
	// ParameterObjectLock is "enabled", or a default retention such as "GOVERNANCE 30d".
	ParameterObjectLock = "objectLock"
	// ParameterTags are the bucket's tags, key=value,key2=value2.
	ParameterTags         = "tags"
	ParameterQuotaBytes   = "quotaBytes"
	ParameterQuotaObjects = "quotaObjects"
	// ParameterRegion is a region that is not the store's.
	ParameterRegion = "region"
	// ParameterAddressingStyle is AddressingPath or AddressingVirtual.
	ParameterAddressingStyle = "addressingStyle"
	// ParameterCORSOrigins are origins of pages, separated by commas.
	ParameterCORSOrigins = "corsOrigins"
	ParameterLatency     = "latency"
	ParameterMaxAccounts = "maxAccounts"
)

// Values of ParameterNonEmptyDeletion.
const (
	// NonEmptyReject means that the bucket cannot be deleted until it is empty.
	NonEmptyReject = "reject"
	// NonEmptyPurge deletes the objects with the bucket.
	NonEmptyPurge = "purge"
)

const (
	// AddressingPath has the bucket in the path of URLs.
	AddressingPath = "path"
	// AddressingVirtual has the bucket in the host of URLs.
	AddressingVirtual = "virtual"
)

const maxLatency = time.Minute

//nolint:lll // one parameter a few lines
var bucketParameters = []parameter[BucketSpec]{
	{Parameter{ParameterAddressingStyle, AddressingPath + " or " + AddressingVirtual, "How URLs name the bucket: `ENDPOINT/BUCKET` (the default) or `BUCKET.ENDPOINT`."},
		func(_ *BucketSpec, value string) error {
			_, err := oneOf(map[string]bool{AddressingPath: true, AddressingVirtual: true}, value)
			return err
		}},
	{Parameter{ParameterCORSOrigins, "origins, separated by commas, each " + s3rules.OriginAllowed, "The origins whose pages browsers let use the bucket, with all methods and headers: the CORS configuration that it is created with."}, setCORSOrigins},
	{Parameter{ParameterIgnoreUnknown, "true or false", "Whether parameters that the driver does not know have no effect, as for a class of another driver. Otherwise they are rejected."},
		func(_ *BucketSpec, value string) error { return checkIgnoreUnknown(value) }},
	{Parameter{ParameterLatency, "a duration of at most 1m, such as 250ms", "How long each S3 request for the bucket is delayed."}, setLatency},
	{Parameter{ParameterMaxAccounts, "a number above 0", "How many BucketAccesses can be granted at a time; further ones wait."},
		func(spec *BucketSpec, value string) (err error) {
			spec.MaxAccounts, err = number(value)
			return err
		}},
	{Parameter{ParameterNonEmptyDeletion, NonEmptyReject + " or " + NonEmptyPurge, "How a bucket that is not empty is deleted: not until it is empty (the default), or together with its objects."}, setPurge},
	{Parameter{ParameterNote, "a text of at most 256 bytes", "None; it is stored with the bucket."},
		func(_ *BucketSpec, value string) error { return checkNote(value) }},
	{Parameter{ParameterObjectLock, "enabled; or GOVERNANCE or COMPLIANCE, a space, and a number of days or years, such as GOVERNANCE 30d or COMPLIANCE 1y", "The bucket is created with object lock, which enables versioning for good, and with this retention of new objects whose client selects none."}, setObjectLock},
	{Parameter{ParameterQuotaBytes, BytesAllowed, "The maximum size of the bucket in bytes, including all versions and unfinished uploads."}, setQuotaBytes},
	{Parameter{ParameterQuotaObjects, "a number above 0", "The maximum number of objects, including all versions."},
		func(spec *BucketSpec, value string) error {
			objects, err := number(value)
			spec.Quota.Objects = int64(objects)
			return err
		}},
	{Parameter{ParameterRegion, "1 to 63 characters of a-z, 0-9 and '-', such as us-west-2", "The region that requests for the bucket must be signed for, instead of the store's."}, setRegion},
	{Parameter{ParameterTags, "key=value pairs, separated by commas, such as team=photos,cost=low, by S3's rules for tags", "The tags that the bucket is created with."}, setTags},
	{Parameter{ParameterVersioning, "enabled", "The bucket is created with versioning enabled."}, setVersioning},
}

// BucketParameters returns the parameters of BucketClasses, sorted by name.
func BucketParameters() []Parameter { return documented(bucketParameters) }

func setCORSOrigins(spec *BucketSpec, value string) error {
	spec.CORSOrigins = strings.Split(value, ",")
	if err := ValidateCORSOrigins(spec.CORSOrigins); err != nil {
		return errNotAllowed
	}
	return nil
}

func setLatency(spec *BucketSpec, value string) error {
	latency, err := time.ParseDuration(value)
	if err != nil || latency <= 0 || latency > maxLatency {
		return errNotAllowed
	}
	spec.Latency = latency
	return nil
}

func setObjectLock(spec *BucketSpec, value string) (err error) {
	spec.ObjectLock = true
	if value != "enabled" {
		spec.DefaultRetention, err = parseRetention(value)
	}
	return err
}

func setPurge(spec *BucketSpec, value string) (err error) {
	spec.Purge, err = oneOf(map[string]bool{NonEmptyReject: false, NonEmptyPurge: true}, value)
	return err
}

func setQuotaBytes(spec *BucketSpec, value string) (err error) {
	spec.Quota.Bytes, err = ParseBytes(value)
	return err
}

func setRegion(spec *BucketSpec, value string) error {
	if ValidateRegion(value) != nil {
		return errNotAllowed
	}
	spec.Region = value
	return nil
}

func setTags(spec *BucketSpec, value string) error {
	spec.Tags = map[string]string{}
	for pair := range strings.SplitSeq(value, ",") {
		key, tag, ok := strings.Cut(pair, "=")
		if !ok {
			return valueError("has no = in " + quote(pair))
		}
		if _, twice := spec.Tags[key]; twice {
			return valueError("has the key " + quote(key) + " twice")
		}
		spec.Tags[key] = tag
	}
	if err := ValidateTags(spec.Tags); err != nil {
		return fmt.Errorf("is not allowed (%w)", err)
	}
	return nil
}

func setVersioning(spec *BucketSpec, value string) (err error) {
	spec.Versioning, err = oneOf(map[string]bool{"enabled": true}, value)
	return err
}

// number reads a number above 0.
func number(value string) (int, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, valueError("is too large or too small")
	case err != nil || n <= 0:
		return 0, errNotAllowed
	}
	return int(n), nil
}
