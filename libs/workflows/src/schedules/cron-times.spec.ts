import { firstTransition, isTimeZone, offsetAt } from '@app/workflow-definition';
import { rounds, stride } from '../../../../test/support/long.js';
import { CronExpression } from './cron-expression.js';
import { nextCronTime } from './cron-times.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const WEEK = 7 * 24 * HOUR;

/** The next times, as UTC minutes. */
function times(text: string, zone: string, from: string, count = 3): string[] {
  const cron = CronExpression.parse(text)!;
  const found: string[] = [];
  let at: number | null = Date.parse(from);
  while (found.length < count && (at = nextCronTime(cron, zone, at)) !== null)
    found.push(new Date(at).toISOString().slice(0, 16));
  return found;
}

/**
 * What docs/contract/schedules.md#slots-and-clocks demands, minute by minute and without its arithmetic: each local minute that the expression
 * names fires at its first pass, or at the first minute after the gap that swallowed it.
 */
function walk(names: (local: Date) => boolean, everyHour: boolean, clock: readonly Minute[]): number[] {
  const fires = new Set<number>();
  let shown = Number.NEGATIVE_INFINITY;
  for (const { instant, local } of clock) {
    if (everyHour) {
      if (names(new Date(local))) fires.add(instant);
    } else {
      const start = shown === Number.NEGATIVE_INFINITY ? local : shown + MINUTE;
      for (let minute = start; minute <= local; minute += MINUTE) if (names(new Date(minute))) fires.add(instant);
    }
    shown = Math.max(shown, local);
  }
  return [...fires];
}

/** A minute as it passes, and what the clocks show then. */
interface Minute {
  instant: number;
  local: number;
}

/** An hour at whose ends the clocks differ by an hour is one without a change. */
function minutesOf(zone: string, from: number, to: number): Minute[] {
  const minutes: Minute[] = [];
  for (let hour = from; hour < to; hour += HOUR) {
    const first = wallClock(zone, hour);
    const isEven = wallClock(zone, hour + HOUR) === first + HOUR;
    for (let instant = hour; instant < hour + HOUR; instant += MINUTE)
      minutes.push({ instant, local: isEven ? first + instant - hour : wallClock(zone, instant) });
  }
  return [...minutes, { instant: to, local: wallClock(zone, to) }];
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** By another way than the code under test: the parts of the date. */
function wallClock(zone: string, instant: number): number {
  let clock = clocks.get(zone);
  if (!clock) {
    const digits = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
    clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, hourCycle: 'h23', ...digits });
    clocks.set(zone, clock);
  }
  return Date.parse(`${clock.format(instant).replace(' ', 'T')}Z`);
}

const ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'Europe/Dublin',
  'Europe/Lisbon',
  'Europe/Moscow',
  'Europe/Istanbul',
  'Europe/Chisinau',
  'Atlantic/Azores',
  'Africa/Casablanca',
  'Africa/El_Aaiun',
  'Africa/Cairo',
  'Africa/Johannesburg',
  'Africa/Juba',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Phoenix',
  'America/Los_Angeles',
  'America/Anchorage',
  'America/Adak',
  'America/St_Johns',
  'America/Halifax',
  'America/Havana',
  'America/Asuncion',
  'America/Santiago',
  'America/Sao_Paulo',
  'America/Caracas',
  'America/Scoresbysund',
  'America/Nuuk',
  'America/Mexico_City',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Jerusalem',
  'Asia/Amman',
  'Asia/Tehran',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Pyongyang',
  'Asia/Almaty',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Australia/Adelaide',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Pacific/Easter',
  'Pacific/Fiji',
  'Antarctica/Troll',
  'UTC',
];

const FROM = Date.UTC(2009, 0, 1);
const TO = Date.UTC(2028, 0, 1);

function transitionsOf(zone: string): number[] {
  const found: number[] = [];
  // No zone changes twice in a week.
  for (let week = FROM; week < TO; week += WEEK) {
    const at = firstTransition(zone, week, week + WEEK);
    if (at !== null) found.push(at);
  }
  return found;
}

const EXPRESSIONS: { text: string; everyHour: boolean; names: (local: Date) => boolean }[] = [
  { text: '30 2 * * *', everyHour: false, names: (t) => t.getUTCHours() === 2 && t.getUTCMinutes() === 30 },
  { text: '15 0 * * *', everyHour: false, names: (t) => t.getUTCHours() === 0 && t.getUTCMinutes() === 15 },
  {
    text: '45 23,1,3 * * *',
    everyHour: false,
    names: (t) => [23, 1, 3].includes(t.getUTCHours()) && t.getUTCMinutes() === 45,
  },
  { text: '*/20 0-3 * * *', everyHour: false, names: (t) => t.getUTCHours() <= 3 && t.getUTCMinutes() % 20 === 0 },
  { text: '10 */2 * * *', everyHour: false, names: (t) => t.getUTCHours() % 2 === 0 && t.getUTCMinutes() === 10 },
  { text: '5 * * * *', everyHour: true, names: (t) => t.getUTCMinutes() === 5 },
  { text: '*/15 * * * *', everyHour: true, names: (t) => t.getUTCMinutes() % 15 === 0 },
  { text: '0,30 0-23 * * 0', everyHour: true, names: (t) => t.getUTCDay() === 0 && t.getUTCMinutes() % 30 === 0 },
];

