import { cutLine } from '@app/common';
import { Cron } from 'croner';

const MAX_KNOWN = 1000;
const MAX_LENGTH = 255;
const known = new Map<string, CronExpression>();

/**
 * Five fields (minute, hour, day of month, month, day of week), with names, ranges, steps, lists, `L`, `W` and `#`, or
 * a nickname such as `@daily`. Knows nothing of time zones: it is asked in the time that a clock on the wall shows.
 */
export class CronExpression {
  private constructor(
    private readonly pattern: Cron,
    /** Whether it names every hour, and so no hour at all: then it follows the time that passes, not the clock. */
    readonly isEveryHour: boolean,
  ) {}

  /** Null for what is no cron expression, or has no time at all, such as the 30th of February. */
  static parse(text: string): CronExpression | null {
    const key = text.trim();
    const hit = known.get(key);
    if (hit) return hit;
    if (key.length > MAX_LENGTH || !(key.startsWith('@') || key.split(/\s+/).length === 5)) return null;
    const pattern = compile(key);
    if (!pattern?.nextRun(new Date())) return null;
    const hours = (pattern.getPattern() ?? key).trim().split(/\s+/)[1]!;
    const expression = new CronExpression(pattern, countHours(hours) === 24);
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value!);
    known.set(key, expression);
    return expression;
  }

  /** What keeps a text from being one, in words that follow a colon; null for what `parse` takes. */
  static mistakeIn(text: string): string | null {
    return CronExpression.parse(text) ? null : findMistake(text.trim());
  }

  /** The next time after `local`; both in milliseconds, as if the wall clock showed UTC. Null: there is none. */
  nextLocal(local: number): number | null {
    return this.pattern.nextRun(new Date(local))?.getTime() ?? null;
  }
}

const NICKNAMES = '@yearly, @annually, @monthly, @weekly, @daily, @midnight or @hourly';
const FIELDS = [
  { name: 'minute', range: '0 to 59' },
  { name: 'hour', range: '0 to 23' },
  { name: 'day of month', range: '1 to 31, or L' },
  { name: 'month', range: '1 to 12, or JAN to DEC' },
  { name: 'day of week', range: '0 to 7, or SUN to SAT' },
] as const;
const SHOWN = 40;

function findMistake(text: string): string {
  if (text === '') return 'it is empty.';
  if (text.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters.`;
  if (text.startsWith('@')) return `there is no ${quoted(text)}; write ${NICKNAMES}.`;
  const fields = text.split(/\s+/);
  if (fields.length !== FIELDS.length) {
    const names = FIELDS.map(({ name }) => name).join(', ');
    const seconds = fields.length === 6 ? ' Seconds are not among them.' : '';
    return `it takes five fields (${names}), not ${fields.length}.${seconds}`;
  }
  const wrong = fields.flatMap((field, at) => {
    const alone = FIELDS.map((_, index) => (index === at ? field : '*')).join(' ');
    const { name, range } = FIELDS[at]!;
    return compile(alone) ? [] : [`${quoted(field)} is no ${name} (${range})`];
  });
  return wrong.length > 0 ? `${wrong.join('; ')}.` : 'no such day ever comes.';
}

function quoted(text: string): string {
  return JSON.stringify(cutLine(text, SHOWN));
}

function compile(text: string): Cron | null {
  try {
    return new Cron(text, { mode: '5-part', utcOffset: 0, sloppyRanges: true, paused: true });
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function countHours(field: string): number {
  const pattern = compile(`0 ${field} * * *`);
  let count = 0;
  for (let at = pattern?.nextRun(new Date(-1)); at && at.getTime() < 86_400_000; at = pattern?.nextRun(at)) count += 1;
  return count;
}
