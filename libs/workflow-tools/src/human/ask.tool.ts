import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { checkTargets } from '../params.js';
import { answerOutput, ask, deadlineParams, optionSchema, timeoutOutlet, toOption } from './question.js';

export const askTool = defineKind({
  kind: 'ask',
  version: '1.0.0',
  title: 'Ask a person',
  description: 'Asks a question and waits, for days if need be, until somebody answers or the time is over.',
  category: categories.human,
  icon: 'message-circle-question',
  isBranching: true,
  outlets: [timeoutOutlet],
  isConversational: true,
  keepsParams: true,
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    question: param(z.string().trim().min(1).max(10_000), {
      label: 'Question',
      description: 'What the person is asked.',
      type: 'text',
    }),
    options: param(z.array(optionSchema).max(100).default([]), {
      label: 'Options',
      description: 'What can be chosen; a text is asked for when there are none.',
    }),
    multiple: param(z.boolean().default(false), {
      label: 'More than one may be chosen',
      description: 'Whether the answer is a list; only where there are options.',
    }),
    ...deadlineParams,
  }),
  output: z.object({ answer: z.unknown(), ...answerOutput }),
  examples: [
    { question: 'Which city?' },
    { question: 'Which city?', options: ['Zurich', 'Berlin'], expires_in_seconds: 86_400 },
  ],
  checkNode: ({ if_timeout }, next) => checkTargets({ if_timeout }, next),
  run: ({ question, options, multiple, expires_in_seconds: expiresInSeconds, if_timeout: ifTimeout }, context) => {
    const isChoice = options.length > 0;
    return ask(
      {
        reason: 'input',
        question: {
          message: question,
          kind: isChoice ? 'choice' : 'text',
          options: options.map(toOption),
          ...(isChoice && multiple && { multiple }),
          fields: [],
        },
        expiresInSeconds,
        ifTimeout,
        toResult: ({ value }) => ({ output: { answer: value } }),
        unanswered: { answer: null },
      },
      context,
    );
  },
});
