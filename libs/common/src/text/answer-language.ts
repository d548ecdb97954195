export const ANSWER_LANGUAGES = ['en', 'ar'] as const;
export type AnswerLanguage = (typeof ANSWER_LANGUAGES)[number];

const NAMES: Record<AnswerLanguage, string> = { en: 'English', ar: 'Arabic' };

/** In which words to answer where no model does: Arabic when most letters of the question are. */
export function languageOf(question: string): AnswerLanguage {
  const arabic = question.match(/\p{Script=Arabic}/gu)?.length ?? 0;
  const letters = question.match(/\p{L}/gu)?.length ?? 0;
  return arabic * 2 > letters ? 'ar' : 'en';
}

/** How a model is told the language of its answer. @param language as it was asked for; null: that of the question */
export function nameOfLanguage(language: AnswerLanguage | null, question: string): string {
  if (language !== null) return NAMES[language];
  // Small models need to be told; what is not Arabic may be any language.
  return languageOf(question) === 'ar' ? NAMES.ar : 'the language of the question';
}
