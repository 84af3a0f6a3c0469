package sts

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Minimum, maximum and default duration of sessions in STS, in seconds.
const (
	minSessionSeconds     = 15 * 60
	maxSessionSeconds     = 12 * 60 * 60
	defaultSessionSeconds = 60 * 60
)

// assumption has the parameters of AssumeRoleWithWebIdentity.
type assumption struct {
	token    string
	arn      string
	role     string // the last element of the ARN's path
	name     string // of the session
	duration time.Duration
}

var (
	roleARN     = regexp.MustCompile(`^arn:[a-z-]+:iam::[^:/]*:role/([\x21-\x7e]+/)*[\w+=,.@-]+$`)
	sessionName = regexp.MustCompile(`^[\w+=,.@-]{2,64}$`)
)

// parseAssumption validates the parameters with the constraints of the API reference.
func parseAssumption(form url.Values) (assumption, error) {
	asked := assumption{token: form.Get("WebIdentityToken"), arn: form.Get("RoleArn"), name: form.Get("RoleSessionName")}
	switch {
	case len(asked.token) < 4 || len(asked.token) > 20_000:
		return asked, constraint("webIdentityToken", "have a length from 4 to 20000")
	case len(asked.arn) < 20 || len(asked.arn) > 2048 || !roleARN.MatchString(asked.arn):
		return asked, constraint("roleArn", "be the ARN of a role, arn:aws:iam::ACCOUNT:role/NAME")
	case !sessionName.MatchString(asked.name):
		return asked, constraint("roleSessionName", "satisfy the regular expression pattern: [\\w+=,.@-]{2,64}")
	}
	asked.role = asked.arn[strings.LastIndexByte(asked.arn, '/')+1:]
	seconds := defaultSessionSeconds
	if form.Has("DurationSeconds") {
		var err error
		if seconds, err = strconv.Atoi(form.Get("DurationSeconds")); err != nil || seconds < minSessionSeconds || seconds > maxSessionSeconds {
			return asked, constraint("durationSeconds", "be from 900 to 43200")
		}
	}
	asked.duration = time.Duration(seconds) * time.Second
	return asked, nil
}

func constraint(name, rule string) error {
	return errValidation.with("1 validation error detected: Value at '" + name + "' failed to satisfy constraint: Member must " + rule)
}

// user is the ARN of the session.
func (a assumption) user() string {
	return strings.Replace(strings.Replace(a.arn, ":iam:", ":sts:", 1), ":role/", ":assumed-role/", 1) + "/" + a.name
}
