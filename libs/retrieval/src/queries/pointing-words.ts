import { QUESTION_LANGUAGES, type QuestionLanguage } from '../questions/asking-words.js';

/** Words that stand for what was named before; only those that mean little else. */
interface Pointing {
  /** For somebody or something, which may as well be named earlier in the same question. */
  persons: string;
  /** For a place, a time or one of several things. */
  things: string;
  /** What looks like one of them and is none. */
  but?: string;
}

const POINTING: Record<QuestionLanguage, Pointing> = {
  en: {
    persons: 'it|its|they|them|their|theirs|he|him|his|she|her|hers',
    things: 'this|that|these|those|there|one|ones|former|latter|same|above|then|other',
    but: 'there (?:is|are|was|were)|(?:is|are|was|were) there|this (?:document|file|report|text)|one (?:day|week|month|year)|so that|one of',
  },
  de: {
    persons: 'er|sie|ihn|ihm|ihnen|seine[mnrs]?',
    things:
      'dies|diese[mnrs]?|jene[mnrs]?|dort|dorthin|davon|dafür|dagegen|darin|darauf|darüber|daran|dabei|dazu|danach|davor|derselben?|dieselben?|dasselbe|letztere[mnrs]?|erstere[mnrs]?|andere[mnrs]?|solche[mnrs]?|beide[mnrs]?',
    but: 'diese[mrs]? (?:dokument|datei|bericht|text)s?',
  },
  fr: {
    persons: 'elle|elles|ils|lui|leurs?|son|sa|ses',
    things: 'celui|celle|ceux|celles|cela|ça|là|dernière?|même|autre|cet|cette|ces',
  },
  es: {
    persons: 'él|ella|ellas|ellos|sus?',
    things: 'eso|esa|ese|esas|esos|esto|esta|este|estas|estos|aquel|aquell[oa]s?|aquello|allí|ahí|mism[oa]s?|otr[oa]s?',
    but: 'este (?:documento|archivo|informe|texto)',
  },
  it: {
    persons: 'esso|essa|essi|esse|lui|lei|loro|suo|sua|suoi|sue',
    things: 'quest[oaie]|quell[oaie]|ciò|lì|stess[oaie]|altr[oaie]',
  },
  pt: {
    persons: 'ele|ela|eles|elas|seus?|suas?|del[ea]s?|nel[ea]s?',
    things: 'isso|isto|ess[ea]s?|est[ea]s?|aquel[ea]s?|aquilo|lá|ali|mesm[oa]s?|outr[oa]s?',
  },
  nl: {
    persons: 'hij|zij|ze|hem|haar|hun',
    things: 'dit|dat|deze|daar|ervan|erin|ervoor|eraan|daarvan|daarvoor|daarin|dezelfde|hetzelfde|andere?',
  },
  ar: {
    persons: 'هو|هي|هم|هن',
    things: 'هذا|هذه|هؤلاء|ذلك|تلك|أولئك|هناك|نفسه|نفسها|السابق|المذكور|الآخر|الأخرى',
  },
};

// Written small in the middle of a German sentence: `Sie` is the polite you.
const flagsOf = (language: QuestionLanguage) => (language === 'de' ? 'u' : 'iu');
const PATTERNS = new Map(
  QUESTION_LANGUAGES.map((language) => {
    const { persons, things, but = '(?!)' } = POINTING[language];
    const flags = flagsOf(language);
    return [
      language,
      { persons: wholeWords(persons, flags), things: wholeWords(things, flags), but: wholeWords(but, 'giu') },
    ];
  }),
);

function wholeWords(words: string, flags: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}])(?:${words})(?![\\p{L}\\p{M}])`, flags);
}

/**
 * The words of a question by which it points back.
 * @returns `thing`: whether there is one for a place, a time or one of several; `person`: what stands before the first
 * one for somebody or something, null where there is none
 */
export function pointersIn(question: string, language: QuestionLanguage): { thing: boolean; person: string | null } {
  const { persons, things, but } = PATTERNS.get(language)!;
  const spoken = question.replaceAll(but, ' ');
  const at = spoken.search(persons);
  return { thing: things.test(spoken), person: at < 0 ? null : spoken.slice(0, at) };
}
