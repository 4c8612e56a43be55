package terraform

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"melmastoon.ghasi.io/scripts/catalogue/deployment"
	"melmastoon.ghasi.io/shared/testkit/check"
)

// A resource is one that an apply would create, with the arguments that the configuration gives it. Blocks are lists of objects.
type resource struct {
	Kind, Address string
	Arguments     map[string]any
}

// A system is what Terraform makes of the configuration for given variables.
type system struct{ resources []resource }

func (s system) of(kind string) (found []resource) {
	for _, r := range s.resources {
		if r.Kind == kind {
			found = append(found, r)
		}
	}
	return found
}

// at returns the values at a path of member names. Lists on the way contribute each of their elements.
func at(value any, path ...string) []any {
	if list, ok := value.([]any); ok {
		var found []any
		for _, v := range list {
			found = append(found, at(v, path...)...)
		}
		return found
	}
	if len(path) == 0 || value == nil {
		return []any{value}
	}
	object, _ := value.(map[string]any)
	if inner, ok := object[path[0]]; ok && inner != nil {
		return at(inner, path[1:]...)
	}
	return nil
}

// first is the first string at a path, or nothing.
func (r resource) first(path ...string) string {
	for _, v := range at(r.Arguments, path...) {
		if text, ok := v.(string); ok {
			return text
		}
	}
	return ""
}

// Variables of the two deployments that the guide describes.
var (
	ofBoth = map[string]any{
		"project": "a-project-with-the-longest-id1", "domain": "hotels.example", "images": "me-central1-docker.pkg.dev/hotels/melmastoon", "alert_email": "oncall@hotels.example",
	}
	ofProduction = map[string]any{"upstreams": platform(), "desk_callers": []string{"desk@desk-software.iam.gserviceaccount.com"}, "warehouse_dataset": "hotels-prod.telemetry", "billing_account": "012345-6789AB-CDEF01",
		"probe_hotel": map[string]any{"tenant": "tnt_01J8KABG000000000000000TNT", "property": "ppt_01J8KABG000000000000000PPT", "slug": "probe-hotel", "city": "Kabul"}}
	ofDemo = map[string]any{"demo": true, "documents": "redis", "redis_ca": "-----BEGIN CERTIFICATE-----\n", "backend_services": 130}
)

func platform() map[string]any {
	services := map[string]any{}
	for _, name := range []string{"challenge", "inventory", "lock", "payment", "pricing", "property", "search", "tenant", "theme"} {
		services[name] = map[string]string{"url": "https://" + name + ".platform.example/v1", "audience": "https://" + name + ".platform.example"}
	}
	return services
}

// blueprint turns each Google resource of the copy into a local value, so that Terraform evaluates the whole configuration without
// the provider. What the provider would compute is made up.
func (w configCopy) blueprint() {
	w.t.Helper()
	check.Must(w.t, os.RemoveAll(filepath.Join(w.dir, "tests")))
	modules := check.Got(filepath.Glob(filepath.Join(w.dir, "modules", "*"))).Must(w.t)
	for _, dir := range append(modules, w.dir) {
		files := check.Got(filepath.Glob(filepath.Join(dir, "*.tf"))).Must(w.t)
		var all draft
		for _, file := range files {
			source := check.Got(os.ReadFile(file)).Must(w.t)
			check.Must(w.t, os.WriteFile(file, []byte(all.redraw(string(source))), 0o600))
		}
		check.Must(w.t, os.WriteFile(filepath.Join(dir, "blueprint.tf"), []byte(all.output()), 0o600))
	}
}

