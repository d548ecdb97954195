export const ANSWER_LANGUAGES = ['en', 'ar'] as const;
export type AnswerLanguage = (typeof ANSWER_LANGUAGES)[number];

/** Arabic when most letters of the question are. */
export function languageOf(question: string): AnswerLanguage {
  const arabic = question.match(/\p{Script=Arabic}/gu)?.length ?? 0;
  const letters = question.match(/\p{L}/gu)?.length ?? 0;
  return arabic * 2 > letters ? 'ar' : 'en';
}
