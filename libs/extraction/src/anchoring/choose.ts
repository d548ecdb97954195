/** One of the places where a quote stands. */
export interface Option {
  /** Offset in the document. */
  at: number;
  /** Of its first word: page and place, or its line where there is no geometry. Things beside each other overlap. */
  band: { page: number; top: number; bottom: number; left: number; right: number };
}

export interface Choice {
  /** Which row of line items; null: of none, so that no order can tell. */
  row: number | null;
  /** Quotes of one column follow each other. */
  column: string;
  /** In the order of the document. */
  options: readonly Option[];
}

const ROUNDS = 4;

/**
 * Narrows down where quotes of line items stand: what stands beside the other cells of its row, then what keeps the order
 * of the rows within a column. Quotes without a row stay as they are.
 * @returns for each the options that are left, one at least
 */
export function chooseByRows(choices: readonly Choice[]): (readonly Option[])[] {
  const left = choices.map(({ options }) => options);
  const rows = groupBy(choices, ({ row }) => row);
  const columns = groupBy(choices, ({ row, column }) => (row === null ? null : column));
  if (rows.size < 2 && columns.size === 0) return left;
  for (let round = 0; round < ROUNDS; round += 1) {
    let narrowed = false;
    for (const members of rows.values()) narrowed = keepBeside(members, left) || narrowed;
    for (const members of columns.values()) {
      narrowed = keepOrder(members, choices, left) || narrowed;
      narrowed = keepAligned(members, left) || narrowed;
    }
    if (!narrowed) break;
  }
  return left;
}

function groupBy<K>(choices: readonly Choice[], keyOf: (choice: Choice) => K | null): Map<K, number[]> {
  const groups = new Map<K, number[]>();
  for (const [at, choice] of choices.entries()) {
    const key = keyOf(choice);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(at);
    else groups.set(key, [at]);
  }
  return groups;
}

function keepBeside(members: readonly number[], left: (readonly Option[])[]): boolean {
  const sure = members.flatMap((at) => (left[at]?.length === 1 ? (left[at] ?? []) : [])).slice(0, 20);
  if (sure.length === 0) return false;
  let narrowed = false;
  for (const at of members) {
    const options = left[at] ?? [];
    if (options.length < 2) continue;
    const beside = options.filter((option) => sure.some((other) => isBeside(option.band, other.band)));
    if (beside.length === 0 || beside.length === options.length) continue;
    left[at] = beside;
    narrowed = true;
  }
  return narrowed;
}

/** Cells of a column stand above each other, which tells two equal ones of a row apart. */
function keepAligned(members: readonly number[], left: (readonly Option[])[]): boolean {
  const sure = members.flatMap((at) => (left[at]?.length === 1 ? (left[at] ?? []) : []));
  const sides = sure.map(({ band }) => band).filter(({ left: from, right: to }) => to > from);
  if (sides.length === 0) return false;
  const around = { left: medianOf(sides.map((band) => band.left)), right: medianOf(sides.map((band) => band.right)) };
  let narrowed = false;
  for (const at of members) {
    const options = left[at] ?? [];
    if (options.length < 2) continue;
    const aligned = options.filter(({ band }) => band.left < around.right && band.right > around.left);
    if (aligned.length === 0 || aligned.length === options.length) continue;
    left[at] = aligned;
    narrowed = true;
  }
  return narrowed;
}

const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

function isBeside(a: Option['band'], b: Option['band']): boolean {
  if (a.page !== b.page) return false;
  const overlap = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return overlap > 0.5 * Math.min(a.bottom - a.top, b.bottom - b.top);
}

/**
 * Between the first and the last place that each can have while all of them follow each other. Where they cannot, the
 * rows are in an order of their own, which tells nothing.
 */
function keepOrder(members: readonly number[], choices: readonly Choice[], left: (readonly Option[])[]): boolean {
  const ordered = members.toSorted((a, b) => (choices[a]?.row ?? 0) - (choices[b]?.row ?? 0));
  const earliest: number[] = [];
  let before = -1;
  for (const at of ordered) {
    const options = left[at] ?? [];
    const next = firstAfter(options, before);
    if (next === options.length) return false;
    before = options[next]?.at ?? 0;
    earliest.push(before);
  }
  let narrowed = false;
  let after = Infinity;
  for (const [index, at] of [...ordered.entries()].toReversed()) {
    const options = left[at] ?? [];
    const last = after === Infinity ? options.length - 1 : firstAfter(options, after - 1) - 1;
    const option = options[last];
    if (option === undefined) return narrowed;
    after = option.at;
    const first = firstAfter(options, (earliest[index] ?? 0) - 1);
    if (first === 0 && last === options.length - 1) continue;
    left[at] = options.slice(first, last + 1);
    narrowed = true;
  }
  return narrowed;
}

/** Place of the first option behind an offset; their number when there is none. */
function firstAfter(options: readonly Option[], offset: number): number {
  let [low, high] = [0, options.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((options[middle]?.at ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
