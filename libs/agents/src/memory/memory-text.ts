import { fold } from '@app/common';
import { MAX_MEMORY_LENGTH } from './memory-kinds.js';

/** What has the look of a credential or a number of a card. Such a thing is never kept, whatever a model says. */
const SECRETS = [
  /\b(?:sk|pk|rk|ghp|gho|xox[abp]|AKIA|AIza|glpat|eyJ)[-_A-Za-z0-9]{12,}/,
  /-----BEGIN [A-Z ]+-----/,
  /(?:passwords?|passphrase|passcode|pin code|secret|token|api[ _-]?key|كلمة (?:ال)?(?:مرور|سر)|الرقم السري)(?:\s[^.!?:=\n]{0,60}?)?(?:\b(?:is|are)\b|:|=|هي|هو)/i,
  /\b(?:\d[ -]?){13,19}\b/,
];

export function holdsSecret(text: string): boolean {
  return SECRETS.some((pattern) => pattern.test(text));
}

/** One line, without what Postgres cannot keep; empty when nothing is left. */
export function toMemoryText(text: string): string {
  const line = text.replaceAll('\0', '').toWellFormed().replace(/\s+/g, ' ').trim();
  return line.length > MAX_MEMORY_LENGTH ? `${line.slice(0, MAX_MEMORY_LENGTH - 1).toWellFormed()}…` : line;
}

export const MAX_CUES = 12;
const MAX_CUE_LENGTH = 40;
/** Memories without any, of which a judge is asked at a time: each message brings some more. */
export const MAX_CUED = 10;

/** A line of a few short words; nothing that has the look of a secret. */
export function toCues(cues: readonly string[]): string {
  return cues
    .map((cue) => toMemoryText(cue).slice(0, MAX_CUE_LENGTH).toWellFormed())
    .filter((cue) => memoryKey(cue) !== '' && !holdsSecret(cue))
    .slice(0, MAX_CUES)
    .join(', ');
}

/** The same for texts that differ in case, accents and punctuation alone. */
export function memoryKey(text: string): string {
  return fold(text)
    .replace(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim();
}
