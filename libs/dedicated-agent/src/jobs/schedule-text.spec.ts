import { intervalOf, readScheduleText, ScheduleTextError } from './schedule-text.js';

const NOW = Date.parse('2026-11-28T10:00:00Z');
const read = (text: string, zone = 'UTC') => readScheduleText(text, zone, NOW);

describe('schedules in words', () => {
  it.each([
    ['every 2h', 120, 'every 2h'],
    ['every 30 minutes', 30, 'every 30m'],
    ['30m', 30, 'every 30m'],
    ['  Every   HOUR ', 60, 'every 1h'],
    ['hourly', 60, 'every 1h'],
    ['1d', 1440, 'every 1d'],
    ['every 90 min', 90, 'every 90m'],
    ['every 2 weeks', 20_160, 'every 14d'],
  ])('%s is an interval', (text, minutes, display) => {
    expect(read(text)).toEqual({ kind: 'interval', minutes, display });
  });

  it.each([
    ['weekdays at 9', '0 9 * * 1-5', 'weekdays at 09:00'],
    ['every weekday at 9am', '0 9 * * 1-5', 'weekdays at 09:00'],
    ['daily at 07:30', '30 7 * * *', 'daily at 07:30'],
    ['every day at noon', '0 12 * * *', 'daily at 12:00'],
    ['mondays at 9', '0 9 * * 1', 'mondays at 09:00'],
    ['every monday and thu at 6:15 pm', '15 18 * * 1,4', 'mondays, thursdays at 18:15'],
    ['sat, sun at 12am', '0 0 * * 6,0', 'saturdays, sundays at 00:00'],
    ['monthly on the 1st at 8', '0 8 1 * *', 'monthly on day 1 at 08:00'],
    ['30 9 * * 1-5', '30 9 * * 1-5', '30 9 * * 1-5'],
    ['@daily', '@daily', '@daily'],
  ])('%s is a cron expression', (text, expr, display) => {
    expect(read(text)).toEqual({ kind: 'cron', expr, display });
  });

  it.each([
    ['in 30m', 'UTC', '2026-11-28T10:30:00.000Z'],
    ['in 2 hours', 'UTC', '2026-11-28T12:00:00.000Z'],
    ['tomorrow at 9', 'Europe/Berlin', '2026-11-29T08:00:00.000Z'],
    ['2026-12-01T09:00:00Z', 'Europe/Berlin', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00:00+02:00', 'UTC', '2026-12-01T07:00:00.000Z'],
    ['2026-12-01 09:00', 'Europe/Berlin', '2026-12-01T08:00:00.000Z'],
    ['2027-03-28T02:30', 'Europe/Berlin', '2027-03-28T01:00:00.000Z'],
  ])('%s in %s is one moment', (text, zone, moment) => {
    expect(read(text, zone)).toMatchObject({ kind: 'once', runAt: new Date(moment) });
  });

  it.each([
    '',
    '   ',
    'soon',
    'every 0 minutes',
    'every 30 seconds',
    '30s',
    'every 999999999 weeks',
    'in 0m',
    'in 99999999 weeks',
    'weekdays at 25',
    'weekdays at 9:75',
    'daily at 13 pm',
    'blursdays at 9',
    'weekdays',
    '* * * *',
    '* * * * * *',
    '61 * * * *',
    '0 0 30 2 *',
    '2026-02-31T09:00:00Z',
    '2020-01-01T09:00:00Z',
    '2026-11-28T09:57:59Z',
    '9999-01-01T00:00:00Z',
    'today at 9',
    'monthly on the 32nd at 9',
    'x'.repeat(10_000),
  ])('says what is wrong with %p', (text) => {
    expect(() => read(text)).toThrow(ScheduleTextError);
  });

  it.each([
    ['61 * * * *', '"61 * * * *" is no schedule: "61" is no minute (0 to 59). Enter a schedule such as'],
    ['0 0 30 2 *', '"0 0 30 2 *" is no schedule: no such day ever comes. Enter'],
    ['* * * *', 'is no schedule: it takes five fields'],
    ['blursdays at 9', '"blursdays at 9" is no schedule. Enter'],
  ])('names the field of %p that is wrong', (text, told) => {
    expect(() => read(text)).toThrow(told);
  });

  it.each([
    [1.5, 'An interval has whole minutes.'],
    [0.5, 'The shortest interval is one minute.'],
    [Number.NaN, 'The shortest interval is one minute.'],
  ])('says what is wrong with an interval of %p minutes', (minutes, told) => {
    expect(() => intervalOf(minutes)).toThrow(told);
  });
});
