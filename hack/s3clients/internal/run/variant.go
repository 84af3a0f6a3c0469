package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/emulator"
)

// variant is one way to speak to the store.
type variant struct {
	*emulator.Emulator
	scheme, style string
	proxy         string
	// unversioned says why there are no buckets that keep versions.
	unversioned error
}

func (v *variant) String() string { return v.scheme + " " + v.style }

// class is the name of the class of buckets, ordinary ones or those that keep
// versions.
func (v *variant) class(versioned bool) string {
	if versioned {
		return v.style + "-versioned"
	}
	return v.style
}

// other is the name of a claim for a bucket that no client is given access to.
func (v *variant) other() string { return "other-" + v.style }

// prepare creates the classes, and sees that buckets of them can be had. Without
// ordinary ones nothing can be tried.
func (v *variant) prepare(ctx context.Context) error {
	for _, versioned := range []bool{false, true} {
		parameters := map[string]string{}
		if v.style == "virtual" {
			parameters["addressingStyle"] = "virtual"
		}
		if versioned {
			parameters["versioning"] = "enabled"
		}
		if err := v.Class(ctx, v.class(versioned), parameters); err != nil {
			return err
		}
	}
	_, v.unversioned = v.Secret(ctx, v.class(true), v.other()+"-versioned")
	_, err := v.Secret(ctx, v.class(false), v.other())
	return err
}

// target gets a bucket for a session. What is known of it when that fails is
// returned too.
func (v *variant) target(ctx context.Context, root string, c client.Client, versioned bool) (client.Target, error) {
	name := strings.ToLower(fmt.Sprintf("%s-%s-%s", c.Name, c.Version, v.class(versioned)))
	t := client.Target{Proxy: v.proxy}
	if versioned && v.unversioned != nil {
		return t, v.unversioned
	}
	var err error
	if t.Dir, err = dir(root, v.scheme, name); err != nil {
		return t, err
	}
	other, err := v.Secret(ctx, v.class(false), v.other())
	if err != nil {
		return t, err
	}
	t.Other = other.Bucket()
	t.Secret, err = v.Secret(ctx, v.class(versioned), name)
	if err != nil {
		return t, err
	}
	if got := t.Secret["AWS_S3_ADDRESSING_STYLE"]; got != v.style {
		return t, fmt.Errorf("AWS_S3_ADDRESSING_STYLE of the Secret is %q, not %q", got, v.style)
	}
	if !strings.HasPrefix(t.Secret.Endpoint(), v.scheme+"://") {
		return t, fmt.Errorf("AWS_ENDPOINT_URL of the Secret is not %s", v.scheme)
	}
	return t, nil
}