// evaluate makes the blueprint of the copy with these variables, and returns what an apply would create.
func (w configCopy) evaluate(vars ...map[string]any) (system, error) {
	w.t.Helper()
	for _, id := range []string{"default_service = path_matcher.value", "service  = google_compute_backend_service.function[route_rules.value.function]"} {
		w.replace("edge.tf", id+".id", id+".name") // a blueprint has no ids to follow
	}
	w.blueprint()
	given := map[string]any{"archives": w.archives()}
	for _, v := range append([]map[string]any{ofBoth}, vars...) {
		maps.Copy(given, v)
	}
	text := check.Got(json.Marshal(given)).Must(w.t)
	check.Must(w.t, os.WriteFile(filepath.Join(w.dir, "terraform.tfvars.json"), text, 0o600))
	for _, args := range [][]string{{"init", "-backend=false", "-no-color"}, {"apply", "-auto-approve", "-no-color"}} {
		if out, err := w.run(args...); err != nil {
			return system{}, fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	out, err := w.run("output", "-json", "blueprint")
	if err != nil {
		return system{}, fmt.Errorf("output: %w\n%s", err, out)
	}
	var made map[string]map[string]map[string]map[string]any
	check.Must(w.t, json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &made))
	var s system
	for _, place := range slices.Sorted(maps.Keys(made)) {
		for _, name := range slices.Sorted(maps.Keys(made[place])) {
			for _, key := range slices.Sorted(maps.Keys(made[place][name])) {
				kind, _, _ := strings.Cut(name, ".")
				s.resources = append(s.resources, resource{Kind: kind, Address: place + name + "[" + key + "]", Arguments: made[place][name][key]})
			}
		}
	}
	if len(s.resources) < 50 {
		w.t.Fatalf("the blueprint has %d resources: this shows nothing", len(s.resources))
	}
	return s, nil
}

// An evaluation is shared by the tests that only read it.
type evaluation struct {
	vars map[string]any
	once sync.Once
	s    system
	err  error
}

var (
	ofTheProduction = evaluation{vars: ofProduction}
	ofTheDemo       = evaluation{vars: ofDemo}
)

// system evaluates the configuration for the first test that asks.
func (e *evaluation) system(t testing.TB) system {
	t.Helper()
	need(t)
	e.once.Do(func() {
		e.err = errors.New("the first evaluation failed")
		e.s, e.err = open(t).evaluate(e.vars)
	})
	check.Must(t, e.err)
	return e.s
}

// catalogue is that of the copy.
func (w configCopy) catalogue() (d deployment.Deployment) {
	w.t.Helper()
	text := check.Got(os.ReadFile(filepath.Join(w.dir, "catalogue.json"))).Must(w.t)
	check.Must(w.t, json.Unmarshal(text, &d))
	return d
}

// archives names an archive for each function and job of the copy's catalogue.
func (w configCopy) archives() map[string]string {
	d, named := w.catalogue(), map[string]string{}
	for _, f := range d.Functions {
		named[f.Archive] = f.Archive + "-0123456789abcdef.zip"
	}
	for _, j := range d.Jobs {
		named[j.Archive] = j.Archive + "-0123456789abcdef.zip"
	}
	return named
}

// A draft is one folder of the configuration while its resources become local values. It relies on the layout of terraform fmt, which
// a test demands: what belongs to a block is indented by two.
type draft struct {
	resources []string // as type.name
	each      map[string]string
	modules   []string // expressions that map each instance of a module to its blueprint
}

var (
	opens    = regexp.MustCompile(`^([a-z_0-9]+)((?: "[^"]*")*) \{$`)
	empty    = regexp.MustCompile(`^([a-z_0-9]+) \{\}$`)
	assigns  = regexp.MustCompile(`^([a-z_0-9]+) += (.*)$`)
	refers   = regexp.MustCompile(`\b(?:data\.)?(google_[a-z0-9_]+)\.([a-z_]+)`)
	repeats  = regexp.MustCompile(`\beach\.(key|value)\b`)
	computed = []string{ // of every resource, unless it is configured
		`id = "projects/x/names/computed"`, `email = "somebody@x.iam.gserviceaccount.com"`, `number = "123456789012"`, `connection_name = "x:region:melmastoon"`,
		`name = "computed"`, `address = "203.0.113.7"`, `uptime_check_id = "check"`,
		`dns_resource_record = []`, `uri = "https://function-x.a.run.app"`,
	}
)

// A body is the inside of a block.
type body struct {
	attributes [][2]string
	blocks     []block
}

type block struct {
	kind   string
	labels []string
	body
}

// parse reads lines that are indented as deep as the first of them, and returns how many it has read.
func parse(lines []string, indent string) (b body, read int) {
	for read < len(lines) {
		line, ok := strings.CutPrefix(lines[read], indent)
		switch {
		case lines[read] == "" || ok && strings.HasPrefix(line, "#"):
			read++
		case !ok:
			return b, read
		case opens.MatchString(line):
			m := opens.FindStringSubmatch(line)
			inner, n := parse(lines[read+1:], indent+"  ")
			b.blocks = append(b.blocks, block{kind: m[1], labels: strings.Fields(strings.ReplaceAll(m[2], `"`, "")), body: inner})
			read += n + 2 // the brackets
		case empty.MatchString(line):
			b.blocks = append(b.blocks, block{kind: empty.FindStringSubmatch(line)[1]})
			read++
		default:
			m := assigns.FindStringSubmatch(line)
			if m == nil {
				return b, read
			}
			value := []string{m[2]}
			for read++; read < len(lines) && continues(lines[read], indent); read++ {
				value = append(value, lines[read])
			}
			b.attributes = append(b.attributes, [2]string{m[1], strings.Join(value, "\n")})
		}
	}
	return b, read
}

func continues(line, indent string) bool {
	rest, ok := strings.CutPrefix(line, indent)
	return ok && rest != "" && !strings.HasPrefix(rest, "#") && !assigns.MatchString(rest) && !opens.MatchString(rest) && !empty.MatchString(rest)
}

// redraw writes a file anew, with local values for resources and without the provider.
func (d *draft) redraw(source string) string {
	parsed, _ := parse(strings.Split(source, "\n"), "")
	var out bytes.Buffer
	for _, b := range parsed.blocks {
		switch {
		case b.kind == "terraform", b.kind == "provider":
		case (b.kind == "resource" || b.kind == "data") && strings.HasPrefix(b.labels[0], "google_"):
			fmt.Fprintf(&out, "locals {\n%s = %s\n}\n", b.labels[0]+"__"+b.labels[1], d.value(b))
		default:
			if b.kind == "module" {
				d.module(b)
			}
			b.write(&out)
		}
	}
	return refers.ReplaceAllString(out.String(), "local.${1}__$2")
}

func (d *draft) module(b block) {
	name := b.labels[0]
	if b.attribute("for_each") != "" {
		d.modules = append(d.modules, fmt.Sprintf(`{ for key, m in module.%s : "%s[${key}]." => m.blueprint[""] }`, name, name))
	} else {
		d.modules = append(d.modules, fmt.Sprintf(`{ "%s." = module.%s.blueprint[""] }`, name, name))
	}
}

func (b body) attribute(name string) string {
	for _, a := range b.attributes {
		if a[0] == name {
			return a[1]
		}
	}
	return ""
}

// value is a resource as an expression: an object, or as many as for_each or count say.
func (d *draft) value(b block) string {
	name := b.labels[0] + "." + b.labels[1]
	if b.kind == "resource" {
		d.resources = append(d.resources, name)
	}
	if d.each == nil {
		d.each = map[string]string{}
	}
	object := "merge({" + strings.Join(computed, ", ") + "}, " + b.object() + ")"
	switch each, count := b.attribute("for_each"), b.attribute("count"); {
	case each != "":
		d.each[name] = "for_each"
		return "{ for each_key, each_value in " + each + " : each_key => " + repeats.ReplaceAllString(object, "each_$1") + " }"
	case count != "":
		d.each[name] = "count"
		return "[for index in range(" + count + ") : " + object + "]"
	}
	return object
}

var meta = []string{"for_each", "count", "depends_on", "lifecycle", "provider", "provisioner"}

// object is the body as an expression.
func (b body) object() string {
	var members []string
	for _, a := range b.attributes {
		if !slices.Contains(meta, a[0]) {
			members = append(members, a[0]+" = "+a[1])
		}
	}
	lists, order := map[string][]string{}, []string{}
	for _, inner := range b.blocks {
		name, list := inner.kind, "["+inner.object()+"]"
		if name == "dynamic" {
			name = inner.labels[0]
			list = inner.dynamic()
		}
		if slices.Contains(meta, name) {
			continue
		}
		if name == "service_config" {
			list = "[merge({ uri = \"https://function-x.a.run.app\" }, " + inner.object() + ")]"
		}
		if lists[name] == nil {
			order = append(order, name)
		}
		lists[name] = append(lists[name], list)
	}
	for _, name := range order {
		members = append(members, name+" = concat("+strings.Join(lists[name], ", ")+")")
	}
	return "{\n" + strings.Join(members, "\n") + "\n}"
}

func (b block) dynamic() string {
	name := b.labels[0]
	content := regexp.MustCompile(`\b`+name+`\.(key|value)\b`).ReplaceAllString(b.blocks[0].object(), name+"_$1")
	return "[for " + name + "_key, " + name + "_value in " + b.attribute("for_each") + " : " + content + "]"
}

// write writes a block as it is, but for what it waits for.
func (b block) write(out *bytes.Buffer) {
	out.WriteString(b.kind)
	for _, l := range b.labels {
		fmt.Fprintf(out, " %q", l)
	}
	out.WriteString(" {\n")
	for _, a := range b.attributes {
		if a[0] != "depends_on" {
			fmt.Fprintf(out, "%s = %s\n", a[0], a[1])
		}
	}
	for _, inner := range b.blocks {
		inner.write(out)
	}
	out.WriteString("}\n")
}

// output is everything that evaluating the folder yields: by module, by resource, by instance.
func (d *draft) output() string {
	var own []string
	for _, name := range d.resources {
		local := "local." + strings.Replace(name, ".", "__", 1)
		switch d.each[name] {
		case "for_each":
		case "count":
			local = "{ for i, v in " + local + " : tostring(i) => v }"
		default:
			local = `{ "" = ` + local + " }"
		}
		own = append(own, fmt.Sprintf("%q = %s", name, local))
	}
	parts := append([]string{"{ \"\" = {\n" + strings.Join(own, "\n") + "\n} }"}, d.modules...)
	return "output \"blueprint\" {\nvalue = merge(" + strings.Join(parts, ", ") + ")\n}\n"
}

func TestBlueprint_has_every_resource(t *testing.T) {
	t.Parallel()
	s := ofTheProduction.system(t)
	kinds := map[string]bool{}
	for _, r := range s.resources {
		kinds[r.Kind] = true
	}
	files := check.Got(filepath.Glob(filepath.Join(home, "*.tf"))).Must(t)
	modules := check.Got(filepath.Glob(filepath.Join(home, "modules", "*", "*.tf"))).Must(t)
	for _, file := range slices.Concat(files, modules) {
		source := check.Got(os.ReadFile(file)).Must(t)
		for _, kind := range all(made, string(source)) {
			if strings.HasPrefix(kind, "google_") && !kinds[kind] {
				t.Errorf("the blueprint has no %s", kind)
			}
		}
	}
}
