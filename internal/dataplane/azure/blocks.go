package azure

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

const (
	maxBlockIDBytes = 64
	maxUncommitted  = 100_000
	maxCommitted    = 50_000
)

// blocksID is the ID of the upload with the uncommitted blocks of a blob.
func blocksID(name string) string {
	digest := sha256.Sum256([]byte(name))
	return "blocks-" + hex.EncodeToString(digest[:16])
}

// putBlock stores a block, which is part of the blob only after PutBlockList.
func (s *Service) putBlock(x *exchange) error {
	if err := s.stage(x, x.body.content); err != nil {
		return err
	}
	x.set("Content-Md5", base64.StdEncoding.EncodeToString(x.body.md5))
	x.set("X-Ms-Content-Crc64", base64.StdEncoding.EncodeToString(x.body.crc64))
	x.set("X-Ms-Request-Server-Encrypted", "true")
	x.W.WriteHeader(http.StatusCreated)
	return nil
}

func (s *Service) stage(x *exchange, block objects.Body) error {
	id := x.Query.Get("blockid")
	decoded, err := base64.StdEncoding.DecodeString(id)
	if err != nil || len(decoded) == 0 || len(decoded) > maxBlockIDBytes {
		return failure.ErrInvalidBlockID
	}
	if block.Size() == 0 {
		return failure.ErrInvalidHeader.Because("A block must not be empty.")
	}
	if err := s.checkStage(x, len(decoded)); err != nil {
		return err
	}
	upload, err := x.bucket.BeginUpload(objects.Upload{ID: blocksID(x.target.blob), Key: x.target.blob})
	if err != nil {
		return err
	}
	_, err = x.bucket.PutPart(x.target.blob, upload.ID, objects.Part{Name: id, Body: block})
	return err
}

// checkStage checks Azure's conditions for a block: the IDs of all blocks of a blob have the same
// length.
func (s *Service) checkStage(x *exchange, length int) error {
	found, err := versionsOf(x.bucket.Versions(x.target.blob))
	if err != nil {
		return err
	}
	switch {
	case found.base == nil && x.lease != "":
		return failure.ErrLeaseNotPresent
	case found.base != nil:
		if err := found.base.Lease.allows(x.lease, s.now()); err != nil {
			return err
		}
		if found.base.Type != blockBlob {
			return failure.ErrBlobType
		}
		if err := found.base.checkOnline(); err != nil {
			return err
		}
	}
	staged := x.bucket.AllParts(x.target.blob, blocksID(x.target.blob))
	if len(staged) == 0 {
		return nil
	}
	if len(staged) >= maxUncommitted {
		return failure.ErrBlockCount
	}
	if first, err := base64.StdEncoding.DecodeString(staged[0].Name); err != nil || len(first) != length {
		return failure.ErrInvalidBlock
	}
	return nil
}

// listedBlock is an entry of a list of blocks: the origin of the block, and its ID.
type listedBlock struct{ from, id string }

// parseBlockList reads the body of PutBlockList: one element BlockList, with an element for
// each block.
func parseBlockList(body io.Reader) (all []listedBlock, err error) {
	decoder := xml.NewDecoder(body)
	root, err := nextElement(decoder)
	if err != nil || root == nil || root.Name.Local != "BlockList" {
		return nil, failure.ErrInvalidXML
	}
	for {
		element, err := nextElement(decoder)
		if err != nil {
			return nil, err
		}
		if element == nil {
			break
		}
		block := listedBlock{from: element.Name.Local}
		if err := decoder.DecodeElement(&block.id, element); err != nil {
			return nil, failure.ErrInvalidXML
		}
		if len(all) == maxCommitted {
			return nil, failure.ErrBlockListTooLong
		}
		all = append(all, block)
	}
	if _, err := nextElement(decoder); !errors.Is(err, io.EOF) {
		return nil, failure.ErrInvalidXML
	}
	return all, nil
}

// nextElement returns the next element, nil at the end of the enclosing one, or io.EOF.
func nextElement(decoder *xml.Decoder) (*xml.StartElement, error) {
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		if err != nil {
			return nil, failure.ErrInvalidXML
		}
		switch token := token.(type) {
		case xml.StartElement:
			return &token, nil
		case xml.EndElement:
			return nil, nil
		}
	}
}

