// Compiles the contract into artifacts/, which are committed: `node build.mjs`. With --check it only compares, and fails
// when the committed artifacts are not what the sources compile to. With --compiler it stands in for solc, for forge; with
// --mutant it compiles the sources of another directory, warnings or not, into a file there, and leaves out the optimizer, which
// takes most of the time.
import { readFileSync, writeFileSync, mkdirSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const solc = createRequire(import.meta.url)("solc");

// Cancun is what every large L2 runs. The forge tests deploy the artifact, this very bytecode.
const settings = {
  evmVersion: "cancun",
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  metadata: { bytecodeHash: "none", appendCBOR: false },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
};
const mostCode = 24_576; // EIP-170
const contract = { file: "src/ScoreRegistry.sol", name: "ScoreRegistry" };

function findImport(roots) {
  return (path) => {
    for (const root of roots) {
      const file = join(root, path);
      if (existsSync(file)) return { contents: readFileSync(file, "utf8") };
    }
    return { error: `couldn't find ${path}` };
  };
}

function artifact(root = here, optimizer = settings.optimizer, isProblem = () => true) {
  const input = {
    language: "Solidity",
    sources: { [contract.file]: { content: readFileSync(join(root, contract.file), "utf8") } },
    settings: { ...settings, optimizer },
  };
  const read = findImport([root, join(here, "node_modules")]);
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read }));
  const problems = (output.errors ?? []).filter(isProblem).map((e) => e.formattedMessage);
  if (problems.length > 0) throw new Error(problems.join("\n")); // a warning is an error here
  const { abi, evm } = output.contracts[contract.file][contract.name];
  return {
    contractName: contract.name,
    compiler: solc.version().replace(/\.Emscripten.*/, ""),
    evmVersion: settings.evmVersion,
    abi,
    bytecode: "0x" + evm.bytecode.object,
    deployedBytecode: "0x" + evm.deployedBytecode.object,
  };
}

function build(check) {
  const file = join(here, "artifacts", `${contract.name}.json`);
  const built = artifact();
  const text = JSON.stringify(built, null, 2) + "\n";
  const size = (built.deployedBytecode.length - 2) / 2;
  if (size > mostCode) throw new Error(`${size} bytes of code: no chain takes more than ${mostCode}`);
  if (check) {
    if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
      console.error(`${file} is stale: run npm run build in contracts/, then go generate ./pkg/registry, and commit.`);
      process.exit(1);
    }
    console.log(`${file} is up to date (${size} bytes of code)`);
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`${file} written (${size} bytes of code)`);
}

function buildMutant(root) {
  const built = artifact(resolve(root), { enabled: false }, ({ severity }) => severity === "error");
  writeFileSync(join(root, `${contract.name}.json`), JSON.stringify(built));
}

// forge asks for --version, and for --standard-json with the input on stdin.
function compiler(args) {
  if (args.includes("--version")) {
    const version = solc.version().replace(".Emscripten.clang", ".Linux.g++");
    console.log(`solc, the solidity compiler commandline interface\nVersion: ${version}`);
    return;
  }
  const roots = args.flatMap((arg, i) => {
    if (arg === "--base-path" || arg === "--include-path") return [resolve(args[i + 1])];
    return [];
  });
  const output = solc.compile(readFileSync(0, "utf8"), { import: findImport([...roots, here, "/"]) });
  process.stdout.write(output);
}

const args = process.argv.slice(2);
if (args[0] === "--compiler") compiler(args.slice(1));
else if (args[0] === "--mutant") buildMutant(args[1]);
else build(args.includes("--check"));
