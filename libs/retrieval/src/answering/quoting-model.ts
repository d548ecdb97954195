import type { AnswerLanguage } from '@app/common';
import type { AnswerStream } from '@app/integrations';
import { questionLanguage, type QuestionLanguage } from '../questions/asking-words.js';
import type { CitedPassage } from './cited-passages.js';
import type { QuoteChoice } from './quote-sentences.js';

interface Wording {
  quoting: string;
  nothing: string;
  unknown: (names: string) => string;
  /** What of several questions has no answer, behind the quotes for the others. */
  unanswered: (questions: string) => string;
  page: (page: number) => string;
}

const WORDING: Record<QuestionLanguage, Wording> = {
  en: {
    quoting: 'Quoted from the documents:',
    nothing: 'The documents do not contain an answer to this question.',
    unknown: (names) => `They do not mention ${names}.`,
    unanswered: (questions) => `The documents do not answer this part: ${questions}`,
    page: (page) => `page ${page}`,
  },
  ar: {
    quoting: 'اقتباس من المستندات:',
    nothing: 'لا تتضمن المستندات إجابة عن هذا السؤال.',
    unknown: (names) => `لا يرد فيها ذكر ${names}.`,
    unanswered: (questions) => `لا تجيب المستندات عن هذا الجزء: ${questions}`,
    page: (page) => `صفحة ${page}`,
  },
  de: {
    quoting: 'Aus den Dokumenten zitiert:',
    nothing: 'Die Dokumente enthalten keine Antwort auf diese Frage.',
    unknown: (names) => `${names} kommt darin nicht vor.`,
    unanswered: (questions) => `Diesen Teil beantworten die Dokumente nicht: ${questions}`,
    page: (page) => `Seite ${page}`,
  },
  fr: {
    quoting: 'Extraits des documents :',
    nothing: 'Les documents ne contiennent pas de réponse à cette question.',
    unknown: (names) => `Ils ne mentionnent pas ${names}.`,
    unanswered: (questions) => `Les documents ne répondent pas à cette partie : ${questions}`,
    page: (page) => `page ${page}`,
  },
  es: {
    quoting: 'Citado de los documentos:',
    nothing: 'Los documentos no contienen una respuesta a esta pregunta.',
    unknown: (names) => `No mencionan ${names}.`,
    unanswered: (questions) => `Los documentos no responden a esta parte: ${questions}`,
    page: (page) => `página ${page}`,
  },
  it: {
    quoting: 'Dai documenti:',
    nothing: 'I documenti non contengono una risposta a questa domanda.',
    unknown: (names) => `Non menzionano ${names}.`,
    unanswered: (questions) => `I documenti non rispondono a questa parte: ${questions}`,
    page: (page) => `pagina ${page}`,
  },
  pt: {
    quoting: 'Citado dos documentos:',
    nothing: 'Os documentos não contêm uma resposta a esta pergunta.',
    unknown: (names) => `Não mencionam ${names}.`,
    unanswered: (questions) => `Os documentos não respondem a esta parte: ${questions}`,
    page: (page) => `página ${page}`,
  },
  nl: {
    quoting: 'Geciteerd uit de documenten:',
    nothing: 'De documenten bevatten geen antwoord op deze vraag.',
    unknown: (names) => `${names} komt er niet in voor.`,
    unanswered: (questions) => `Dit deel beantwoorden de documenten niet: ${questions}`,
    page: (page) => `pagina ${page}`,
  },
};

/** Named in a refusal at most. */
const NAMES = 3;

/** @param language as it was asked for; null: that of the question */
export function wordingLanguage(language: AnswerLanguage | null, question: string): QuestionLanguage {
  return language ?? questionLanguage(question);
}

/**
 * Answers without a language model: the best statements word for word, each with its source and the source's number,
 * and says that it quotes (docs/contract/search.md#without-a-model).
 */
export function quoteAnswer(
  choice: QuoteChoice,
  passages: readonly CitedPassage[],
  language: QuestionLanguage,
): AnswerStream {
  return {
    async *[Symbol.asyncIterator]() {
      if (choice.quotes.length === 0) yield refusal(choice.unknown, passages, language);
      else yield* pieces(choice, passages, language);
    },
    usage: () => null,
  };
}

function refusal(unknown: readonly string[], passages: readonly CitedPassage[], language: QuestionLanguage): string {
  const { nothing, unknown: notMentioned } = WORDING[language];
  if (unknown.length === 0 || passages.length === 0) return nothing;
  return `${nothing} ${notMentioned(quoted(unknown))}`;
}

const quoted = (words: readonly string[]) =>
  words
    .slice(0, NAMES)
    .map((word) => `“${word}”`)
    .join(', ');

function* pieces(
  { quotes, unanswered }: QuoteChoice,
  passages: readonly CitedPassage[],
  language: QuestionLanguage,
): Generator<string> {
  const wording = WORDING[language];
  yield wording.quoting;
  for (const { passage, text } of quotes) {
    const { number, hit } = passages[passage]!;
    yield `\n\n> ${text.replaceAll('\n', '\n> ')}\n> — ${hit.filename}, ${wording.page(hit.page)} [${number}]`;
  }
  if (unanswered.length > 0) yield `\n\n${wording.unanswered(quoted(unanswered))}`;
}
