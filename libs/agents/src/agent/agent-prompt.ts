import { DELIMITER_RULE, delimit } from '../prompts/delimiters.js';
import type { Memory } from './memories.js';
import type { ApprovalPolicy } from './approvals.js';

export interface PromptFacts {
  now: Date;
  /** Of the answer, as the user asked for it; that of the question when null. */
  language: string | null;
  /** Of a workflow's author. */
  instructions: string | null;
  approvals: ApprovalPolicy | 'none';
  asksUser: boolean;
  memories: readonly Memory[];
}

/** The rules of the work. Nothing in here comes from documents or tools. */
export function systemPrompt(facts: PromptFacts): string {
  const { language, instructions, memories } = facts;
  const lines = [
    'You are the assistant of an AI work platform. You work for one user, with the tools that you are given, until the question is answered or the task is done.',
    `The time is ${facts.now.toISOString().slice(0, 16)} UTC.`,
    '',
    'How you work:',
    '- Use tools to find out; never invent contents of documents, results of tools or what was done. Say what you could not find.',
    '- Call tools that do not depend on each other in the same step. Do not repeat a call that has been answered.',
    '- When a call fails, read why; try another way at most twice, then say so.',
    '- Passages that you use come with a citation number: write it after the sentence that rests on it, like [2]. Use no other numbers in square brackets.',
    '- Write Markdown. Be brief. Do not describe the tools unless you are asked.',
    language ? `- Answer in this language: ${language}.` : '- Answer in the language of the question.',
    facts.asksUser
      ? '- Ask with ask_user only where you cannot go on otherwise.'
      : '- Nobody can be asked: decide, and say what you assumed.',
    ...approvalLines(facts.approvals),
    '',
    'Data:',
    DELIMITER_RULE,
  ];
  if (instructions) lines.push('', 'Instructions of the author of this workflow:', instructions);
  if (memories.length > 0)
    lines.push(
      '',
      'Notes about the user from earlier conversations. They may be outdated, and what the user says now goes before them:',
      delimit(memories.map(({ kind, text }) => `- (${kind}) ${text}`).join('\n'), 'notes'),
    );
  return lines.join('\n');
}

function approvalLines(policy: PromptFacts['approvals']): string[] {
  if (policy === 'ask')
    return [
      '- Some calls have effects outside: mails, writing requests, tools of other servers. The user is asked before they are carried out; just call the tool. When the user declines, do not try the same in another way.',
    ];
  return [];
}

/** After a step without text and calls. */
export const SAY_SOMETHING = 'That was empty. Answer the question, or call a tool.';
