package requirements

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// LabelBridge is the label of scenarios that cannot pass with a driver of COSI v1alpha1, or of an
// earlier dialect of v1alpha2. Its value is the reason; docs/bridge.md lists them.
const LabelBridge = "bridge"

// expresses lists the dialects that can express the requirement of a label. Only the KEP's dialect
// meets other requirements.
var expresses = map[string][]dialects.Dialect{
	"access-modes":    {dialects.OneMode, dialects.OneModeGet, dialects.BucketIDs},
	"mode-categories": {dialects.BucketIDs},
	"several-buckets": {dialects.NoModes, dialects.OneMode, dialects.OneModeGet, dialects.BucketIDs},
	"bucket-check":    {dialects.NoModes, dialects.OneMode, dialects.OneModeGet, dialects.BucketIDs},
	"protocols":       {dialects.NoModes, dialects.OneMode, dialects.OneModeGet, dialects.BucketIDs},
	"endpoint":        {dialects.NoModes, dialects.OneMode, dialects.OneModeGet, dialects.BucketIDs},
}

// LabelS3 is the label of scenarios whose other steps need the effects of their s3 steps. Its value
// is the reason.
const LabelS3 = "s3"

// LabelFakeDriver is the label of scenarios that require what another driver need not do, such as a parameter
// of the fake driver. Its value is the reason.
const LabelFakeDriver = "fake-driver"

// LabelComponents is the label of scenarios that require what the emulator's controller and sidecar promise beyond the
// specification, such as the words of an Event. Its value is the reason.
const LabelComponents = "components"

// Expresses reports whether a driver of a dialect, or "" for the dialect of the version, can meet
// the requirement of LabelBridge.
func Expresses(dialect dialects.Dialect, requirement string) bool {
	return dialect == "" || dialect == dialects.KEP || slices.Contains(expresses[requirement], dialect)
}

// unmetLabel returns the requirement in a label of a scenario that this emulator does not meet, or
// "".
func (e Emulator) unmetLabel(s *spec.Scenario) string {
	dialect := dialects.Dialect(e.DriverDialect)
	switch bridge, s3, fake, own := s.Labels[LabelBridge], s.Labels[LabelS3], s.Labels[LabelFakeDriver], s.Labels[LabelComponents]; {
	case bridge != "" && !Expresses(dialect, bridge):
		return fmt.Sprintf("a driver of %s cannot express its requirement: %s", dialect.Protocol(), bridge)
	case s3 != "" && e.NoS3:
		return "no S3 service: " + s3
	case fake != "" && !e.HasStore:
		return fake + ": requires the fake driver"
	case own != "" && e.OwnComponents:
		return own + ": requires the emulator's own controller and sidecar"
	default:
		return ""
	}
}
