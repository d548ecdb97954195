import { sendMessageJob } from '@app/contracts';
import { defineWork } from '@app/work';
import type { Language, TemplateName } from './templates/template.js';
import type { WRITTEN_MAIL } from './written-mail.js';

export interface ClaimedMessage {
  id: string;
  channel: 'mail' | 'sms';
  template: TemplateName | typeof WRITTEN_MAIL;
  language: Language | '';
  recipient: string;
  userId: number | null;
  paramsSealed: Buffer;
  /** The code in it has run out. */
  isLate: boolean;
}

/** Seconds before each further try, give or take a fifth; after the last one the message is given up. */
const BACKOFF_SECONDS = [5, 30, 120, 600, 3600, 10_800];

/** The end of a message, whichever: what it said is gone. */
export const endsAs = (state: 'sent' | 'expired' | 'failed') =>
  `state = '${state}', params_sealed = NULL, finished_at = now()`;

/** Mails and text messages that are to be sent. */
export const messageWork = defineWork<ClaimedMessage>({
  work: 'message',
  job: sendMessageJob,
  table: 'outgoing_messages',
  key: { id: 'uuid' },
  columns: `w.id, w.channel, w.template, w.language, w.recipient, w.user_id AS "userId",
    w.params_sealed AS "paramsSealed", coalesce(w.expires_at <= now(), false) AS "isLate"`,
  // An api of the release before ends messages without a word in `next_attempt_at`, and knows no leases: it leaves alone
  // for so long what this one has taken.
  when: `w.state = 'waiting'`,
  onClaim: `next_attempt_at = clock_timestamp() + interval '30 seconds'`,
  retry: {
    tries: BACKOFF_SECONDS.length + 1,
    delaySeconds: (attempt) => BACKOFF_SECONDS[attempt - 1]! * (0.8 + Math.random() * 0.4),
  },
  unexpected: 'Its end could not be written down.',
  onGivenUp: endsAs('failed'),
  ids: ({ id: messageId, template }) => ({ messageId, template }),
  ownerOf: ({ userId }) => userId,
});
