package errordocs

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// code matches an error code, with or without the platform's prefix.
var code = regexp.MustCompile(`\b(?:MELMASTOON\.)?((?:BFF\.)?[A-Z]+\.[A-Z]+(?:_[A-Z]+)*)\b`)

// address matches a URL, because the URL of a type contains parts that look like a code.
var address = regexp.MustCompile(`https://[^\s"]+`)

// mentions returns, for each code, the operations whose responses name it.
func mentions(documents fs.FS) (map[string][]Operation, error) {
	files, err := fs.Glob(documents, "http/*.yaml")
	if err != nil {
		return nil, err
	}
	found := map[string][]Operation{}
	for _, file := range files {
		text, err := fs.ReadFile(documents, file)
		if err != nil {
			return nil, err
		}
		var d document
		if err := yaml.Unmarshal(text, &d); err != nil {
			return nil, fmt.Errorf("errordocs: %s: %w", file, err)
		}
		service := strings.TrimSuffix(path.Base(file), ".yaml")
		for _, item := range d.Paths {
			for _, node := range item {
				if err := d.mention(found, service, node); err != nil {
					return nil, fmt.Errorf("errordocs: %s: %w", file, err)
				}
			}
		}
	}
	return found, nil
}

// A document holds the parts of an OpenAPI document that name codes.
type document struct {
	Paths      map[string]map[string]yaml.Node `yaml:"paths"`
	Components struct {
		Responses map[string]yaml.Node `yaml:"responses"`
	} `yaml:"components"`
}

// mention adds the codes of one operation. It skips members of a path without operationId, for example parameters.
func (d document) mention(found map[string][]Operation, service string, node yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	var o struct {
		ID        string               `yaml:"operationId"`
		Tags      []string             `yaml:"tags"`
		Responses map[string]yaml.Node `yaml:"responses"`
	}
	if err := node.Decode(&o); err != nil {
		return err
	}
	if o.ID == "" || len(o.Tags) == 0 {
		return nil
	}
	for _, response := range o.Responses {
		text, err := d.text(response)
		if err != nil {
			return err
		}
		for _, m := range code.FindAllStringSubmatch(address.ReplaceAllString(text, ""), -1) {
			found[m[1]] = append(found[m[1]], Operation{Service: service, Tag: o.Tags[0], ID: o.ID})
		}
	}
	return nil
}

// text returns the YAML text of a response, with a reference resolved.
func (d document) text(response yaml.Node) (string, error) {
	var to struct {
		Ref string `yaml:"$ref"`
	}
	if err := response.Decode(&to); err != nil {
		return "", err
	}
	if name, ok := strings.CutPrefix(to.Ref, "#/components/responses/"); ok {
		response = d.Components.Responses[name]
	}
	text, err := yaml.Marshal(&response)
	return string(text), err
}
