package gcs

import (
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// conditionsOf reads the query, and the equivalent headers of the XML API.
func conditionsOf(x *exchange) (objects.Conditions, error) {
	return x.conditions(&destinationConditions)
}

// sourceConditionsOf reads the conditions on the source of a copy.
func sourceConditionsOf(x *exchange) (objects.Conditions, error) {
	return x.conditions(&sourceConditions)
}

// conditionNames are parameters, and headers, if the XML API has them.
type conditionNames [4]struct{ parameter, header string }

var (
	destinationConditions = conditionNames{
		{"ifGenerationMatch", "X-Goog-If-Generation-Match"}, {"ifGenerationNotMatch", "X-Goog-If-Generation-Not-Match"},
		{"ifMetagenerationMatch", "X-Goog-If-Metageneration-Match"}, {"ifMetagenerationNotMatch", "X-Goog-If-Metageneration-Not-Match"},
	}
	sourceConditions = conditionNames{
		{parameter: "ifSourceGenerationMatch"}, {parameter: "ifSourceGenerationNotMatch"},
		{parameter: "ifSourceMetagenerationMatch"}, {parameter: "ifSourceMetagenerationNotMatch"},
	}
)

func (x *exchange) conditions(names *conditionNames) (c objects.Conditions, err error) {
	for i, into := range [...]**int64{&c.Generation.Match, &c.Generation.NotMatch, &c.Metageneration.Match, &c.Metageneration.NotMatch} {
		text := x.Query.Get(names[i].parameter)
		if text == "" && names[i].header != "" {
			text = x.R.Header.Get(names[i].header)
		}
		if *into, err = number(text); err != nil {
			return c, err
		}
	}
	return c, nil
}

func number(text string) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return nil, failure.ErrInvalid.With("A generation must be a number")
	}
	return &n, nil
}

// versionID returns the ID of the version with the generation in a parameter; empty for the
// latest.
func (x *exchange) versionID(parameter string) (string, error) {
	generation, err := number(x.Query.Get(parameter))
	if err != nil || generation == nil {
		return "", err
	}
	return strconv.FormatInt(*generation, 10), nil
}

// checkETag compares an ETag with the request's, for metadata. net/http does it for downloads.
func (x *exchange) checkETag(etag string) error {
	match, noneMatch := x.R.Header.Get("If-Match"), x.R.Header.Get("If-None-Match")
	switch {
	case match != "" && !objects.MatchesETag(match, etag):
		return failure.ErrCondition
	case noneMatch != "" && objects.MatchesETag(noneMatch, etag):
		return failure.ErrNotModified
	}
	return nil
}

// existing returns the object of a request, with content until the request ends. It checks the
// conditions.
func (s *Service) existing(x *exchange) (*object, error) {
	c, err := conditionsOf(x)
	if err != nil {
		return nil, err
	}
	id, err := x.versionID("generation")
	if err != nil {
		return nil, err
	}
	v, missing := x.bucket.Get(x.target.object, id)
	x.Hold(v.Release)
	if err := c.ReadNumbers(v); err != nil {
		return nil, err
	}
	if missing != nil {
		return nil, gone(missing, x.target.bucket, x.target.object)
	}
	return objectOf(x.target.bucket, v)
}

// gone adds the name of the missing object to an error.
func gone(err error, bucket, name string) error {
	if objects.IsGone(err) {
		return failure.ErrNotFound.With("No such object: " + bucket + "/" + name)
	}
	return err
}
