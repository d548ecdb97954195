import type { AnswerLanguage } from '@app/common';
import type { AnswerStream } from '@app/integrations';
import type { CitedPassage } from './cited-passages.js';
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
 * Answers without a language model: the best sentences word for word, each with its source and the source's number,
 * and says that it quotes (document 3, B14).
 */
export function quoteAnswer(
  question: string,
  passages: readonly CitedPassage[],
  language: AnswerLanguage,
): AnswerStream {
  return {
    async *[Symbol.asyncIterator]() {
      yield* pieces(question, passages, language);
    },
    usage: () => null,
  };
}

function* pieces(question: string, passages: readonly CitedPassage[], language: AnswerLanguage): Generator<string> {
  const wording = WORDING[language];
  const quotes = quoteSentences(
    question,
    passages.map(({ hit }) => hit.text),
  );
  if (quotes.length === 0) {
    yield wording.nothing;
    return;
  }
  yield wording.quoting;
  for (const { passage, text } of quotes) {
    const { number, hit } = passages[passage]!;
    yield `\n\n> ${text}\n> — ${hit.filename}, ${wording.page(hit.page)} [${number}]`;
  }
}
