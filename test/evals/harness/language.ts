const WORDS = {
  en: /\b(?:the|is|are|in|of|and|to|it|you|was|not|that|for|with|on|does|has|have|until|since)\b/gi,
  de: /\b(?:der|die|das|ist|sind|und|in|im|am|um|nicht|den|dem|ein|eine|es|wird|werden|zum|von|mit|nach|haben|sie)\b/gi,
};

/** The language that a short answer is in, by its script and its small words; null where that cannot be told. */
export function languageOf(text: string): 'en' | 'de' | 'ar' | null {
  const arabic = text.match(/\p{Script=Arabic}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (arabic > latin / 2) return 'ar';
  const [en, de] = [WORDS.en, WORDS.de].map((words) => text.match(words)?.length ?? 0);
  return en === de ? null : en! > de! ? 'en' : 'de';
}