describe('cron expressions', () => {
  it.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T03:00Z', ['2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30']],
    [
      '*/15 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:00', '2026-03-30T00:15'],
    ],
    [
      '15,45 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:15', '2026-10-25T00:45', '2026-10-26T01:15'],
    ],
    [
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-03T00:00Z',
      ['2026-10-03T15:30', '2026-10-04T15:15', '2026-10-05T15:15'],
    ],
    [
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T00:00Z',
      ['2026-04-04T14:45', '2026-04-05T15:15', '2026-04-06T15:15'],
    ],
    ['30 0 * * *', 'Asia/Beirut', '2026-03-27T12:00Z', ['2026-03-27T22:30', '2026-03-28T22:00', '2026-03-29T21:30']],
    ['0 0 * * *', 'Africa/Cairo', '2026-04-22T12:00Z', ['2026-04-22T22:00', '2026-04-23T22:00', '2026-04-24T21:00']],
    ['30 23 * * *', 'Africa/Cairo', '2026-10-28T12:00Z', ['2026-10-28T20:30', '2026-10-29T20:30', '2026-10-30T21:30']],
    [
      '30 2 * * *',
      'Africa/Casablanca',
      '2026-03-21T12:00Z',
      ['2026-03-22T02:00', '2026-03-23T01:30', '2026-03-24T01:30'],
    ],
    ['0 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00Z', ['2011-12-30T10:00', '2012-12-29T22:00', '2013-12-29T22:00']],
    ['@daily', 'Asia/Kathmandu', '2026-01-01T00:00Z', ['2026-01-01T18:15', '2026-01-02T18:15', '2026-01-03T18:15']],
    ['0 9 * * mon-fri', 'UTC', '2026-01-02T10:00Z', ['2026-01-05T09:00', '2026-01-06T09:00', '2026-01-07T09:00']],
    ['0 0 29 2 *', 'UTC', '2026-01-01T00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
    ['0 0 L * *', 'UTC', '2026-01-31T00:00Z', ['2026-02-28T00:00', '2026-03-31T00:00', '2026-04-30T00:00']],
    ['5/20 0 1 1 *', 'UTC', '2026-01-01T00:00Z', ['2026-01-01T00:05', '2026-01-01T00:25', '2026-01-01T00:45']],
  ])('%s in %s', (text, zone, from, expected) => {
    expect(times(text, zone, from)).toEqual(expected);
  });

  it('goes on through a repeated hour where it names every hour', () => {
    expect(times('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 4)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
    ]);
    expect(times('0 * * * *', 'Europe/Berlin', '2026-03-28T23:30Z')).toEqual([
      '2026-03-29T00:00',
      '2026-03-29T01:00',
      '2026-03-29T02:00',
    ]);
  });

  it.each(['', 'x', '* * * *', '* * * * * *', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * * 13 *', '*/0 * * * *'])(
    'refuses %j',
    (text) => expect(CronExpression.parse(text)).toBeNull(),
  );
  it.each([
    '0 0 30 2 *',
    '0 0 31 2,4,6,9,11 *',
    '2026-01-05T00:00:00',
    '@reboot',
    '@',
    '1-a * * * *',
    `${'1,'.repeat(200)}1 * * * *`,
  ])('refuses %j, which has no time', (text) => expect(CronExpression.parse(text)).toBeNull());

  it.each(ZONES)('keeps to the rule around every change of the clocks in %s', (zone) => {
    const transitions = transitionsOf(zone);
    // Two ordinary days where nothing changes, and the three days around the last changes of the zone: there and back.
    for (const at of [Date.UTC(2026, 5, 1), ...transitions.slice(-rounds(4, 2))]) {
      const [from, to] = [at - 30 * HOUR, at + 30 * HOUR];
      const clock = minutesOf(zone, from, to);
      for (const { text, everyHour, names } of EXPRESSIONS) {
        const expected = walk(names, everyHour, clock).filter((instant) => instant > from);
        const found: number[] = [];
        const cron = CronExpression.parse(text)!;
        for (
          let next = nextCronTime(cron, zone, from);
          next !== null && next <= to;
          next = nextCronTime(cron, zone, next)
        )
          found.push(next);
        expect([zone, text, found.map((time) => new Date(time).toISOString())]).toEqual([
          zone,
          text,
          expected.map((time) => new Date(time).toISOString()),
        ]);
        // From anywhere, not only from the slot before; in `npm test` from every third of these places.
        for (let probe = from; probe < to - 12 * HOUR; probe += 97 * stride(3) * MINUTE) {
          const next = nextCronTime(cron, zone, probe);
          const wanted = expected.find((time) => time > probe);
          if (wanted !== undefined) expect(next).toBe(wanted);
        }
      }
    }
  });
});

describe('time zones', () => {
  it('knows the names of the IANA database alone', () => {
    for (const zone of ZONES) expect(isTimeZone(zone)).toBe(true);
    for (const name of ['', 'Mars/Base', '+02:00', 'GMT+2', 'Europe/Berlin ', '../etc', 'Europe/', 'UTC+1', '😀'])
      expect([name, isTimeZone(name)]).toEqual([name, false]);
  });

  it('reads offsets of any kind', () => {
    expect(offsetAt('Asia/Kathmandu', 0)).toBe(5.5 * HOUR);
    expect(offsetAt('Africa/Monrovia', 0)).toBe(-(44 * 60 + 30) * 1000);
    expect(offsetAt('UTC', 0)).toBe(0);
    expect(offsetAt('America/St_Johns', Date.UTC(2026, 0, 1))).toBe(-3.5 * HOUR);
  });
});
