import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { checkTargets, nodeIdsParam } from '../params.js';
import { answerOutput, ask, deadlineParams, timeoutOutlet } from './question.js';

export const approvalTool = defineKind({
  kind: 'approval',
  version: '1.0.0',
  title: 'Approval',
  description: 'Waits until somebody approves or rejects. A next node that stands in no list follows either answer.',
  category: categories.human,
  icon: 'stamp',
  isBranching: true,
  outlets: [
    {
      param: 'if_approved',
      label: 'When approved',
      names: ['approved', 'approve', 'yes', 'true', 'accept', 'accepted'],
    },
    {
      param: 'if_rejected',
      label: 'When rejected',
      names: ['rejected', 'reject', 'no', 'false', 'decline', 'declined', 'denied', 'deny'],
    },
    timeoutOutlet,
  ],
  isConversational: true,
  keepsParams: true,
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    message: param(z.string().trim().min(1).max(10_000), {
      label: 'What is to be approved',
      description: 'What the person reads before deciding.',
      type: 'text',
    }),
    if_approved: nodeIdsParam('When approved', 'The next nodes that run only when it is approved.'),
    if_rejected: nodeIdsParam('When rejected', 'The next nodes that run only when it is rejected.'),
    ...deadlineParams,
  }),
  output: z.object({ approved: z.boolean(), comment: z.string(), ...answerOutput }),
  examples: [{ message: 'Pay the invoice?', expires_in_seconds: 259_200 }],
  checkNode: ({ if_approved, if_rejected, if_timeout }, next) =>
    checkTargets({ if_approved, if_rejected, if_timeout }, next),
  run: (params, context) => {
    const { message, if_approved: ifApproved, if_rejected: ifRejected, if_timeout: ifTimeout } = params;
    return ask(
      {
        reason: 'approval',
        question: {
          message,
          kind: 'approval',
          options: [
            { value: 'approve', label: 'Approve' },
            { value: 'reject', label: 'Reject' },
          ],
          fields: [],
        },
        expiresInSeconds: params.expires_in_seconds,
        ifTimeout,
        toResult: ({ value }) => {
          const { approved, comment } = value as { approved: boolean; comment: string };
          const [taken, refused] = approved ? [ifApproved, ifRejected] : [ifRejected, ifApproved];
          return { output: { approved, comment }, refused: refused.filter((id) => !taken.includes(id)) };
        },
        unanswered: { approved: false, comment: '' },
        answerBranches: [...ifApproved, ...ifRejected].filter((id) => !ifTimeout.includes(id)),
      },
      context,
    );
  },
});
