package contracts

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// withExample returns the text of a document with an answer as the example of its response. It edits lines, so that the rest of
// the document stays as it was written.
func withExample(text []byte, a recorded) ([]byte, error) {
	var tree yaml.Node
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	method, route, _ := strings.Cut(a.route, " ")
	key := find(tree.Content[0], "paths", route, strings.ToLower(method), "responses", a.status, "content")
	if key == nil {
		return nil, errors.New("the response is not described")
	}
	example, err := asYAML(a.body)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(text), "\n")
	at := expand(&lines, key.Line-1)
	at = remove(&lines, at)
	indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " "))]
	written := []string{indent + "example:"}
	for line := range strings.SplitSeq(strings.TrimRight(example, "\n"), "\n") {
		written = append(written, indent+"  "+line)
	}
	lines = append(lines[:at], append(written, lines[at:]...)...)
	return []byte(strings.Join(lines, "\n")), nil
}

// find returns the key of the last name, below the others.
func find(node *yaml.Node, names ...string) (key *yaml.Node) {
	for _, name := range names {
		key = nil
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == name {
				key, node = node.Content[i], node.Content[i+1]
				break
			}
		}
		if key == nil {
			return nil
		}
	}
	return key
}

var (
	inOneLine = regexp.MustCompile(`^( *)content: \{ application/json: \{ (schema: .*) \} \}$`)
	inTwo     = regexp.MustCompile(`^( *)application/json: \{ (schema: .*) \}$`)
)

// expand writes a content that starts at a line over several lines, and returns the first line of its media type.
func expand(lines *[]string, at int) int {
	if m := inOneLine.FindStringSubmatch((*lines)[at]); m != nil {
		replace(lines, at, m[1]+"content:", m[1]+"  application/json:", m[1]+"    "+m[2])
	}
	at++
	if m := inTwo.FindStringSubmatch((*lines)[at]); m != nil {
		replace(lines, at, m[1]+"application/json:", m[1]+"  "+m[2])
	}
	return at + 1
}

func replace(lines *[]string, at int, with ...string) {
	*lines = append((*lines)[:at], append(with, (*lines)[at+1:]...)...)
}

// remove deletes an example that starts at a line.
func remove(lines *[]string, at int) int {
	if !strings.HasPrefix(strings.TrimLeft((*lines)[at], " "), "example:") {
		return at
	}
	depth := len((*lines)[at]) - len(strings.TrimLeft((*lines)[at], " "))
	end := at + 1
	for strings.HasPrefix((*lines)[end], strings.Repeat(" ", depth+1)) {
		end++
	}
	*lines = append((*lines)[:at], (*lines)[end:]...)
	return at
}

// asYAML returns JSON as YAML in block style, with lists of at most two elements.
func asYAML(body []byte) (string, error) {
	if !json.Valid(body) {
		return "", errors.New("no JSON")
	}
	var node yaml.Node
	if err := yaml.Unmarshal(body, &node); err != nil {
		return "", err
	}
	block(&node)
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	err := encoder.Encode(&node)
	return text.String(), err
}

func block(node *yaml.Node) {
	if node.Kind != yaml.ScalarNode {
		node.Style &^= yaml.FlowStyle
	}
	if node.Kind == yaml.SequenceNode && len(node.Content) > 2 {
		node.Content = node.Content[:2]
	}
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			child.Style = 0
		}
		block(child)
	}
}
