import type { AnswerStream } from '@app/integrations';
import type { SearchHit } from '../search/search-hit.js';
import type { AnswerLanguage } from './answer-language.js';
import { quoteSentences } from './quote-sentences.js';

const WORDING = {
  en: {
    quoting: 'Quoted from the documents:',
    nothing: 'The documents do not contain an answer to this question.',
    page: (page: number) => `page ${page}`,
  },
  ar: {
    quoting: 'اقتباس من المستندات:',
    nothing: 'لا تتضمن المستندات إجابة عن هذا السؤال.',
    page: (page: number) => `صفحة ${page}`,
  },
} as const;

/**
 * Answers without a language model: the best sentences word for word, each with its source and the number that the
 * source has in the list, and says that it quotes (document 3, B14).
 */
export function quoteAnswer(question: string, hits: readonly SearchHit[], language: AnswerLanguage): AnswerStream {
  return {
    async *[Symbol.asyncIterator]() {
      yield* pieces(question, hits, language);
    },
    usage: () => null,
  };
}

function* pieces(question: string, hits: readonly SearchHit[], language: AnswerLanguage): Generator<string> {
  const wording = WORDING[language];
  const quotes = quoteSentences(
    question,
    hits.map(({ text }) => text),
  );
  if (quotes.length === 0) {
    yield wording.nothing;
    return;
  }
  yield wording.quoting;
  for (const { passage, text } of quotes) {
    const { filename, page } = hits[passage]!;
    yield `\n\n> ${text}\n> — ${filename}, ${wording.page(page)} [${passage + 1}]`;
  }
}
