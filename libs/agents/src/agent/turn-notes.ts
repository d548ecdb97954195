import { delimit } from '../prompts/delimiters.js';
import { cutLine } from './bounded-text.js';
import type { Memory } from './memories.js';

/** What the platform tells the model with a message, beside what the user wrote. */
export interface TurnNotes {
  now: Date;
  /** As IANA names it; UTC when null. */
  timeZone: string | null;
  /** Of the answer, as the user asked for it; that of the question when null. */
  language: string | null;
  /** What data there is, a line each. */
  data: readonly string[];
  memories: readonly Pick<Memory, 'kind' | 'text'>[];
}

export const NOTES_BEGIN = '[Notes of the platform]';
export const NOTES_END = '[End of the notes]';
const MAX_LINE = 300;

/**
 * Stands before the question, and stays with it in later turns: what changes from turn to turn is never in the system
 * prompt, so that caches can keep what comes before.
 */
export function turnNotes({ now, timeZone, language, data, memories }: TurnNotes): string {
  const lines = [
    `Time: ${timeIn(now, timeZone)}.`,
    ...data.map((line) => cutLine(line, MAX_LINE)),
    ...(language === null ? [] : [`Answer in this language: ${language}.`]),
  ];
  if (memories.length > 0)
    lines.push(
      'About the user, from earlier conversations. It may be outdated, and what the user says now goes before it:',
      delimit(memories.map(memoryLine).join('\n'), 'notes'),
    );
  return [NOTES_BEGIN, ...lines, NOTES_END].join('\n');
}

export function memoryLine({ kind, text }: Pick<Memory, 'kind' | 'text'>): string {
  return `- (${kind}) ${text}`;
}

function timeIn(now: Date, timeZone: string | null): string {
  if (timeZone !== null) {
    try {
      const shown = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(now);
      return `${shown} in the user's time zone, ${timeZone}`;
    } catch {
      // Not a zone that anybody knows.
    }
  }
  return `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
