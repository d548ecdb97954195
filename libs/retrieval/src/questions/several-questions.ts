/** Words that begin a question of its own behind an "and". */
const ASKING = `what|which|who|whom|whose|when|where|why|how|wie|wieviel|was|wer|wem|wen|wann|wo|wohin|woher|warum|weshalb|welche[mnrs]?|quels?|quelles?|quand|comment|combien|pourquoi|où|qué|quién(?:es)?|cuál(?:es)?|cuándo|cuánt[oa]s?|cómo|dónde|quando|quant[oiae]|dove|perché|quanto|quantos|como|onde|qual[ei]?|quais|quem|chi|a quanto|est-ce que|quien(?:es)?|cual(?:es)?|cuando|cuant[oa]s?|donde|wat|wanneer|waar|waarom|hoe|hoeveel`;
const BORDERS = new RegExp(
  `[?؟]+\\s+|[,;]?\\s+(?:and|und|sowie|et|y|e|en)\\s+(?=(?:${ASKING})(?![\\p{L}\\p{M}]))|[،,]?\\s+(?=و(?:متى|أين|كيف|كم|لماذا|ماذا|هل)(?![\\p{L}\\p{M}]))`,
  'giu',
);
/** A part leans on the one before when it has fewer letters than this or points back. */
const STANDS_ALONE_FROM = 15;
const POINTS_BACK =
  /(?<![\p{L}\p{M}])(?:it|its|they|them|their|this|that|these|those|he|him|his|she|her|one|ones|es|sie|er|ihn|ihm|ihr|dies\p{Ll}*|il|elle|ils|elles|cela|ello|ella|esto|هو|هي|هم|هذا|هذه|ذلك|تلك)(?![\p{L}\p{M}])/iu;
/** A pasted page is no list of questions. */
const MOST = 3;
const LONGEST = 500;

/**
 * The questions in what is asked at once: `Where is the badge fetched, and when is the fire drill?` is two.
 * @param question its last line is what is asked now
 * @returns each with the lines that it leans on above it; one alone where it is one question, or more than three
 */
export function questionsIn(question: string): string[] {
  const lines = question.trim().split('\n');
  const asked = lines.at(-1)!;
  const parts = asked.length > LONGEST ? [] : asked.split(BORDERS).filter((part) => part.trim() !== '');
  if (parts.length < 2 || parts.length > MOST) return [question];
  const above = lines.slice(0, -1);
  return parts.map((part, at) => {
    const leans = at > 0 && (part.length < STANDS_ALONE_FROM || POINTS_BACK.test(part));
    return [...above, ...(leans ? parts.slice(0, at) : []), part].join('\n');
  });
}
