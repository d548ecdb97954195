import { arithmeticSql, columnSql, freeName, isReckoned, sqlName, sqlText, type AskedColumn } from '../asked-table.js';
import { isTime, type Contrast, type Filter, type Group, type Measure, type ReadQuery, type Side } from './reading.js';

/** The statement that answers a question that was understood. */
export function readingSql(query: ReadQuery): string {
  const { table, measure, groups, order, limit, offset, shown, size, edge, contrast } = query;
  if (contrast && measure) return contrastSql(query, measure, contrast);
  const conditions = conditionsOf(query);
  // "The longest of them": a row without a length is none.
  if (order?.column?.nullable && isReckoned(order.column) && limit !== null) conditions.push(knownSql(order.column));
  const keys = groups.map((group) => ({ sql: groupSql(group), alias: sqlName(groupAlias(group)) }));
  const selected = keys.map(({ sql, alias }) => (sql === alias ? sql : `${sql} AS ${alias}`));
  const alias = measure && sqlName(measureAlias(measure));
  const value = measure && `${measureSql(measure, groups.length > 0)} AS ${alias}`;
  const distinct = measure === null && groups.length > 0 ? 'DISTINCT ' : '';
  // Whatever orders rows stands beside them.
  const ordered = order?.column && isReckoned(order.column) && shown === null ? ['*', shownSql(order.column)] : [];
  const columns = shown?.map(shownSql) ?? ordered;
  const parts = [
    `SELECT ${distinct}${[...selected, ...columns, ...(value === null ? [] : [value])].join(', ') || '*'}`,
  ];
  parts.push(`FROM ${sqlName(table.alias)}`);
  if (conditions.length > 0) parts.push(`WHERE ${conditions.join(' AND ')}`);
  if (measure && keys.length > 0) parts.push(`GROUP BY ${keys.map((_, at) => at + 1).join(', ')}`);
  const named = keys.map(({ sql }) => `${sql} IS NOT NULL`);
  if (size) parts.push(`HAVING ${[`${alias} ${size.op} ${size.number}`, ...named].join(' AND ')}`);
  // "Which region has the fewest": rows that name none are no region, though they count for the whole of a share.
  else if (measure && named.length > 0 && limit !== null && groups.some(({ column }) => column.nullable))
    parts.push(`${measure.aggregate === 'share' ? 'QUALIFY' : 'HAVING'} ${named.join(' AND ')}`);
  if (size?.counted) return `SELECT count(*) AS "count" FROM (${parts.join(' ')})`;
  if (edge) {
    const of = edge.of.map(({ name }) => sqlName(name)).join(', ');
    const ranked = `rank() OVER (${of === '' ? '' : `PARTITION BY ${of} `}ORDER BY ${sqlName(edge.time.name)} ${edge.direction.toUpperCase()} NULLS LAST)`;
    return `${parts.join(' ')} QUALIFY ${ranked} = 1 ORDER BY 1`;
  }
  const sorted = orderSql({ measure, groups, order }, alias);
  if (sorted !== '') parts.push(`ORDER BY ${sorted}`);
  if (limit !== null) parts.push(`LIMIT ${limit}${offset > 0 ? ` OFFSET ${offset}` : ''}`);
  return parts.join(' ');
}

/** What the rows must be that a question is about. */
export function conditionsOf({ filters, contrast }: Pick<ReadQuery, 'filters' | 'contrast'>): string[] {
  const conditions = filters.map(filterSql);
  if (contrast) conditions.push(`(${contrast.sides.map((side) => `(${sideSql(side)})`).join(' OR ')})`);
  return conditions;
}

export function sideSql({ filters }: Side): string {
  return filters.map(filterSql).join(' AND ');
}

/** How the statement calls its figures: each like its side. */
export function contrastAliases({ sides }: Contrast): string[] {
  const taken = new Set<string>();
  return [...sides.map(({ label }) => label || 'value'), 'difference', 'difference_percent'].map((name) =>
    freeName(name, taken),
  );
}

/**
 * Both figures beside what lies between them. A side without rows has none, rather than 0; of what is not above zero
 * nothing is a percentage.
 */
function contrastSql(query: ReadQuery, measure: Measure, contrast: Contrast): string {
  const [first, second] = contrast.sides.map((side) => {
    const figure = `${measureSql(measure, false)} FILTER (WHERE ${sideSql(side)})`;
    return measure.aggregate.startsWith('count') ? `nullif(${figure}, 0)` : figure;
  });
  const difference = `${first} - ${second}`;
  const percent = `100e0 * (${difference}) / CASE WHEN ${second} > 0 THEN ${second} END`;
  const names = contrastAliases(contrast).map(sqlName);
  const selected = [first, second, difference, percent].map((sql, at) => `${sql} AS ${names[at]}`);
  return `SELECT ${selected.join(', ')} FROM ${sqlName(query.table.alias)} WHERE ${conditionsOf(query).join(' AND ')}`;
}

function orderSql(
  { measure, groups, order }: Pick<ReadQuery, 'measure' | 'groups' | 'order'>,
  alias: string | null,
): string {
  if (order?.column) return `${columnSql(order.column)} ${order.direction.toUpperCase()} NULLS LAST`;
  if (groups.length === 0) return '';
  const all = groups.map((_, at) => at + 1).join(', ');
  if (measure === null) return all;
  if (order) return `${alias} ${order.direction.toUpperCase()} NULLS LAST, ${all}`;
  // Time runs from left to right; anything else begins with the largest.
  return groups.some(({ column, unit }) => (isTime(column) || unit === 'decade') && unit !== 'weekday')
    ? all
    : `${alias} DESC NULLS LAST, ${all}`;
}