// putBlockList replaces the content of the blob by blocks, uncommitted ones and its own.
func (s *Service) putBlockList(x *exchange) error {
	listed, err := parseBlockList(&x.body.document)
	if err != nil {
		return err
	}
	a, headers, err := x.attributes(nil)
	if err != nil {
		return err
	}
	made, err := s.change(x, true, func(current *blob) (*draft, error) {
		if err := s.checkReplace(x, current); err != nil {
			return nil, err
		}
		if current != nil && current.Type != blockBlob {
			return nil, failure.ErrBlobType
		}
		d := s.fresh(blockBlob, current)
		d.Attributes, d.headers, d.MD5 = a, headers, x.header("X-Ms-Blob-Content-Md5")
		s.touch(&d)
		if err := s.setTierOf(x, &d); err != nil {
			return nil, err
		}
		return &d, s.assemble(x, &d, current, listed)
	})
	if err != nil {
		return err
	}
	return x.created(made)
}

func (s *Service) assemble(x *exchange, d *draft, current *blob, listed []listedBlock) error {
	uncommitted, committed := map[string]objects.Body{}, map[string]objects.Body{}
	for _, part := range x.bucket.AllParts(x.target.blob, blocksID(x.target.blob)) {
		uncommitted[part.Name] = part.Body
	}
	if current != nil {
		var offset int64
		for _, part := range current.Parts() {
			committed[part.Name] = current.Body.Slice(offset, part.Size)
			offset += part.Size
		}
	}
	bodies := make([]objects.Body, 0, len(listed))
	for i, block := range listed {
		body, ok := pick(block, uncommitted, committed)
		if !ok {
			return failure.ErrInvalidBlockList
		}
		bodies = append(bodies, body)
		d.Parts = append(d.Parts, objects.PartInfo{Number: int32(i + 1), Name: block.id, Size: body.Size()})
	}
	d.Body = objects.Join(bodies...)
	return nil
}

func pick(block listedBlock, uncommitted, committed map[string]objects.Body) (body objects.Body, ok bool) {
	switch block.from {
	case "Uncommitted":
		body, ok = uncommitted[block.id]
	case "Committed":
		body, ok = committed[block.id]
	case "Latest":
		if body, ok = uncommitted[block.id]; !ok {
			body, ok = committed[block.id]
		}
	}
	return body, ok
}

type blockXML struct {
	Name string `xml:"Name"`
	Size int64  `xml:"Size"`
}

type blockListXML struct {
	XMLName     xml.Name `xml:"BlockList"`
	Committed   *blocks  `xml:"CommittedBlocks"`
	Uncommitted *blocks  `xml:"UncommittedBlocks"`
}

type blocks struct {
	Blocks []blockXML `xml:"Block"`
}

// add adds a block, if the client has requested such blocks.
func (b *blocks) add(name string, size int64) {
	if b != nil {
		b.Blocks = append(b.Blocks, blockXML{name, size})
	}
}

// getBlockList lists the committed blocks, the uncommitted ones, or all.
func (s *Service) getBlockList(x *exchange) error {
	kind := strings.ToLower(x.Query.Get("blocklisttype"))
	if !slices.Contains([]string{"", "committed", "uncommitted", "all"}, kind) {
		return failure.ErrInvalidQuery
	}
	list := blockListXML{}
	var staged []objects.Part
	if !x.Query.Has("snapshot") {
		staged = x.bucket.AllParts(x.target.blob, blocksID(x.target.blob))
	}
	found, err := s.readBlocks(x)
	if err != nil && (found != nil || len(staged) == 0) {
		return err
	}
	if kind != "uncommitted" {
		list.Committed = &blocks{}
	}
	if kind == "uncommitted" || kind == "all" {
		list.Uncommitted = &blocks{}
		for _, part := range staged {
			list.Uncommitted.add(part.Name, part.Body.Size())
		}
	}
	if found != nil {
		x.describe(found)
		x.set("X-Ms-Blob-Content-Length", strconv.FormatInt(found.Size(), 10))
		for _, part := range found.Parts() {
			list.Committed.add(part.Name, part.Size)
		}
	}
	return x.sendXML(list)
}

// readBlocks is read for a block blob that is not archived.
func (s *Service) readBlocks(x *exchange) (*blob, error) {
	found, err := s.read(x)
	switch {
	case err != nil:
		return found, err
	case found.Type != blockBlob:
		return found, failure.ErrBlobType
	}
	err = found.checkOnline()
	return found, err
}

func (x *exchange) sendXML(document any) error {
	body, err := xml.Marshal(document)
	if err != nil {
		return err
	}
	body = append([]byte(xml.Header), failure.Literal(body)...)
	x.set("Content-Type", "application/xml")
	x.set("Content-Length", strconv.Itoa(len(body)))
	x.W.WriteHeader(http.StatusOK)
	_, _ = x.W.Write(body) // the client may have disconnected
	return nil
}
