import { OutboxMessage } from './outbox/outbox-message.entity.js';

/** Every entity of the one database. */
export const entities = [OutboxMessage];
