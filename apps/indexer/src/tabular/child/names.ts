const MAX_LENGTH = 60;

/**
 * A name for SQL: lower snake case in whatever script the original is written ("Sales (EUR)" is `sales_eur`,
 * "رقم الطلب" is `رقم_الطلب`), never a reserved word. Empty when nothing of the original can stand in a name.
 */
export function toSqlName(original: string, reserved: ReadonlySet<string>): string {
  const name = original
    .normalize('NFKC')
    .replace(/\u0640/g, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
  const cut = [...name].slice(0, MAX_LENGTH).join('').replace(/_+$/, '');
  if (/^\p{N}/u.test(cut)) return `c_${cut}`;
  // `rowid` is how DuckDB counts rows.
  return reserved.has(cut) || cut === 'rowid' ? `${cut}_` : cut;
}

/** Names in the order of the originals, each once; `fallback` names what has no name of its own. */
export function uniqueSqlNames(
  originals: readonly string[],
  reserved: ReadonlySet<string>,
  fallback: (index: number) => string,
): string[] {
  const taken = new Set<string>();
  return originals.map((original, index) => {
    const wanted = toSqlName(original, reserved) || fallback(index);
    let name = wanted;
    for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
    taken.add(name);
    return name;
  });
}

/** An identifier in SQL. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A string in SQL. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
