import ICAL from 'ical.js';
import { ExtractionError } from '../../extraction-error.js';
import type { Parser } from '../parser.js';
import { emitText, readText } from './text.js';

const MAX_COMPONENTS = 50_000;
/** Folded lines are one; what a parser does to a line grows faster than the line. */
const MAX_LINE = 500_000;
const DETAILS: readonly [string, string][] = [
  ['location', 'Location'],
  ['status', 'Status'],
  ['organizer', 'Organizer'],
  ['attendee', 'Attendee'],
  ['rrule', 'Repeats'],
  ['categories', 'Categories'],
  ['url', 'URL'],
  ['description', 'Description'],
  ['comment', 'Comment'],
  ['contact', 'Contact'],
];

/** Appointments, tasks and journals of a calendar, each a few lines: what, when (as written, with its zone), where, who. */
export const parseCalendar: Parser = async (request, sink) =>
  emitText(describeCalendar(await readText(request.path)), sink);

/** @throws ExtractionError `damaged`, `too_large` */
export function describeCalendar(text: string): string {
  if ((text.match(/^BEGIN:/gim)?.length ?? 0) > MAX_COMPONENTS)
    throw new ExtractionError('too_large', 'The calendar has more than 50,000 entries. Split it and upload the parts.');
  const readable = withoutAttachments(text);
  let parsed: unknown;
  try {
    parsed = ICAL.parse(readable);
  } catch (error) {
    throw new ExtractionError('damaged', 'The file is no valid calendar (iCalendar).', { cause: error });
  }
  const calendars = (Array.isArray(parsed) && Array.isArray(parsed[0]) ? parsed : [parsed]) as unknown[];
  return calendars.map((each) => describe(new ICAL.Component(each as never))).join('\n\n');
}

/** Files that are put into a calendar are not read, and may be large. @throws ExtractionError `too_large` */
function withoutAttachments(text: string): string {
  const kept: string[] = [];
  let length = 0;
  let attachment = false;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const folded = line.startsWith(' ') || line.startsWith('\t');
    if (!folded) attachment = /^ATTACH[;:]/i.test(line);
    if (attachment) continue;
    length = folded ? length + line.length : line.length;
    if (length > MAX_LINE)
      throw new ExtractionError('too_large', 'The calendar has a line of more than 500,000 characters.');
    kept.push(line);
  }
  return kept.join('\r\n');
}

function describe(calendar: ICAL.Component): string {
  const name = textOf(calendar, 'x-wr-calname').join(', ');
  const entries = ['vevent', 'vtodo', 'vjournal', 'vfreebusy'].flatMap((type) => calendar.getAllSubcomponents(type));
  return [name === '' ? '' : `Calendar: ${name}`, ...entries.map(entryLines)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function entryLines(entry: ICAL.Component): string {
  const lines = [
    textOf(entry, 'summary').join(' '),
    ...[
      ['dtstart', 'Start'],
      ['dtend', 'End'],
      ['due', 'Due'],
      ['duration', 'Duration'],
      ['completed', 'Completed'],
    ].map(([property = '', label = '']) => labelled(label, timesOf(entry, property).join(', '))),
    ...DETAILS.map(([property, label]) => labelled(label, textOf(entry, property).join(', '))),
    labelled('Exceptions', timesOf(entry, 'exdate').join(', ')),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function labelled(label: string, value: string): string {
  return value === '' ? '' : `${label}: ${value}`;
}

/** Times as the calendar shows them: local, with the name of their zone; a day that has no time is a date. */
function timesOf(entry: ICAL.Component, name: string): string[] {
  return entry.getAllProperties(name).flatMap((property) => {
    const zone = property.getFirstParameter('tzid');
    return property.getValues().map((value) => {
      const written = String(value);
      if (!/^\d{4}-\d{2}-\d{2}/.test(written)) return written;
      const time = written
        .replace('T', ' ')
        .replace(/:00(?=Z?$)/, '')
        .replace(/Z$/, ' UTC');
      return zone && time.includes(' ') ? `${time} (${zone})` : time;
    });
  });
}

function textOf(entry: ICAL.Component, name: string): string[] {
  return entry.getAllProperties(name).flatMap((property) => {
    const person = property.getFirstParameter('cn');
    const values = property.getValues().map((value) => String(value).replace(/^mailto:/i, ''));
    return person ? values.map((value) => `${person} <${value}>`) : values;
  });
}
