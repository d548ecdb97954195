export { MessageSender } from './message-sender.js';
export { messageWork, type ClaimedMessage } from './message-work.js';
export { Messages, type NewMessage } from './messages.js';
export { MessagesModule } from './messages.module.js';
export type { Language, LimitParams, MessageParams, TemplateName } from './templates/template.js';
export { attachmentFolder, type WrittenMail, type WrittenMailDelivery } from './written-mail.js';
export { MessagesOfAccount } from './messages-of-account.js';
export { isSendingLate, WAITING_MESSAGES } from './waiting-messages.js';
