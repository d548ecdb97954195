import type { WORDS as DESCRIPTION } from '../describe.js';
import type { NOTICES } from '../notices.js';
import type { ANSWER } from '../wording.js';

/** Any text in place of the English one, not just that. */
type Wide<T> = T extends string ? string : T extends (...of: never[]) => unknown ? T : { [K in keyof T]?: Wide<T[K]> };

/** What is said in a language besides English and Arabic, whose sentences stand where they are used. English stands in for what is not here. */
export interface Texts {
  description: Wide<(typeof DESCRIPTION)['en']>;
  answer: Wide<(typeof ANSWER)['en']>;
  notices: Wide<(typeof NOTICES)['en']>;
  /** Back to the person. `list`: what there is to choose from. */
  asking: {
    table(list: string): string;
    readings(about: string): string;
    rivals: string;
    quote: string;
    way(about: string, list: string): string;
    value(about: string, list: string): string;
    ofYear(about: string): string;
    time(about: string, list: string): string;
    noColumn(about: string): string;
    column(about: string, list: string): string;
    ways: { average: string; total: string; highest: string };
    times: { in: string; since: string };
  };
  incomplete(label: string, count: number): string;
  failed: string;
  /** Why a question is not answered, and questions that would be. */
  refusing: {
    refusal: string;
    unknown(words: string): string;
    /** Where every word is known. */
    together: string;
    instead(examples: string): string;
    rows(table: string, condition: string): string;
    average(column: string): string;
    by(column: string): string;
    highest(column: string): string;
    byYear: string;
  };
}
