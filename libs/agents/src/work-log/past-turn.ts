import { cutLine, cutMiddle } from '@app/common';
import type { ModelMessage } from '@app/integrations';
import type { KeptAttachment } from '../agent/agent-state.js';
import { withWorkNotes } from '../agent/context-messages.js';
import type { AgentSource } from '../agent/tool.js';
import type { TurnWork } from './turn-work.js';

export interface PastTurnRow {
  id: string;
  seq: string;
  status: string;
  errorCode: string;
  question: string;
  answer: string;
}

/** Of question and answer, where what was done is not there. */
const MAX_CHARACTERS = 30_000;
const SHOWN_NAME = 120;
const GONE_FILE = '[What came with this message may no longer be read.]';
const GONE_RESULT = 'This result rested on something that may no longer be read.';

/** With what was done in it, as far as the viewer may read what that rests on. */
export function wholeMessages(
  work: TurnWork,
  { question }: PastTurnRow,
  readable: ReadonlySet<string>,
): ModelMessage[] {
  const mayRead = (uids: readonly string[]): boolean => uids.every((uid) => readable.has(uid));
  const content = mayRead(work.openingUids) ? work.opening : `${GONE_FILE}\n\n${cutMiddle(question, MAX_CHARACTERS)}`;
  const opening = { role: 'user' as const, content };
  const notes = work.notes !== null && mayRead(work.noteUids) ? work.notes : null;
  return [
    notes === null ? opening : withWorkNotes(opening, notes),
    ...work.messages.map((message): ModelMessage => {
      if (message.role !== 'tool') return message;
      return {
        ...message,
        outcomes: message.outcomes.map((outcome) => {
          if (mayRead(work.outcomeUids[outcome.callId] ?? [])) return outcome;
          const { callId, name, isError } = outcome;
          return { callId, name, isError, output: GONE_RESULT };
        }),
      };
    }),
  ];
}

/** Question and answer, and what came with the question by name. */
export function briefMessages(row: PastTurnRow, attachments: readonly KeptAttachment[]): ModelMessage[] {
  const { question, answer, status, errorCode } = row;
  const files = attachments.map((one) => `[${attachedLine(one)}]`);
  const broken = status === 'interrupted' ? 'The user stopped this here.' : `The work broke off here: ${errorCode}.`;
  return [
    { role: 'user', content: [...files, cutMiddle(question, MAX_CHARACTERS)].join('\n\n') },
    { role: 'assistant', content: answer === '' ? `[${broken}]` : cutMiddle(answer, MAX_CHARACTERS) },
  ];
}

export function attachedLine({ name, uid, file, kind }: KeptAttachment): string {
  const named = `${JSON.stringify(cutLine(name, SHOWN_NAME))} (${uid === null ? `path ${JSON.stringify(file)}` : `uid ${uid}`})`;
  return `Attached ${kind === 'image' ? 'image' : 'file'} ${named}`;
}

/** What of a turn's files and sources the viewer may still read. */
export function readableParts(
  { attachments, sources }: { attachments: readonly KeptAttachment[]; sources: readonly AgentSource[] },
  isReadable: (uid: string) => boolean,
): { attachments: KeptAttachment[]; sources: AgentSource[] } {
  return {
    attachments: attachments.filter(({ uid }) => uid === null || isReadable(uid)),
    sources: sources.filter(({ uid }) => isReadable(uid)),
  };
}
