// Prints the errors that the parser finds in an AsyncAPI document, and fails if there are any: node parse.cjs <packages> <document>
const { createRequire } = require("node:module");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const [packages, document] = process.argv.slice(2);
const { Parser } = createRequire(join(packages, "package.json"))("@asyncapi/parser");

new Parser().parse(readFileSync(document, "utf8"), { source: document }).then(({ document: parsed, diagnostics }) => {
  const errors = diagnostics.filter((d) => d.severity === 0);
  for (const { path, message } of errors) console.log("/" + path.join("/"), message);
  if (!parsed || errors.length > 0) process.exit(1);
  console.log(parsed.channels().all().length, "channels,", parsed.operations().all().length, "operations");
});
