import type { PageDraft, TurnAtPage } from '@app/agents';
import { cutText, languageOf } from '@app/common';

const LISTED = 8;
const SHOWN = 300;

const ENGLISH = {
  nothing: '**Nothing was published in this turn.** What was written so far is kept as a draft of this conversation.',
  before: (version: number) => `Version ${version} stays as it is.`,
  since: (version: number) =>
    `**What was written after version ${version} was not published.** It is kept as a draft of this conversation.`,
  problems: 'What the last check found:',
};
const ARABIC: typeof ENGLISH = {
  nothing: '**لم يُنشر شيء في هذه الجولة.** ما كُتب حتى الآن محفوظ كمسودة لهذه المحادثة.',
  before: (version) => `يبقى الإصدار ${version} كما هو.`,
  since: (version) => `**ما كُتب بعد الإصدار ${version} لم يُنشر.** وهو محفوظ كمسودة لهذه المحادثة.`,
  problems: 'ما وجده الفحص الأخير:',
};

/**
 * How an answer ends whose turn has changed a draft that it did not publish, whatever the model says of it. Texts of
 * problems hold what stands in data, and are shown as code.
 */
export function unpublishedNote({ base }: PageDraft, { problems, published }: TurnAtPage, question: string): string {
  const texts = languageOf(question) === 'ar' ? ARABIC : ENGLISH;
  return [
    '\n\n---',
    '',
    published === null
      ? [texts.nothing, ...(base === null ? [] : [texts.before(base)])].join(' ')
      : texts.since(published),
    ...(problems.length === 0
      ? []
      : ['', texts.problems, '', ...problems.slice(0, LISTED).map((line) => `- \`${asCode(line)}\``)]),
  ].join('\n');
}

const asCode = (line: string): string => cutText(line.replaceAll(/[`\s]+/g, ' ').trim(), SHOWN);
