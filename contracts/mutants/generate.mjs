// Mutants made by rule, wherever in the sources a rule applies.
import { assemblyBlocks, conditions, lineAt, sources } from "./source.mjs";

/** @typedef {{ file: string, line: number, start: number, end: number, to: string, rule: string }} Mutant */

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
const assembly = [
  ["operator", /\b(add|sub|and|or|shl|shr|gt|lt|xor)(?=\()/g, { add: "sub", sub: "add", and: "or", or: "and", shl: "shr", shr: "shl", gt: "lt", lt: "gt", xor: "or" }],
];
const number = /(?<![\w.])(0x[0-9a-f]{1,4}|\d{1,3})(?![\w.])/g;

// Of these one to a line is enough: a line that nobody watches is found by the first.
const once = ["arithmetic", "bits", "operator", "number"];

/** @returns {Mutant[]} */
export function generate() {
  return sources.flatMap(({ path, text }) => {
    const mutants = [];
    const add = (start, end, to, rule) => {
      const line = lineAt(text, start);
      if (once.includes(rule) && mutants.some((other) => other.line === line && other.rule === rule)) return;
      mutants.push({ file: path, line, start, end, to, rule });
    };
    const blocks = assemblyBlocks(text);

    for (const { start, end } of conditions(text)) {
      add(start, end, "0", "condition");
      add(start, end, "1", "condition");
    }

    let offset = 0;
    for (const line of text.split("\n")) {
      const at = offset;
      offset += line.length + 1;
      const code = line.replace(/\/\/.*/, "");
      if (/^\s*(\/?\*|import|pragma|using|struct|event|error|library|abstract|contract|function|returns|unchecked)\b/.test(code)) continue;
      const inside = blocks.some((block) => at > block.start && at < block.end);

      for (const [rule, pattern, other] of inside ? assembly : solidity) {
        for (const match of code.matchAll(pattern)) {
          add(at + match.index, at + match.index + match[0].length, other[match[0]], rule);
        }
      }
      for (const match of code.matchAll(number)) {
        if (!inside && !/constant|>>|<<|&/.test(code)) break;
        const to = /^0x/.test(match[0]) ? `0x${(Number(match[0]) + 1).toString(16)}` : String(Number(match[0]) + 1);
        add(at + match.index, at + match.index + match[0].length, to, "number");
      }
      const condition = code.match(/\bif \((.+)\) (?:revert|return|break|\w)/) ?? code.match(/\bif \((.+)\) \{$/);
      if (condition && !inside) {
        const start = at + code.indexOf(condition[1]);
        add(start, start + condition[1].length, "true", "condition");
        add(start, start + condition[1].length, "false", "condition");
      }
      const statement = code.match(
        inside
          ? /^\s*((?:s|m)store8?\(.*\)|calldatacopy\(.*\)|\w+ := .*)\s*$/
          : /^\s*((?:[\w.[\]&() ]+ (?:\+|-|\||&|\^)?= .*|(?:\+\+|--)[\w.]+|_\w+\(.*\)|b\.\w+\(.*\)|emit .*);)\s*$/,
      );
      if (statement && !/^\s*(let|bool|u?int|bytes|mapping|address|Project)/.test(code) && !/constant/.test(code)) {
        const start = at + code.indexOf(statement[1]);
        add(start, start + statement[1].length, inside ? "" : "{}", "removal");
      }
    }
    return mutants;
  });
}
