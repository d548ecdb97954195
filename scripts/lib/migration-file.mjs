const INDENT = '    ';

/** `lost-columns` and 1766000002100 give LostColumns1766000002100, the name in the table of migrations. */
const className = (name, number) =>
  name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter) => letter.toUpperCase()) + String(number);

/** The parts between commas that stand in no parentheses of their own. */
function columnsOf(list) {
  const parts = [''];
  let depth = 0;
  for (const piece of list.split(/(, |[()])/)) {
    if (piece === '(') depth += 1;
    if (piece === ')') depth -= 1;
    if (piece === ', ' && depth === 0) parts.push('');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}

/** A table has a line for each column; names are quoted where Postgres wants it. */
function readable(statement, keywords) {
  const text = statement.replaceAll(/"([a-z_][a-z0-9_]*)"/g, (quoted, name) => (keywords.has(name) ? quoted : name));
  const table = /^(CREATE TABLE \S+ \()(.*)(\))$/s.exec(text);
  if (!table) return text;
  const columns = columnsOf(table[2]).map((column) => `\n${INDENT}    ${column}`);
  return `${table[1]}${columns.join(',')}\n${INDENT}  ${table[3]}`;
}

const literal = (text) => `\`${text.replaceAll(/[\\`]|\$(?=\{)/g, (sign) => `\\${sign}`)}\``;

/**
 * The source of a migration, before it is formatted.
 * @param {string} name as of a file: words with hyphens
 * @param {number} number
 * @param {{ up: string[], down: string[] }} drift
 * @param {ReadonlySet<string>} keywords what may not be a name without quotes
 */
export function migrationSource(name, number, { up, down }, keywords) {
  const run = (statements) =>
    statements.map((statement) => `${INDENT}await runner.query(${literal(readable(statement, keywords))});\n`).join('');
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ${className(name, number)} implements MigrationInterface {
  name = '${className(name, number)}';

  async up(runner: QueryRunner): Promise<void> {
${run(up)}  }

  async down(runner: QueryRunner): Promise<void> {
${run(down)}  }
}
`;
}

/**
 * The `index.ts` of migrations with one more, the last.
 * @param {string} index
 * @param {string} name
 * @param {number} number
 */
export function withMigration(index, name, number) {
  const added = className(name, number);
  return index
    .replace(/\n\n/, `\nimport { ${added} } from './${number}-${name}.js';\n\n`)
    .replace(/(migrations = \[[^\]]*?),?\s*\]/, `$1, ${added}]`);
}

/** The next number in the order of migrations, a hundred apart, so that there is room between two. */
export const nextNumber = (files) =>
  (Math.floor(Math.max(...files.map((file) => Number.parseInt(file)).filter(Boolean)) / 100) + 1) * 100;
