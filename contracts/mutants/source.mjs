// The sources that are mutated, and where their assembly is.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");

/** All of src/ that compiles to code. */
export const sources = readdirSync(join(root, "src"))
  .filter((name) => name.endsWith(".sol") && !/^I[A-Z]/.test(name))
  .map((name) => ({ path: `src/${name}`, text: readFileSync(join(root, "src", name), "utf8") }));

/** @returns {{ start: number, end: number }[]} the assembly blocks, as offsets into the text */
export function assemblyBlocks(text) {
  return [...text.matchAll(/assembly \("memory-safe"\) \{/g)].map((match) => {
    let end = match.index + match[0].length;
    for (let depth = 1; depth > 0; ++end) depth += text[end] === "{" ? 1 : text[end] === "}" ? -1 : 0;
    return { start: match.index, end };
  });
}

/** @returns {{ start: number, end: number }[]} the conditions in assembly: what stands between `if`, or `for {}`, and `{` */
export function conditions(text) {
  return assemblyBlocks(text).flatMap((block) =>
    [...text.slice(block.start, block.end).matchAll(/(\bif |\bfor \{\} )(?!1 )([^{}\n]+?) \{/g)].map((match) => {
      const start = block.start + match.index + match[1].length;
      return { start, end: start + match[2].length };
    }),
  );
}

export const lineAt = (text, offset) => text.slice(0, offset).split("\n").length;
