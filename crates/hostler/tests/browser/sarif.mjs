// node sarif.mjs NODE_MODULES FILE...: validates against the schema of SARIF 2.1.0 as it was published.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const [modules, ...files] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "x.js"));
const Ajv = require("ajv-draft-04").default;
const addFormats = require("ajv-formats").default;

const folder = path.join(path.resolve(modules), "@microsoft/jest-sarif/lib/schemas");
const schema = JSON.parse(await readFile(path.join(folder, "sarif-2.1.0-rtm.5.json"), "utf8"));
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
addFormats(ajv);
const validate = ajv.compile(schema);

let failed = validate({ version: "2.1.0", runs: [{}] }) ? ["the schema accepts a run without a tool"] : [];
for (const file of files) {
  if (!validate(JSON.parse(await readFile(file, "utf8")))) {
    failed = failed.concat(validate.errors.slice(0, 10).map((it) => `${file}: ${it.instancePath} ${it.message}`));
  }
}
for (const problem of failed) console.log(problem);
console.log(failed.length ? `${failed.length} checks failed` : `${files.length + 1} checks passed`);
process.exitCode = failed.length ? 1 : 0;
