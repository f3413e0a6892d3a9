// Runs the forge of package-lock.json: `node forge.mjs test`. The package @foundry-rs/forge does the same, but cannot be
// locked where one of its platforms is missing from the registry, and runs a script when it is installed. On a platform
// that is not in package.json the forge of the PATH is taken; it must be the same version.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";

const exe = process.platform === "win32" ? "forge.exe" : "forge";
const arch = process.arch === "x64" ? "amd64" : process.arch;
let forge = exe;
try {
  forge = createRequire(import.meta.url).resolve(`@foundry-rs/forge-${process.platform}-${arch}/bin/${exe}`);
} catch {
  console.error("no forge was installed for this platform: trying the one of the PATH");
}
const { status, error } = spawnSync(forge, process.argv.slice(2), { stdio: "inherit", cwd: import.meta.dirname });
if (error) console.error(`couldn't run ${forge}: ${error.message}`);
process.exit(status ?? 1);
