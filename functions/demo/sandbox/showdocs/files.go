package showdocs

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"melmastoon.ghasi.io/schemas"
	eventschemas "melmastoon.ghasi.io/schemas/events"
	"melmastoon.ghasi.io/shared/platform/fn"
)

// own holds the templates, style sheet and script of the pages, and Swagger UI with its licences.
//
//go:embed pages swagger
var own embed.FS

// caching lets browsers keep a page or file for five minutes only: a new release serves new contents at the same URLs.
const caching = "public, max-age=300"

// A file is a file of the pages, or one of the published contracts. The text of a packed file is compressed with gzip.
type file struct {
	media  string
	text   []byte
	packed bool
}

// media are the media types of the files by file extension.
var media = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".yaml": "text/yaml; charset=utf-8", ".json": "application/json",
	".txt": "text/plain; charset=utf-8", "": "text/plain; charset=utf-8",
}

// readFiles returns the files by base name, without ".gz".
func readFiles() (map[string]file, error) {
	files := map[string]file{}
	for _, in := range []fs.FS{own, schemas.HTTP, eventschemas.Files, schemas.Derived} {
		err := fs.WalkDir(in, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path.Ext(name) == ".html" {
				return err
			}
			text, err := fs.ReadFile(in, name)
			plain, packed := strings.CutSuffix(path.Base(name), ".gz")
			files[plain] = file{media: media[path.Ext(plain)], text: text, packed: packed}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("docs: %w", err)
		}
	}
	bundled, err := bundle()
	files["asyncapi.json"] = file{media: media[".json"], text: bundled}
	return files, err
}

// answer returns the file. It sends a packed file as it is to clients that accept gzip, and decompresses it for others.
func (f file) answer(accepted string) (out fn.File, err error) {
	out = fn.File{Reply: fn.OK.Reply().Cached(caching), Type: f.media, Body: f.text}
	if !f.packed {
		return out, nil
	}
	out.Reply = out.Reply.Varies("Accept-Encoding")
	if acceptsGzip(accepted) {
		out.Reply = out.Reply.Set("Content-Encoding", "gzip")
		return out, nil
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(f.text))
	if err != nil {
		return out, fmt.Errorf("docs: %w", err)
	}
	out.Body, err = io.ReadAll(unpacked)
	return out, err
}

// acceptsGzip reports whether a client accepts gzip by its Accept-Encoding (RFC 9110, 12.5.3). The weight 0 means "not acceptable".
func acceptsGzip(accepted string) bool {
	var named, others string
	for entry := range strings.SplitSeq(strings.ToLower(accepted), ",") {
		coding, weight, _ := strings.Cut(entry, ";")
		_, weight, found := strings.Cut(weight, "q=")
		if !found {
			weight = "1"
		}
		switch strings.TrimSpace(coding) {
		case "gzip", "x-gzip":
			named = weight
		case "*":
			others = weight
		}
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(cmp.Or(named, others)), 64)
	return err == nil && q > 0
}
