// Mutants made by rule, wherever in the sources a rule applies.
import { createHash } from "node:crypto";
import { assemblyBlocks, conditions, lineAt, sources } from "./source.mjs";

/** @typedef {{ start: number, end: number, to: string, rule: string }} Change of a text, or of a line */
/** @typedef {Change & { file: string, line: number }} Mutant */

// What replaces what. In Solidity and in assembly the same things have other names.
const solidity = [
  ["comparison", /(?<= )(<=|>=|<|>|==|!=)(?= )/g, { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==" }],
  ["logic", /(?<= )(&&|\|\|)(?= )/g, { "&&": "||", "||": "&&" }],
  ["arithmetic", /(?<= )([-+*/])(?= )/g, { "+": "-", "-": "+", "*": "/", "/": "*" }],
  ["bits", /(?<= )(&|\||\^|<<|>>)(?= )/g, { "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<" }],
  ["assignment", /(?<= )(\+=|-=|\|=|&=|\^=)(?= )/g, { "+=": "-=", "-=": "+=", "|=": "=", "&=": "=", "^=": "=" }],
  ["step", /(?<!; )(\+\+|--)(?=\w)/g, { "++": "--", "--": "++" }],
  ["literal", /\b(true|false)\b/g, { true: "false", false: "true" }],
];
const functions = { add: "sub", sub: "add", and: "or", or: "and", xor: "or", shl: "shr", shr: "shl", gt: "lt", lt: "gt" };
const assembly = [["operator", /\b(add|sub|and|or|xor|shl|shr|gt|lt)(?=\()/g, functions]];

const numbers = /(?<![\w.])(0x[0-9a-f]{1,4}|\d{1,3})(?![\w.])/g;
const condition = /\bif \((.+)\) (?:\w|\{$)/;
const statements = {
  assembly: /^\s*((?:s|m)store8?\(.*\)|calldatacopy\(.*\)|\w+ := .*)\s*$/,
  solidity: /^\s*((?:[\w.[\]&() ]+ (?:\+|-|\||&|\^)?= .*|(?:\+\+|--)[\w.]+|_\w+\(.*\)|b\.\w+\(.*\)|emit .*);)\s*$/,
};
const declaration = /^\s*(let|bool|u?int|bytes|mapping|address|Project)/;
const nothing = /^\s*(\/?\*|import|pragma|using|struct|event|error|library|abstract|contract|function|returns|unchecked)\b/;

// So many to a line are enough, the conditions in assembly aside: a line that no test watches is found by the first. Which ones
// those are is chance, but always the same; numbers come last.
const most = { solidity: 1, assembly: 2 };

/** @returns {Mutant[]} */
export function generate() {
  return sources.flatMap(({ path, text }) => {
    const blocks = assemblyBlocks(text);
    const forced = conditions(text).flatMap(({ start, end }) => [
      { start, end, to: "0", rule: "condition" },
      { start, end, to: "1", rule: "condition" },
    ]);
    let offset = 0;
    const chosen = text.split("\n").flatMap((line) => {
      const at = offset;
      offset += line.length + 1;
      const language = blocks.some(({ start, end }) => at > start && at < end) ? "assembly" : "solidity";
      const code = line.replace(/\/\/.*/, "");
      const changes = nothing.test(code) ? [] : changesOf(code, language);
      const lot = ({ rule, to }) =>
        (rule === "number" ? "last" : "") + createHash("sha256").update(`${rule}\0${to}\0${code.trim()}`).digest("hex");
      const drawn = changes.sort((a, b) => (lot(a) < lot(b) ? -1 : 1)).slice(0, most[language]);
      return drawn.map((change) => ({ ...change, start: at + change.start, end: at + change.end }));
    });
    return [...forced, ...chosen].map((change) => ({ ...change, file: path, line: lineAt(text, change.start) }));
  });
}

/** @returns {Change[]} */
function changesOf(code, language) {
  const changes = [];
  const replace = (match, to, rule, what = match[0]) => {
    const start = code.indexOf(what, match.index);
    changes.push({ start, end: start + what.length, to, rule });
  };
  for (const [rule, pattern, other] of language === "assembly" ? assembly : solidity) {
    for (const match of code.matchAll(pattern)) replace(match, other[match[0]], rule);
  }
  if (language === "assembly" || /constant|>>|<<|&/.test(code)) {
    for (const match of code.matchAll(numbers)) {
      const next = Number(match[0]) + 1;
      replace(match, /^0x/.test(match[0]) ? `0x${next.toString(16)}` : `${next}`, "number");
    }
  }
  const decided = language === "solidity" && code.match(condition);
  if (decided) for (const to of ["true", "false"]) replace(decided, to, "condition", decided[1]);
  const statement = !declaration.test(code) && !/constant/.test(code) && code.match(statements[language]);
  if (statement) replace(statement, language === "assembly" ? "" : "{}", "removal", statement[1]);
  return changes;
}
