package s3

import (
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/answers"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/payload"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/postform"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
)

// isForm reports whether a request is a form whose fields identify the sender.
func isForm(x *s3exchange.Exchange) bool {
	return postform.Is(x.R) && !authentication.IsSigned(x.R, x.Query)
}

// authenticateForm reads the fields of a form, and identifies the signer of its policy.
func (s *Service) authenticateForm(x *s3exchange.Exchange) error {
	bucket, key, err := s.hosts.locate(x.R)
	switch {
	case err != nil:
		return err
	case levelOf(bucket, key) != s3op.Bucket:
		return s3error.ErrMethodNotAllowed
	case len(x.Query) > 0:
		return s3error.ErrInvalidArgument.With("Query String Parameters not allowed on POST requests.")
	case x.R.ContentLength-postform.MaxFieldBytes > s.options.MaxBodyBytes:
		return s3error.ErrEntityTooLarge.About("MaxSizeAllowed", strconv.FormatInt(s.options.MaxBodyBytes, 10))
	}
	if x.Form, err = postform.Read(x.R); err != nil {
		return payload.ReadError(err)
	}
	x.Caller, x.Signature, err = s.authenticator.AuthenticateForm(x.Form)
	return err
}

// checkPolicy checks a form whose fields are all known, and turns them into the header of an
// upload. The header of the request does not describe the object.
func (s *Service) checkPolicy(x *s3exchange.Exchange) (err error) {
	if x.Form == nil {
		return nil
	}
	if x.Key, err = keyOf(x.Form); err != nil {
		return err
	}
	httpserver.NoteStored(x.R.Context(), x.Key)
	policy, err := postform.ParsePolicy(x.Form.Fields["policy"])
	if err != nil {
		return err
	}
	if err := policy.Check(x.Form, x.Bucket, s.options.Now()); err != nil {
		return err
	}
	x.File = &payload.File{Content: x.Form.File, Min: policy.Min, Max: policy.Max}
	x.Success = successOf(x.Form.Fields)
	x.R = x.R.WithContext(x.R.Context())
	x.R.Header, err = headerOf(x.Form.Fields)
	return err
}

func keyOf(f *postform.Form) (string, error) {
	key, err := f.Required("key")
	switch {
	case err != nil:
		return "", err
	case key == "":
		return "", s3error.ErrInvalidArgument.With("User key must have a length greater than 0.").About("ArgumentName", "key").
			About("ArgumentValue", "")
	case !isKey(key):
		return "", s3error.ErrInvalidArgument.With("The key must be UTF-8, without NUL").About("ArgumentName", "key")
	case len(key) > s3exchange.MaxKeyBytes:
		return "", s3error.ErrKeyTooLong
	case climbs(key):
		return "", errClimbs
	}
	return key, nil
}

func headerOf(fields map[string]string) (http.Header, error) {
	header := http.Header{}
	for field, value := range fields {
		name := textproto.CanonicalMIMEHeaderKey(field)
		switch {
		case field == "acl":
			name = "X-Amz-Acl"
		case field == "tagging":
			name = "X-Amz-Tagging"
			tags, err := answers.TagsOfDocument([]byte(value))
			if err != nil {
				return nil, err
			}
			value = tags.Encode()
		case !isHoistable(name):
			continue
		}
		if _, twice := header[name]; twice {
			return nil, s3error.ErrInvalidArgument.With("The form has two values of " + strings.ToLower(name))
		}
		if strings.ContainsFunc(value, isControl) {
			return nil, s3error.ErrInvalidArgument.With("The field has control characters").About("ArgumentName", field)
		}
		header.Set(name, value)
	}
	return header, nil
}

// isControl reports whether a character cannot be in the header of a response.
func isControl(c rune) bool { return (c < ' ' && c != '\t') || c == '\x7f' }

// successOf reads the requested response to a form. It ignores values that S3 does not have.
func successOf(fields map[string]string) s3exchange.Success {
	success := s3exchange.Success{Status: http.StatusNoContent}
	switch fields["success_action_status"] {
	case "200":
		success.Status = http.StatusOK
	case "201":
		success.Status = http.StatusCreated
	}
	for _, name := range []string{"redirect", "success_action_redirect"} {
		u, err := url.Parse(fields[name])
		if err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
			success.Redirect = u
		}
	}
	return success
}

// checkForm rejects an upload to a bucket without a form of its own.
func checkForm(x *s3exchange.Exchange) error {
	switch {
	case x.Operation.Body != s3op.Form || x.Form != nil:
		return nil
	case !postform.Is(x.R):
		return s3error.ErrPreconditionFailed.With("Bucket POST must be of the enclosure-type multipart/form-data")
	}
	return s3error.ErrInvalidArgument.With("A form must be signed by its fields, and not by the header Authorization or the URL")
}
