package report

import (
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/hack/s3clients/internal/client"
)

// longest is how much of an error the table shows, in characters.
const longest = 300

// volatile is what differs from run to run, or is of no use to a reader.
var volatile = []struct {
	of *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`,? ?(RequestID|HostID|request id|host id|RequestId|HostId): ?[^,;\s)]*,?`), ""},
	{regexp.MustCompile(`<(RequestId|HostId|Resource)>[^<]*</(RequestId|HostId|Resource)>`), ""},
	{regexp.MustCompile(`\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d`), ""},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
	{regexp.MustCompile(`X-Amz-Signature=[0-9a-f]+`), "X-Amz-Signature=…"},
	{regexp.MustCompile(`\s+`), " "},
}

// Clean makes an error of a session fit for the table: one line, without what
// differs from run to run, and without secrets.
func Clean(err error, t client.Target) string {
	text := err.Error()
	host, _ := t.Secret.Host()
	for _, r := range [][2]string{
		{t.Secret.SecretAccessKey(), "SECRET"},
		{t.Secret.AccessKeyID(), "KEY"},
		{t.Secret.Bucket(), "BUCKET"},
		{t.Other, "OTHER"},
		{host, "HOST"},
		{t.Dir, "DIR"},
	} {
		if r[0] != "" {
			text = strings.ReplaceAll(text, r[0], r[1])
		}
	}
	for _, v := range volatile {
		text = v.of.ReplaceAllString(text, v.by)
	}
	text = strings.NewReplacer("`", "'", "|", "/").Replace(strings.TrimSpace(text))
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return "`" + text + "`"
}
