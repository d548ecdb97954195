import { QUESTION_LANGUAGES, questionLanguage, type QuestionLanguage } from '../answering/asking-words.js';
import { questionTerms } from '../answering/question-terms.js';

/** A pasted page is no question: nothing is made of it. */
const LONG = 1_000;
/** Questions of fewer terms may lean on what was said before ("and in 2024?"). */
const STANDS_ALONE_FROM = 3;
/** One that begins as if it went on has to say more itself. */
const GOES_ON_FROM = 5;
/** From here on no word has to be asked for: a name, and what is asked of it, or a whole sentence. */
const SURE_FROM = { named: 3, unnamed: 5 };
/** The same of a question that a talk began with: it names its subject, or is as long as those that do. */
const TOPIC_FROM = { named: 2, unnamed: 4 };

/** Words that point back: what they mean stands in an earlier question. Only those that mean little else. */
const POINTING: Record<QuestionLanguage, string> = {
  en: 'it|its|they|them|their|theirs|this|that|these|those|he|him|his|she|her|hers|there|one|ones|former|latter|same|above|then|other',
  de: 'er|sie|ihn|ihm|ihnen|sein|seine[mnrs]?|dies|diese[mnrs]?|jene[mnrs]?|dort|dorthin|davon|dafür|dagegen|darin|darauf|darüber|daran|dabei|dazu|damit|danach|davor|dessen|deren|derselben?|dieselben?|dasselbe|letztere[mnrs]?|erstere[mnrs]?|andere[mnrs]?|solche[mnrs]?|beide[mnrs]?',
  fr: 'elle|elles|ils|lui|leurs?|celui|celle|ceux|celles|cela|ça|là|son|sa|ses|dernière?|même|autre|cet|cette|ces',
  es: 'él|ella|ellas|ellos|eso|esa|ese|esas|esos|esto|esta|este|estas|estos|aquell?[oa]?s?|aquel|allí|ahí|sus?|mism[oa]s?|otr[oa]s?',
  it: 'esso|essa|essi|esse|lui|lei|loro|questo|questa|questi|queste|quello|quella|quelli|quelle|ciò|lì|suo|sua|suoi|sue|stess[oaie]|altr[oaie]',
  pt: 'ele|ela|eles|elas|isso|isto|ess[ea]s?|est[ea]s?|aquel[ea]s?|aquilo|del[ea]s?|nel[ea]s?|lá|ali|seus?|suas?|mesm[oa]s?|outr[oa]s?',
  nl: 'hij|zij|ze|hem|haar|hun|dit|dat|deze|daar|ervan|erin|ervoor|eraan|daarvan|daarvoor|daarin|dezelfde|hetzelfde|andere?',
  ar: 'هو|هي|هم|هن|هذا|هذه|هؤلاء|ذلك|تلك|أولئك|هناك|نفسه|نفسها|السابق|المذكور|الآخر|الأخرى',
};
const POINTS_BACK = new Map(
  QUESTION_LANGUAGES.map((language) => [language, wholeWords(POINTING[language], language === 'de' ? 'u' : 'iu')]),
);
/** Written small in the middle of a German sentence; `Sie` is the polite you. */
const NO_POINTER: Partial<Record<QuestionLanguage, RegExp>> = {
  en: /\bis there\b|\bare there\b|\bthere (?:is|are)\b/giu,
};

/** How questions begin that go on where the last one ended. */
const GOES_ON =
  /^[\s¿¡"'–-]*(?:(?:and|but|or|so|what about|how about|und|aber|oder|was ist mit|wie (?:sieht|steht|ist) es mit|et|mais|ou|y|e|pero|o|ma|mas|en|maar|of)(?![\p{L}\p{M}])|و(?=\p{L})|ماذا عن)/iu;

export const isLong = (question: string): boolean => question.length > LONG;

/**
 * Whether a question leans on the one before it, by its words: it points back, or says too little by itself. Rather no
 * than yes, as the words of the earlier question will count.
 */
export function pointsBack(question: string): boolean {
  const language = questionLanguage(question);
  const spoken = question.replaceAll(NO_POINTER[language] ?? /(?!)/g, ' ');
  const terms = questionTerms(lineOf(question)).length;
  return POINTS_BACK.get(language)!.test(spoken) || terms < (GOES_ON.test(question) ? GOES_ON_FROM : STANDS_ALONE_FROM);
}

/**
 * Whether it may lean on the conversation in a way that only a reader sees ("How high is the excess?"): rather yes than
 * no, as a model is asked then and may leave the question as it is.
 */
export function leansOnConversation(question: string): boolean {
  if (isLong(question)) return false;
  return pointsBack(question) || GOES_ON.test(question) || !says(question, SURE_FROM);
}

/** Whether a question tells by itself what a talk is about. */
export function saysItsTopic(question: string): boolean {
  return isLong(question) || (!pointsBack(question) && !GOES_ON.test(question) && says(question, TOPIC_FROM));
}

function says(question: string, from: { named: number; unnamed: number }): boolean {
  const terms = questionTerms(lineOf(question));
  return terms.length >= (terms.some(({ isName }) => isName) ? from.named : from.unnamed);
}

/** Lines of a question belong together; `questionTerms` takes those above the last for earlier questions. */
const lineOf = (question: string): string => question.slice(0, LONG).replaceAll(/\s+/g, ' ');

function wholeWords(words: string, flags: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}])(?:${words})(?![\\p{L}\\p{M}])`, flags);
}