export function measureAlias({ aggregate, column, per }: Measure): string {
  if (aggregate === 'share') return 'share_percent';
  if (column === null) return per ? 'avg_count' : 'count';
  if (per?.total === 'count_distinct') return `avg_count_${column.name}`;
  return aggregate === 'count_distinct' ? `count_${column.name}` : `${aggregate}_${column.name}`;
}

export function measureSql({ aggregate, column, part, per }: Measure, grouped: boolean): string {
  if (per) return averageSql(groupSql(per.each), per.total, column);
  if (aggregate === 'share') {
    const whole = column ? `sum(${columnSql(column)})` : 'count(*)';
    if (grouped && !part) return `100.0 * ${whole} / sum(${whole}) OVER ()`;
    const condition = (part ?? []).map(filterSql).join(' AND ');
    return `100.0 * ${whole} FILTER (WHERE ${condition}) / ${whole}`;
  }
  if (column === null) return 'count(*)';
  const { arithmetic } = column;
  if (aggregate === 'ratio' && arithmetic) {
    const [first, second] = [columnSql(arithmetic.first), columnSql(arithmetic.second)];
    const both = column.nullable ? ` FILTER (WHERE ${knownSql(column)})` : '';
    return arithmeticSql(arithmetic, `sum(${first})${both}`, `sum(${second})${both}`);
  }
  const name = columnSql(column);
  return aggregate === 'count_distinct' ? `count(DISTINCT ${name})` : `${aggregate}(${name})`;
}

/** What all of them come to by how many they are: one without any value is not among them. */
function averageSql(each: string, total: 'sum' | 'count' | 'count_distinct', column: AskedColumn | null): string {
  const many = `count(DISTINCT ${each})`;
  if (!column) return `count(*) / ${many}`;
  const name = columnSql(column);
  const whole =
    total === 'sum' ? `sum(${name})` : `count(DISTINCT (${each}, ${name})) FILTER (WHERE ${name} IS NOT NULL)`;
  return `${whole} / ${many} FILTER (WHERE ${name} IS NOT NULL)`;
}

/** Whether a row counts for a figure of the column. */
export function knownSql(column: AskedColumn): string {
  const { arithmetic } = column;
  const parts = arithmetic?.op === '/' ? [arithmetic.first, arithmetic.second] : [column];
  return parts.map((part) => `${columnSql(part)} IS NOT NULL`).join(' AND ');
}

function shownSql(column: AskedColumn): string {
  const sql = columnSql(column);
  return isReckoned(column) ? `${sql} AS ${sqlName(column.name)}` : sql;
}

function groupAlias({ column, unit }: Group): string {
  return unit ?? column.name;
}

function groupSql({ column, unit }: Group): string {
  const name = columnSql(column);
  if (unit === undefined) return name;
  if (unit === 'year') return `year(${name})`;
  if (unit === 'decade') return `(${isTime(column) ? `year(${name})` : name} // 10) * 10`;
  if (unit === 'weekday') return `dayname(${name})`;
  return `CAST(date_trunc('${unit}', ${name}) AS DATE)`;
}

export function filterSql(filter: Filter): string {
  const sql = conditionSql(filter);
  if (filter.kind === 'empty' && filter.negated) return `${columnSql(filter.column)} IS NOT NULL`;
  return filter.negated ? `(${sql}) IS NOT TRUE` : sql;
}

const MATCHING = { contains: 'contains', starts: 'starts_with', ends: 'ends_with' } as const;

/** What stands between the things that one cell names. */
export const BETWEEN_THINGS = String.raw`[;,|\n]`;

/** @param name what stands for the column */
export function conditionSql(filter: Filter, name = columnSql(filter.column)): string {
  switch (filter.kind) {
    case 'values':
      return equalsAny(name, filter.values.map(sqlText));
    case 'numbers':
      return equalsAny(name, filter.numbers.map(String));
    case 'text':
      return `lower(${name}) = lower(${sqlText(filter.value)})`;
    case 'matches':
      return `${MATCHING[filter.way]}(lower(${name}), lower(${sqlText(filter.value)}))`;
    case 'among': {
      const parts = `list_transform(regexp_split_to_array(lower(${name}), ${sqlText(BETWEEN_THINGS)}), lambda part: trim(part))`;
      const asked = filter.values.map((value) => `lower(${sqlText(value)})`);
      // Few cells are worth taking apart.
      const near = asked.map((value) => `contains(lower(${name}), ${value})`).join(' OR ');
      return `((${near}) AND list_has_any(${parts}, [${asked.join(', ')}]))`;
    }
    case 'empty':
      return `${name} IS NULL`;
    case 'compare':
      return `${name} ${filter.op} ${filter.number}`;
    case 'average':
      return `${name} ${filter.op} (SELECT avg(${name}) FROM ${sqlName(filter.table)})`;
    case 'flag':
      return `${name} = ${filter.value}`;
    case 'moment':
      return `${name} ${filter.op} DATE ${sqlText(filter.date)}`;
    case 'periods': {
      const within = filter.periods.map(
        ({ from, before }) => `${name} >= DATE ${sqlText(from)} AND ${name} < DATE ${sqlText(before)}`,
      );
      return within.length === 1 ? within[0]! : `(${within.map((one) => `(${one})`).join(' OR ')})`;
    }
  }
}

function equalsAny(name: string, values: string[]): string {
  return values.length === 1 ? `${name} = ${values[0]!}` : `${name} IN (${values.join(', ')})`;
}
