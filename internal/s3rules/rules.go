// Package s3rules has the rules of S3 for the names and settings that users choose for buckets.
package s3rules

import (
	"fmt"
	"regexp"
)

// Violation is a value that S3 does not allow. Together with "is not valid", it is a sentence.
type Violation struct {
	// Subject is the value, and Problem the rule that it violates.
	Subject, Problem string
}

func violation(subject, problem string) *Violation {
	return &Violation{Subject: subject, Problem: problem}
}

const maxRegion = 63

var regionName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// Region returns the violation of a name of a region, which is a part of signatures and URLs; nil
// without one.
func Region(region string) *Violation {
	if len(region) > maxRegion || !regionName.MatchString(region) {
		return violation(fmt.Sprintf("region %.100q", region), fmt.Sprintf("it must have 1 to %d characters of a-z, 0-9 and '-', "+
			"and begin and end with a letter or digit", maxRegion))
	}
	return nil
}
