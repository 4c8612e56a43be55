// Generates src/generated from the OpenAPI documents: types of parameters, bodies and successful responses, the problems of each
// operation, and the table from which the client builds its requests; and from the schemas of the events the types of their payloads.
// Run it with: npm run generate
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { parse } from "yaml";

const documents = new URL("../../", import.meta.url);
const generated = new URL("src/generated/", import.meta.url);
const methods = ["get", "put", "post", "delete", "patch"];
const keyHeader = "Idempotency-Key"; // the client adds it

for (const service of ["consumer", "tenantbooking", "reservation"]) {
  const source = new URL(`${service}.yaml`, documents);
  const document = parse(await readFile(source, "utf8"));
  const operations = operationsOf(document);
  const types = await openapiTS(typesOnly(document), { rootTypes: true, rootTypesNoSchemaPrefix: true, cwd: fileURLToPath(documents), silent: true });
  const kept = types.filter((node) => !["paths", "webhooks", "$defs"].includes(node.name?.escapedText));
  const text = [
    `// Generated from ${service}.yaml by generate.mjs. Do not edit.`,
    `import type { Operation } from "../client.js";`,
    `import type { ProblemOf } from "../problem.js";`,
    "",
    astToString(kept).trim(),
    "",
    `type Refusal<Status extends number, Code extends string> = ProblemOf<components["schemas"]["Problem"], Status, Code>;`,
    "",
    "/** The problems of each operation, by their code. */",
    "export interface problems {",
    ...operations.map((o) => `    ${o.name}:${problemsOf(o)};`),
    "}",
    "",
    "/** How each operation is requested. */",
    "export const table = {",
    ...operations.map((o) => `    ${o.name}: ${JSON.stringify(requestOf(o))},`),
    "} as const satisfies Record<keyof operations, Operation>;",
    "",
  ].join("\n");
  await writeFile(new URL(`${service}.ts`, generated), text);
}

const schemas = new URL("../events/", documents);
const events = [];
for (const file of (await readdir(schemas)).filter((name) => name.endsWith(".json")).sort()) {
  events.push({ subject: file.replace(/\.json$/, ""), schema: JSON.parse(await readFile(new URL(file, schemas), "utf8")) });
}
for (const { subject, schema } of events) {
  if (!/^[A-Z]\w+$/.test(schema.title)) throw new Error(`${subject}: its title ${JSON.stringify(schema.title)} is no name of a type`);
}
const payloads = Object.fromEntries(events.map((e) => [e.schema.title, payloadOf(e.schema)]));
const eventTypes = await openapiTS({ openapi: "3.1.0", info: { title: "Events", version: "1" }, paths: {}, components: { schemas: payloads } },
  { rootTypes: true, rootTypesNoSchemaPrefix: true, silent: true });
await writeFile(new URL("events.ts", generated), [
  "// Generated from the schemas of the events by generate.mjs. Do not edit.",
  "",
  astToString(eventTypes.filter((node) => !["paths", "webhooks", "$defs", "operations"].includes(node.name?.escapedText))).trim(),
  "",
  "/** The payload of each event, by its subject, which is the `type` of the CloudEvent. */",
  "export interface Payloads {",
  ...events.map((e) => `    ${JSON.stringify(e.subject)}: ${e.schema.title};`),
  "}",
  "",
].join("\n"));

/** A schema without the parts that have no type: conditions, annotations, and the values of an enum to which values may be added. */
function payloadOf(schema) {
  if (Array.isArray(schema)) return schema.map(payloadOf);
  if (schema === null || typeof schema !== "object") return schema;
  if (schema["x-enum"] === "open") return { type: "string", description: `${schema.description ?? ""} Known values: ${schema.enum.join(", ")}. There may be others.`.trim() };
  const kept = Object.entries(schema).filter(([name]) => !name.startsWith("$") && !name.startsWith("x-") && !["title", "examples", "allOf", "deprecatedSince"].includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, name === "properties" ? Object.fromEntries(Object.entries(value).map(([n, v]) => [n, payloadOf(v)])) : payloadOf(value)]));
}

/** The operations of a document. Their parameters include those of the path; references are resolved. */
function operationsOf(document) {
  const found = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods.filter((m) => item[m])) {
      const operation = item[method];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((p) => resolve(document, p));
      const responses = Object.entries(operation.responses).map(([status, r]) => [Number(status), resolve(document, r)]);
      found.push({ name: operation.operationId, path, method: method.toUpperCase(), parameters, responses });
    }
  }
  return found;
}

function resolve(document, value) {
  if (!value.$ref) return value;
  const parts = value.$ref.replace(/^#\//, "").split("/");
  return parts.reduce((at, part) => at[part], document);
}

function requestOf({ name, path, method, parameters }) {
  const query = parameters.filter((p) => p.in === "query").map((p) => p.name);
  const inPath = parameters.filter((p) => p.in === "path").map((p) => p.name);
  const twice = [...query, ...inPath, "body", "headers"].filter((n, i, all) => all.indexOf(n) !== i);
  if (twice.length > 0) throw new Error(`${name}: two parameters are named ${twice[0]}`);
  return { method, path, query, key: parameters.some((p) => p.in === "header" && p.name === keyHeader) };
}

/** The union of an operation's problems. The description of a response lists its codes, without the prefix MELMASTOON. */
function problemsOf({ name, responses }) {
  const known = responses.filter(([status]) => status >= 400).map(([status, response]) => {
    const codes = [...new Set(response.description.match(/\b[A-Z]+(?:\.[A-Z_]+)+\b/g) ?? [])];
    if (codes.length === 0) throw new Error(`${name}: the description of ${status} names no code`);
    return `\n        | Refusal<${status}, ${codes.map((c) => JSON.stringify(`MELMASTOON.${c}`)).join(" | ")}>`;
  });
  return known.join("");
}

/** The document without the parts that need no types: problems, response headers, examples and the header Idempotency-Key. */
function typesOnly(document) {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths)) {
    for (const each of [item, ...methods.map((m) => item[m]).filter(Boolean)]) {
      each.parameters = each.parameters?.filter((p) => resolve(document, p).name !== keyHeader);
      each.responses = each.responses && Object.fromEntries(Object.entries(each.responses)
        .filter(([status]) => Number(status) < 400).map(([status, r]) => [status, { ...resolve(document, r), headers: undefined }]));
    }
  }
  delete copy.components.responses;
  delete copy.components.headers;
  return withoutExamples(copy);
}

function withoutExamples(value) {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (value === null || typeof value !== "object") return value;
  const kept = {};
  for (const [name, member] of Object.entries(value)) {
    const isExample = name === "example" || name === "examples";
    if (member !== undefined && !(isExample && !value.properties && !isSchemaMap(value))) kept[name] = withoutExamples(member);
  }
  return kept;
}

/** Whether all members are schemas. Then a member named "example" is a property, not an example. */
function isSchemaMap(value) {
  return Object.values(value).every((m) => m !== null && typeof m === "object" && ("type" in m || "$ref" in m || "enum" in m));
}
