// Mutation tests: `npm run mutants`. Each mutant is the contract with one thing changed, compiled like the artifact; the forge
// tests must fail on it. Every survivor is a test that is missing, or it is listed as equivalent, with the reason.
//
//   node mutants/run.mjs             all of them, for half an hour or more
//   node mutants/run.mjs --part 2/8  every eighth, from the second
//   node mutants/run.mjs --only bits those of a rule, or of a source (Projects.sol), or the one of that name
//   node mutants/run.mjs --check     only that each applies to the sources as they are, which takes no time
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "./generate.mjs";
import { equivalent, written } from "./list.mjs";
import { conditions, lineAt, root, sources } from "./source.mjs";

const parallel = 2;
const timeout = 1_800_000; // far beyond what the tests take on a busy machine: endless mutants run out of gas
// The tests that know most of a source run first.
const first = { "src/Projects.sol": "ProjectTest|UpdateTest", "src/Edits.sol": "EditsTest|ProjectTest", "src/ScoreRegistry.sol": "UpdateTest|ProjectTest|RolesTest" };

const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);

// ------------------------------------------------------------------------------------------------------- mutants

const problems = [];

function fromList() {
  return written.flatMap(({ file, from, to }) => {
    const { text } = sources.find(({ path }) => path === file) ?? { text: "" };
    const start = text.indexOf(from);
    if (start < 0 || text.indexOf(from, start + 1) >= 0) {
      problems.push(`${file}: a mutant of the list wants exactly one of: ${from}`);
      return [];
    }
    return [{ file, line: lineAt(text, start), start, end: start + from.length, to, rule: "written" }];
  });
}

function describe(mutant) {
  const { text } = sources.find(({ path }) => path === mutant.file);
  const mutated = text.slice(0, mutant.start) + mutant.to + text.slice(mutant.end);
  const at = mutant.line - 1;
  const was = text.split("\n")[at].trim();
  const is = mutated.split("\n")[at].trim();
  const name = createHash("sha256").update(`${mutant.file}\0${was}\0${is}\0${mutant.rule}`).digest("hex").slice(0, 8);
  return { ...mutant, mutated, was, is, name };
}

function all() {
  const mutants = [...fromList(), ...generate()].map(describe).filter(({ was, is }) => was !== is);
  const used = new Set();
  const left = mutants.filter((mutant) => {
    const same = equivalent.find(({ file, line, to }) => file === mutant.file && line === mutant.was && to === mutant.is);
    if (same) used.add(same);
    return !same;
  });
  for (const entry of equivalent) {
    if (!used.has(entry)) problems.push(`${entry.file}: no such equivalent mutant any more: ${entry.line} -> ${entry.to}`);
  }
  const forced = mutants.filter(({ rule, to }) => rule === "condition" && /^[01]$/.test(to)).length;
  const due = sources.reduce((sum, { text }) => sum + 2 * conditions(text).length, 0);
  if (forced !== due) problems.push(`${forced} mutants force conditions in assembly, ${due} should`);
  return { mutants: left, excused: mutants.length - left.length };
}

// ------------------------------------------------------------------------------------------------------- running

/** @returns {Promise<{ ok: boolean, late: boolean, output: string }>} late: it did not end in time */
function run(command, env) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { cwd: root, env: { ...process.env, ...env }, timeout, killSignal: "SIGKILL" });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.on("close", (code, signal) => resolve({ ok: code === 0, late: signal === "SIGKILL", output }));
  });
}

function forge(artifact, worker, more) {
  const env = {
    FOUNDRY_PROFILE: "mutants",
    FORGE_SNAPSHOT_CHECK: "false",
    REGISTRY: artifact,
    FOUNDRY_FUZZ_FAILURE_PERSIST_DIR: `out/mutants/${worker}/fuzz`,
    FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR: `out/mutants/${worker}/invariant`,
  };
  return run(["forge.mjs", "test", "--fail-fast", "-j", "1", "--no-match-contract", "GasTest", ...more], env);
}

/** @returns {Promise<{ result: "killed" | "survived" | "stillborn", by: string }>} stillborn: it does not compile */
async function judge(mutant, worker) {
  const dir = join("out/mutants", String(worker));
  rmSync(join(root, dir), { recursive: true, force: true });
  cpSync(join(root, "src"), join(root, dir, "src"), { recursive: true });
  if (mutant) writeFileSync(join(root, dir, mutant.file), mutant.mutated);
  const built = await run(["build.mjs", "--mutant", dir], {});
  if (!built.ok) return { result: "stillborn", by: built.output.match(/\w*Error: .*/)?.[0] ?? "" };
  const artifact = `${dir}/ScoreRegistry.json`;
  for (const more of [mutant && first[mutant.file] && ["--match-contract", first[mutant.file]], []]) {
    if (!more) continue;
    const { ok, late, output } = await forge(artifact, worker, more);
    if (late) return { result: "killed", by: "time" };
    if (!ok) return { result: "killed", by: output.match(/\[FAIL[^]*?\b(test\w*|invariant\w*)\(/)?.[1] ?? "setUp" };
  }
  return { result: "survived", by: "" };
}

const { mutants, excused } = all();
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${mutants.length} mutants (${written.length} written by hand), ${excused} equivalent ones left out`);
if (args.includes("--check")) process.exit(0);

const [part, parts] = (option("--part") ?? "1/1").split("/").map(Number);
const only = option("--only");
const wanted = ({ name, rule, file }) => !only || [name, rule, file.replace("src/", "")].includes(only);
const queue = mutants.filter((mutant, i) => wanted(mutant) && i % parts === part - 1);
mkdirSync(join(root, "out/mutants"), { recursive: true });
const sound = await judge(undefined, 0);
if (sound.result !== "survived") {
  console.error(`the contract itself is ${sound.result} (${sound.by}): no mutant can be judged`);
  process.exit(1);
}

const began = Date.now();
const counts = { killed: 0, survived: 0, stillborn: 0 };
const survivors = [];
await Promise.all(
  Array.from({ length: parallel }, async (_, worker) => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const { result, by } = await judge(mutant, worker);
      counts[result]++;
      if (result === "survived") survivors.push(mutant);
      const where = `${mutant.file.slice(4)}:${mutant.line}`;
      console.log(`${mutant.name}  ${result.padEnd(9)}  ${where.padEnd(22)}  ${mutant.rule.padEnd(10)}  ${by}`);
      if (result === "survived") console.log(`  - ${mutant.was}\n  + ${mutant.is}`);
    }
  }),
);
console.log(`\n${counts.killed} killed, ${survivors.length} survived, ${counts.stillborn} did not compile; ${Math.round((Date.now() - began) / 60_000)} minutes`);
process.exit(survivors.length > 0 ? 1 : 0);
