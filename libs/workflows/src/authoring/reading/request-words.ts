import { fold } from '@app/common';
import type { CatalogueEntry } from '@app/workflow-definition';
import { KIND_SYNONYMS } from './synonyms.js';

const SCHEDULE =
  /\b(?:every|each) (?:\d+ )?(?:minute|hour|day|morning|evening|night|week|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday|quarter|year)|\b(?:hourly|daily|nightly|weekly|monthly|cron|on a schedule|at \d{1,2}(?::\d\d)? ?(?:am|pm|o'clock))\b|\bjede[nrsm]? (?:\d+ )?(?:minute|stunde|tag|morgen|abend|woche|monat|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|werktag)|\b(?:stundlich|taglich|wochentlich|monatlich|alle \d+ (?:minuten|stunden|tage)|um \d{1,2}(?::\d\d)? uhr|werktags|montags|freitags)\b|كل (?:\S+ )?(?:يوم|ساعه|اسبوع|شهر|صباح|مساء|دقيقه|اثنين|احد|جمعه|خميس)|يوميا|اسبوعيا|شهريا/u;
const WEBHOOK =
  /\bweb ?hooks?\b|\b(?:http|api) (?:call|request)s? (?:come|arrive|start|trigger)|\bwhen (?:an?|the) (?:\S+ ){0,3}(?:posts?|calls?|sends?|arrives?|comes? in|is (?:received|submitted|placed))\b|\bwenn (?:eine?r?|der|die|das) (?:\S+ ){0,4}(?:eingeht|eintrifft|ankommt|aufruft|schickt|gesendet wird)\b|ويب ?هوك|عند (?:وصول|استلام|ورود)|عندما (?:يصل|تصل|يرد|ترد)/u;

/** Which of the kinds that start a run the words of a request mean; by hand where they do not say. */
export function triggerMeant(request: string): 'schedule_trigger' | 'webhook_trigger' | 'manual_trigger' {
  const words = fold(request);
  if (SCHEDULE.test(words)) return 'schedule_trigger';
  return WEBHOOK.test(words) ? 'webhook_trigger' : 'manual_trigger';
}

/** What people say in German and Arabic, and what English descriptions do not say; beginnings of words, folded. */
const HINTS: Readonly<Record<string, string>> = {
  send_email: 'mail email e-mail schick sende inform notify benachrichtig بريد ارسل ايميل رساله',
  database_query: 'table tables tabelle rows sql sum count average summe anzahl umsatz جدول جداول مبيعات',
  ask_database: 'table tables tabelle question frage جدول سوال',
  semantic_search: 'document search find passage dokument such finde مستند مستندات ابحث بحث',
  ask_documents: 'document question answer contract dokument frage vertrag مستند اسال عقد',
  list_documents: 'documents folder list ordner dateien auflisten مجلد قائمه',
  summarise_text: 'summar zusammenfass tldr لخص تلخيص ملخص',
  translate: 'translat ubersetz ترجم ترجمه',
  classify: 'classif categor kategori einordn sort صنف تصنيف',
  extract_fields: 'extract pull extrahier auslesen استخرج استخراج',
  language_model: 'write draft generate compose verfass schreib formulier اكتب صياغه',
  approval: 'approv sign-off genehmig freigabe freigeben موافق اعتماد',
  ask: 'ask person frag اسال',
  condition: 'if when otherwise above below greater less wenn falls sonst uber unter اذا اكبر اقل',
  switch: 'depending route je nach حسب',
  http_request: 'api http url fetch call endpoint rest get post abruf رابط واجهه',
  webhook_out: 'webhook notify',
  respond: 'respond reply answer caller antwort رد',
  loop: 'each every loop one by one jede fur لكل',
  batch: 'each every items jede alle لكل',
  delay: 'wait later after minutes hours days warte انتظر',
  file_writer: 'file csv excel save write export datei speicher ملف احفظ',
  write_csv: 'csv export',
  spreadsheet_read: 'excel spreadsheet xlsx',
  mcp_tool: 'crm server tool ticket jira github slack connected',
  sub_workflow: 'workflow other run anderen andere سير',
  code: 'code javascript script compute calculate berechn احسب',
  schedule_trigger: 'daily weekly monthly every',
  webhook_trigger: 'webhook incoming',
  filter: 'only filter without nur filtern',
  sort: 'sort order top sortier',
  limit: 'first top newest last erste',
  aggregate: 'sum average total count summe durchschnitt',
  template: 'text message greeting template vorlage',
};
const TOO_COMMON = new Set(
  'the and for with that from into this then each when only its are has not you your was all any one two'.split(' '),
);

/** Kinds that the words of a request speak of, the likeliest first. */
export function likelyKinds(request: string, tools: readonly CatalogueEntry[], limit: number): string[] {
  const words = [...new Set(fold(request).match(/[\p{L}\p{N}-]{2,}/gu) ?? [])].filter((word) => !TOO_COMMON.has(word));
  return tools
    .map((tool) => ({ kind: tool.kind, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ kind }) => kind);
}

function scoreOf({ kind, name, description }: CatalogueEntry, words: readonly string[]): number {
  const hints = (HINTS[kind] ?? '').split(' ').filter(Boolean);
  const synonyms = Object.entries(KIND_SYNONYMS).flatMap(([word, meant]) => (meant === kind ? [word] : []));
  const named = fold(`${kind.replaceAll('_', ' ')} ${name}`).split(/\s+/);
  const told = new Set(fold(description).match(/\p{L}{4,}/gu));
  return words.reduce((sum, word) => {
    if (hints.some((hint) => startsWith(word, hint))) return sum + 3;
    if (named.includes(word) || synonyms.includes(word)) return sum + 3;
    return sum + (word.length > 4 && told.has(word) ? 1 : 0);
  }, 0);
}

/** Arabic words may have the article and a conjunction before them. */
function startsWith(word: string, hint: string): boolean {
  if (hint.length <= 3) return word === hint;
  return (
    word.startsWith(hint) ||
    (/^\p{Script=Arabic}/u.test(hint) &&
      /^(?:و|ف|ب|ل)?(?:ال|لل)?/u.test(word) &&
      word.replace(/^(?:و|ف|ب|ل)?(?:ال|لل)?/u, '').startsWith(hint))
  );
}
