// Coverage of the contract by the forge tests: `npm run coverage`. Fails when a function or a branch was not reached.
//
// forge compiles the contract for this as source maps need it (--ir-minimum: legacy code generation finds the stack too
// deep), and the tests deploy that instead of the artifact. Such source maps know nothing of what is inside assembly.
// There mutants stand in for a count: mutants/run.mjs forces each condition in assembly to either side, and each of
// those mutants must die, which takes a test that goes that way and sees what it does.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assemblyBlocks, conditions, lineAt, root, sources } from "./mutants/source.mjs";

const report = "out/coverage/lcov.info";
mkdirSync(join(root, "out/coverage"), { recursive: true });
const { status } = spawnSync(
  process.execPath,
  ["forge.mjs", "coverage", "--ir-minimum", "--report", "lcov", "--report-file", report, "--no-match-contract", "GasTest"],
  {
    cwd: root,
    env: {
      ...process.env,
      FOUNDRY_PROFILE: "coverage",
      FORGE_SNAPSHOT_CHECK: "false",
      REGISTRY: "src/ScoreRegistry.sol:ScoreRegistry",
    },
    stdio: "inherit",
  },
);
if (status !== 0) process.exit(status ?? 1);

const records = readFileSync(join(root, report), "utf8").split("\n");
let whole = true;
for (const { path, text } of sources) {
  const blocks = assemblyBlocks(text).map(({ start, end }) => [lineAt(text, start), lineAt(text, end)]);
  const counts = { functions: [0, 0], branches: [0, 0], lines: [0, 0] };
  const missed = [];
  const count = (kind, line, hit) => {
    if (blocks.some(([first, last]) => line > first && line < last)) return;
    counts[kind][1]++;
    if (hit) counts[kind][0]++;
    else missed.push(`  ${path}:${line}: of the ${kind}, not reached: ${text.split("\n")[line - 1].trim()}`);
  };
  let file;
  const begins = {};
  for (const record of records) {
    const [kind, rest = ""] = record.split(/:(.*)/s);
    if (kind === "SF") file = rest;
    if (file !== path) continue;
    const fields = rest.split(",");
    if (kind === "FN") begins[fields.at(-1)] = Number(fields[0]);
    if (kind === "FNDA") count("functions", begins[fields[1]], fields[0] !== "0");
    if (kind === "BRDA") count("branches", Number(fields[0]), !["0", "-"].includes(fields[3]));
    if (kind === "DA") count("lines", Number(fields[0]), fields[1] !== "0");
  }
  const shares = Object.entries(counts).map(([kind, [hit, all]]) => `${kind} ${hit} of ${all}`);
  console.log(`${path}: ${shares.join(", ")}; conditions in assembly, for mutants: ${conditions(text).length}`);
  for (const line of missed) console.log(line);
  if (counts.functions[1] === 0) console.log(`  forge knows nothing of ${path}`);
  for (const kind of ["functions", "branches"]) whole &&= counts[kind][0] === counts[kind][1] && counts.functions[1] > 0;
}
if (!whole) console.error("not every function and branch was reached");
process.exit(whole ? 0 : 1);
