import { fitting, type Query, type RowsAsked, type SampledColumn, type TypedColumn } from './typed-column.js';
import type { Habits } from './column-types.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import {
  chooseStyled,
  signsOf,
  skeletonOf,
  styledReadings,
  styleOf,
  type Style,
  type StyledReading,
} from './styled-numbers.js';
import { quoteText } from './names.js';
import { unitKind } from './units.js';

/** Columns of numbers are written in few ways. */
const MOST_SKELETONS = 60;
const LONGEST_SKELETON = 40;
/** More than a double keeps exactly: such whole numbers are not told apart. */
const MOST_WHOLE = 2 ** 53;

/** The styles of those columns whose texts in the sample are numbers with something beside them. */
export async function findStyles(
  rows: Query,
  columns: readonly { column: PlannedColumn; text: string }[],
  sample: string,
): Promise<Map<PlannedColumn, Style | { mixed: string[] }>> {
  const styles = new Map<PlannedColumn, Style | { mixed: string[] }>();
  if (columns.length === 0) return styles;
  const parts = columns.map(
    ({ text }) => `(SELECT list(s) FROM (SELECT DISTINCT left(${skeletonOf('v')}, ${LONGEST_SKELETON + 1}) AS s
       FROM (SELECT ${text} AS v FROM ${sample}) WHERE v IS NOT NULL AND length(v) <= 60 LIMIT ${MOST_SKELETONS + 1}))`,
  );
  const [found] = await rows(`SELECT ${parts.map((part) => `to_json(${part})::VARCHAR`).join(', ')}`);
  for (const [at, { column }] of columns.entries()) {
    const skeletons = JSON.parse(String(found![at] ?? '[]')) as string[] | null;
    if (!skeletons || skeletons.length === 0 || skeletons.length > MOST_SKELETONS) continue;
    const style = styleOf(skeletons);
    if (style !== null) styles.set(column, style);
  }
  return styles;
}

/** Reads a column of styled numbers by all its values; it stays text, with a note why, where that would be a guess. */
export async function typeStyled(
  rows: Query,
  { padded, delimiter, marked }: StagedTable,
  { column, text, style }: Omit<SampledColumn, 'style'> & { style: Style | { mixed: string[] } },
  { condition, rowCount }: RowsAsked,
  { decimal }: Habits,
): Promise<TypedColumn> {
  const mixed = 'mixed' in style;
  const find = async (readings: StyledReading[]) =>
    (await fitting(rows, [{ column, text, readings }], 'staged', condition, padded))[0]!;
  let found = await find(mixed ? [] : styledReadings(style));
  // Cells of a workbook that are numbers stay numbers where only some are shown as money; which money is not said.
  const partly = !mixed && marked && found.readings.length === 0 && unitKind(style.unit) === 'currency';
  if (partly) found = await find(styledReadings(style, true));
  const { readings: fits, given, values } = found;
  const asText = (note?: string): TypedColumn => ({
    column,
    reading: null,
    text,
    nullable: given < rowCount,
    ...(note === undefined ? {} : { note }),
  });
  if (mixed) return asText(`stays text: it mixes the units ${style.mixed.slice(0, 5).join(', ')}`);
  const from = `(SELECT ${text} AS v FROM staged WHERE ${condition})`;
  if (fits.length === 0) return asText(await whyText(rows, style, from));
  const [signs] = await rows(`SELECT ${signsOf('v').join(', ')} FROM ${from}`);
  const reading = chooseStyled(fits, { style, signs: signs!.map(Boolean), sign: decimal, delimiter });
  if (reading === null)
    return asText(
      style.unit === '' && !(delimiter === ';' && signs![0] && signs![3] && isEither(fits))
        ? undefined
        : 'stays text: its numbers can be read in two ways, as 1.234 or as 1234',
    );
  const [[whole, glued, span, different]] = (await rows(
    `SELECT bool_and(x = trunc(x) AND abs(x) < ${MOST_WHOLE}), bool_and(regexp_full_match(v, ${quoteText(GLUED)})),
       max(abs(x)) - min(abs(x)) + 1, count(DISTINCT abs(x))
     FROM (SELECT v, ${reading.value('v')} AS x FROM ${from} WHERE v IS NOT NULL)`,
  )) as [[boolean, boolean, number, bigint]];
  if (glued && isCounting(style.unit, Number(span), Number(different))) return asText();
  return {
    column,
    reading: whole ? { ...reading, type: 'integer' } : reading,
    text,
    nullable: values < rowCount,
    ...(style.unit === '' || partly ? {} : { unit: style.unit }),
    ...(partly
      ? { note: `is read without a unit: some of its numbers have the unit ${style.unit}, others have none` }
      : {}),
  };
}

/** `R1`, `USD-2`: letters, with nothing between them and a whole number. */
const GLUED = '\\p{L}+-?[0-9]+';

/**
 * Room `R1` to `R8`, version `V2`, table `A4` are names of things though R, V and A are units too: no measure is written
 * before its number, and amounts of money do not count through.
 */
function isCounting(unit: string, span: number, different: number): boolean {
  return unitKind(unit) === 'measure' || (different > 1 && span <= 2 * different);
}

const isEither = (fits: readonly StyledReading[]): boolean =>
  fits.some(({ decimal }) => decimal === 'point') && fits.some(({ decimal }) => decimal === 'comma');

/** Units come first: that some values have none is what people can mend. */
async function whyText(rows: Query, { unit }: Style, from: string): Promise<string | undefined> {
  if (unit === '') return undefined;
  const [[all, bare]] = (await rows(
    `SELECT count(*), count(*) FILTER (regexp_full_match(v, '[-+(]?[0-9.,]+[-)]?')) FROM ${from} WHERE v IS NOT NULL`,
  )) as [[bigint, bigint]];
  return bare > 0n && bare < all
    ? `stays text: it has numbers with the unit ${unit} and numbers without any`
    : undefined;
}
