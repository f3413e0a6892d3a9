// Holds CycloneDX documents against the schema of their version, strictly: node validate.mjs FILE…
import { readFileSync } from "node:fs";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";

if (process.argv.length < 3) throw new Error("name a document");
for (const file of process.argv.slice(2)) {
  const wrong = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(readFileSync(file, "utf8"));
  if (wrong !== null) throw new Error(`${file} is no CycloneDX 1.6: ${JSON.stringify(wrong)}`);
}
