package azure

import "github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"

// maxDocumentBytes is the maximum size of an XML body: a list of 50,000 blocks.
const maxDocumentBytes = 8 << 20

// Options configure a service. Containers are the buckets with fakedriver.ProtocolAzure.
type Options = pipeline.Options
