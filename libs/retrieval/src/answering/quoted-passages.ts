import type { SearchHit } from '../search/search-hit.js';
import type { CitedPassage } from './cited-passages.js';
import type { DocumentTerms } from './document-terms.js';
import type { QuotedPassage } from './quoted-passage.js';
import { likeness, questionTerms } from '../questions/question-terms.js';
import { readingOf } from '../questions/reading.js';
import type { Viewer } from '../search/scope.js';

/** As much of a first line as a title is long. */
const TITLE = 100;

/**
 * Passages as quotes are chosen from them. Where the title of a document does not have a name of the question, its
 * other passages are asked whether they do.
 */
export async function toQuotedPassages(
  question: string,
  cited: readonly CitedPassage[],
  viewer: Viewer,
  documents: DocumentTerms,
): Promise<QuotedPassage[]> {
  const passages = cited.map(({ hit }) => ({ text: hit.text, about: aboutOf(hit), document: hit.uid }));
  const reading = readingOf(question, passages[0]?.text);
  const titles = passages.map(({ about }) => reading.analyse(about));
  const names = questionTerms(question, reading).filter(({ isName, isBefore }) => isName && !isBefore);
  const terms = names
    .flatMap((name) => name.terms)
    .filter((term) => titles.some((title) => !title.some((word) => likeness(term, word, reading) > 0)));
  if (terms.length === 0) return passages;
  const shares = await documents.shares(
    viewer,
    [...new Set(passages.map(({ document }) => document))],
    [...new Set(terms)],
  );
  return passages.map((passage) => ({ ...passage, shares: shares.get(passage.document) }));
}

/** What its file is called, also in words (`AnnualReport_2023`), and what the passage stands under. */
function aboutOf({ filename, context, page, text }: SearchHit): string {
  const name = filename.replace(/\.[^.]{1,8}$/, '');
  const words = name.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ').replace(/_/g, ' ');
  const title = context === '' && page === 1 ? text.trimStart().split('\n', 1)[0]!.slice(0, TITLE) : '';
  return [name, words, context, title].join('\n');
}
