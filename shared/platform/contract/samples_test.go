package contract

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A maker makes payloads after a schema, and then spoils them. Scalars are texts of JSON, because how a number or a string
// is written matters too.
type maker struct{ *rand.Rand }

func pick[T any](m maker, of []T) T { return of[m.IntN(len(of))] }

// value is one that the schema allows.
func (m maker) value(schema map[string]any) any {
	if only, ok := schema["const"].(string); ok {
		return m.text(only)
	}
	if options, ok := schema["enum"].([]any); ok {
		return m.text(pick(m, options).(string))
	}
	named, ok := schema["type"].(string)
	if !ok {
		types, _ := schema["type"].([]any)
		if len(types) == 0 {
			return jsontext.Value("null")
		}
		named = pick(m, types).(string)
	}
	switch named {
	case "object":
		return m.object(schema)
	case "array":
		items := []any{}
		for range 1 + m.IntN(3) {
			items = append(items, m.value(schema["items"].(map[string]any)))
		}
		return items
	case "string":
		return m.text(m.content(schema))
	case "boolean":
		return jsontext.Value(pick(m, []string{"true", "false"}))
	case "null":
		return jsontext.Value("null")
	case "integer":
		if most, ok := schema["maximum"]; ok {
			return jsontext.Value(fmt.Sprint(most))
		}
		return jsontext.Value(pick(m, []string{"120", "150.0", "0.2e3", "121"}))
	}
	return jsontext.Value(pick(m, []string{"1", "0.5", "5e-1", "1.0"}))
}

func (m maker) object(schema map[string]any) map[string]any {
	members := map[string]any{}
	if branch, ok := schema["then"].(map[string]any); ok && m.IntN(2) == 0 {
		members = m.object(branch)
	}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) { // in an order, so that the same dice throw the same
		if slices.Contains(required, any(name)) || m.IntN(4) > 0 {
			members[name] = m.value(properties[name].(map[string]any))
		}
	}
	return members
}

// content is what a string may hold.
func (m maker) content(schema map[string]any) string {
	switch schema["format"] {
	case "date":
		return pick(m, []string{"2026-04-22", "2024-02-29", "0000-01-01", "9999-12-31"})
	case "date-time":
		return pick(m, []string{"2026-04-22T18:31:00.123Z", "2026-04-22t18:31:00z", "2016-12-31T23:59:60Z", "2017-01-01T04:29:60.5+04:30"})
	}
	if pattern, ok := schema["pattern"].(string); ok {
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			panic(err)
		}
		var b strings.Builder
		m.match(&b, tree)
		return b.String()
	}
	return pick(m, []string{"x", "کابل", `quote " and \ slash`})
}

// match writes what the expression matches.
func (m maker) match(b *strings.Builder, e *syntax.Regexp) {
	times := 1
	switch e.Op {
	case syntax.OpLiteral:
		b.WriteString(string(e.Rune))
		return
	case syntax.OpCharClass:
		i := 2 * m.IntN(len(e.Rune)/2)
		b.WriteRune(e.Rune[i] + m.Int32N(e.Rune[i+1]-e.Rune[i]+1))
		return
	case syntax.OpAlternate:
		m.match(b, pick(m, e.Sub))
		return
	case syntax.OpRepeat:
		times = e.Min + m.IntN(e.Max-e.Min+1)
	case syntax.OpStar, syntax.OpQuest:
		times = m.IntN(2)
	}
	for range times {
		for _, sub := range e.Sub {
			m.match(b, sub)
		}
	}
}

// text is a string of JSON, sometimes with escapes that need not be.
func (m maker) text(content string) jsontext.Value {
	quoted, err := jsontext.AppendQuote(nil, content)
	if err != nil {
		panic(err)
	}
	if m.IntN(8) == 0 && len(content) > 0 && content[0] >= '0' && content[0] <= 'z' && content[0] != '\\' {
		const hex = "0123456789abcdef"
		quoted = slices.Concat([]byte{'"', '\\', 'u', '0', '0', hex[content[0]>>4], hex[content[0]&15]}, quoted[2:])
	}
	return quoted
}

