import type { AskedColumn, AskedTable } from './asked-table.js';
import type { LanguageCode } from './reading/lexicon/languages.js';
import { textsOf } from './reading/texts/of-language.js';
import { labelOf } from './reading/reading.js';

/**
 * What must be said of an answer that rests on these columns: where formulas without a value leave it too low.
 * @returns '' when there is nothing to say
 */
export function incompletenessText(columns: Iterable<AskedColumn>, language: LanguageCode): string {
  return [...new Set(columns)]
    .filter(({ missingFormulas = 0 }) => missingFormulas > 0)
    .map(
      (column) =>
        textsOf(language)?.incomplete(labelOf(column), column.missingFormulas ?? 0) ??
        (language === 'ar'
          ? `غير مكتمل: في العمود “${labelOf(column)}” ${column.missingFormulas} من الخلايا فيها صيغ لا توجد قيمها في الملف، فهي فارغة هنا، وقد تكون الأرقام ناقصة.`
          : `Incomplete: in “${labelOf(column)}” ${column.missingFormulas} ${column.missingFormulas === 1 ? 'cell holds a formula whose value is' : 'cells hold formulas whose values are'} not in the file; ${column.missingFormulas === 1 ? 'it is' : 'they are'} empty here, and figures over the column may be too low.`),
    )
    .join('\n');
}

/** `*` as a list of columns, not as a sign of reckoning or in `count(*)`; a statement that begins with FROM selects all. */
const STAR = /(?:\bselect\s+(?:distinct\s+)?|,\s*|\.\s*|\bcolumns\s*\(\s*)\*|^\s*from\b/;

/** The columns that a statement may use: those that it names, and all of a table whose rows it takes whole. */
export function columnsInStatement(sql: string, tables: readonly AskedTable[]): AskedColumn[] {
  const text = sql.toLowerCase();
  const everything = STAR.test(text);
  return tables
    .filter(({ alias }) => text.includes(alias.toLowerCase()))
    .flatMap(({ columns }) => columns.filter(({ name }) => everything || text.includes(name.toLowerCase())));
}
