// Package evolution decides whether a newer version of a contract may take the place of an older one.
//
// Compatibility is full (decision 195): consumers with the older schema accept what a producer with the newer one publishes, and
// the reverse. So a constraint may neither become narrower nor wider. The only changes without a new version are those that the
// specifications allow: an optional member of an open object, and a value of an open enum.
package evolution

import "fmt"

// A Verdict says whether a change is allowed.
type Verdict string

// The verdicts.
const (
	Compatible  Verdict = "compatible"
	Acknowledge Verdict = "acknowledge" // a person must say that the meaning is the same
	Breaking    Verdict = "breaking"    // needs a new version
)

// A Rule names a kind of change.
type Rule string

// The rules, with their verdicts.
const (
	MemberAdded         Rule = "member-added"
	EnumValueAdded      Rule = "enum-value-added" // of an open enum
	EnumClosed          Rule = "enum-closed"
	DescriptionAdded    Rule = "description-added"
	Deprecated          Rule = "deprecated"
	DescriptionChanged  Rule = "description-changed"
	AnnotationChanged   Rule = "annotation-changed"
	MemberRemoved       Rule = "member-removed"
	ClosedModelExtended Rule = "closed-model-extended"
	NewlyRequired       Rule = "newly-required"
	NoLongerRequired    Rule = "no-longer-required"
	EnumValueRemoved    Rule = "enum-value-removed"
	EnumExtended        Rule = "enum-extended" // a closed one
	EnumOpened          Rule = "enum-opened"
	SchemaAdded         Rule = "schema-added"
	SchemaDropped       Rule = "schema-dropped"
	AlternativeAdded    Rule = "alternative-added"
	AlternativeRemoved  Rule = "alternative-removed"
	KeywordChanged      Rule = "keyword-changed"

	// These are about the objects of OpenAPI documents.
	ModelClosed Rule = "content-model-closed"
	ModelOpened Rule = "content-model-opened"

	// These are about whole contracts.
	ContractAdded      Rule = "contract-added"
	ContractRetired    Rule = "contract-retired"
	ContractRemoved    Rule = "contract-removed"
	DeprecationMissing Rule = "deprecation-missing"
)

var lenient = map[Rule]Verdict{
	MemberAdded: Compatible, EnumValueAdded: Compatible, EnumClosed: Compatible, DescriptionAdded: Compatible, Deprecated: Compatible,
	DescriptionChanged: Acknowledge, AnnotationChanged: Acknowledge,
	ContractAdded: Compatible, ContractRetired: Compatible,
}

// Verdict returns the verdict of a rule.
func (r Rule) Verdict() Verdict {
	if v, ok := lenient[r]; ok {
		return v
	}
	return Breaking
}

// Rules returns all rules about one schema.
func Rules() []Rule {
	return []Rule{
		MemberAdded, EnumValueAdded, EnumClosed, DescriptionAdded, Deprecated, DescriptionChanged, AnnotationChanged, MemberRemoved,
		ClosedModelExtended, NewlyRequired, NoLongerRequired, EnumValueRemoved, EnumExtended, EnumOpened, SchemaAdded, SchemaDropped,
		AlternativeAdded, AlternativeRemoved, KeywordChanged,
	}
}

// A Finding is one change.
type Finding struct {
	Pointer string // into the canonical form: references are replaced by their targets
	Rule    Rule
	Detail  string

	Contract string  // the document, if there are several
	As       Verdict // in place of the rule's verdict, if another program has decided
}

// Verdict returns the verdict.
func (f Finding) Verdict() Verdict {
	if f.As != "" {
		return f.As
	}
	return f.Rule.Verdict()
}

// String returns the finding as one line.
func (f Finding) String() string {
	pointer := f.Pointer
	if pointer == "" {
		pointer = "/"
	}
	line := fmt.Sprintf("%s %s %s", pointer, f.Rule, f.Verdict())
	if f.Contract != "" {
		line = f.Contract + " " + line
	}
	if f.Detail != "" {
		line += " " + f.Detail
	}
	return line
}