// spoil changes something somewhere below a value, or the value, and returns it. Mostly it does not fit any more.
func (m maker) spoil(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return m.spoilMembers(v)
	case []any:
		if len(v) > 0 && m.IntN(3) > 0 {
			i := m.IntN(len(v))
			v[i] = m.spoil(v[i])
			return v
		}
		return pick(m, []any{[]any{}, slices.Repeat(append(v, jsontext.Value("1")), 40), m.other()})
	case jsontext.Value:
		if content, err := jsontext.AppendUnquote(nil, v); v.Kind() == '"' && err == nil && m.IntN(3) > 0 {
			return m.text(m.spoilContent(string(content)))
		}
		if v.Kind() == '0' && m.IntN(3) > 0 {
			return jsontext.Value(pick(m, numbers))
		}
	}
	return m.other()
}

func (m maker) spoilMembers(members map[string]any) any {
	names := slices.Sorted(maps.Keys(members))
	switch way := m.IntN(8); {
	case way == 0:
		return m.other()
	case way == 1 || len(names) == 0:
		members[pick(m, []string{"email", "a/b~c", "نام", "", "status", `"`})] = m.other()
	case way == 2:
		delete(members, pick(m, names))
	default:
		name := pick(m, names)
		members[name] = m.spoil(members[name])
	}
	return members
}

// other is a value that has nothing to do with what was there.
func (m maker) other() any {
	return pick(m, []any{map[string]any{}, map[string]any{"x": []any{map[string]any{"y": jsontext.Value(`"]}"`)}}}, []any{}, []any{jsontext.Value("null"), jsontext.Value("{}")},
		m.text(""), m.text("x"), jsontext.Value("null"), jsontext.Value("true"), jsontext.Value("false"), jsontext.Value(pick(m, numbers))})
}

// numbers lie at and beside the bounds that schemas state.
var numbers = []string{"0", "-0", "-1", "1", "2", "4", "5", "99", "100", "101", "119", "120", "1800", "1801", "0.5", "1.0", "1.00001", "-0.00001",
	"0.0", "0e7", "1e0", "10e-1", "1E+2", "1.5e1", "15e-1", "1e-400", "-1e400", "1e400", "123456789012345678901234567890", "4.0000000000000000000000001"}

// spoilContent changes what a string holds.
func (m maker) spoilContent(content string) string {
	switch m.IntN(6) {
	case 0:
		return ""
	case 1:
		return strings.ToValidUTF8(content[:len(content)/2], "")
	case 2:
		return content + pick(m, []string{"x", " ", "é", "0", "\n"})
	case 3:
		return strings.Repeat(pick(m, []string{"x", "é", "A"}), pick(m, []int{1, 39, 40, 41, 63, 64, 65, 99, 100, 101, 200, 201}))
	case 4:
		return strings.ToUpper(content)
	}
	return pick(m, instants)
}

// instants are dates and times, of which some are none.
var instants = []string{"2026-02-29", "2024-02-29", "1900-02-29", "2000-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "2026-4-22", "2026-04-00", "20260422", "2026/04/22", "",
	"2026-04-22T24:00:00Z", "2026-04-22T23:60:00Z", "2026-04-22T23:59:61Z", "2026-04-22T23:59:60Z", "2026-04-22T22:59:60Z", "2026-04-22T22:59:60-01:00",
	"2026-04-23T00:59:60+01:00", "2026-04-23T00:59:60+24:00", "2026-04-22T18:31Z", "2026-04-22T18:31:00", "2026-04-22 18:31:00Z", "2026-04-22T18:31:00.Z",
	"2026-04-22T18:31:00,5Z", "2026-04-22T18:31:00.5", "2026-04-22T18:31:00+0430", "2026-04-22T18:31:00+04:60", "2026-04-22T18:31:00-23:59", "2026-02-30T18:31:00Z", "2026-04-22T18:31:00ZZ"}
