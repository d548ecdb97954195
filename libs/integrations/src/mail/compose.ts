import type { SendMailOptions } from 'nodemailer';
import type { OutgoingMail } from './mail.port.js';

/** The message as every adapter writes it. */
export function compose(mail: OutgoingMail, from: string): SendMailOptions {
  const domain = /@([^>\s]+)/.exec(from)?.[1] ?? 'atrium.invalid';
  const { addressedTo, attachments, html, language, replyTo, text } = mail;
  return {
    from,
    ...(addressedTo
      ? { to: addressedTo.to.map(toAddress), cc: addressedTo.cc.map(toAddress), envelope: { from, to: mail.to } }
      : { to: toAddress(mail.to) }),
    ...(replyTo && { replyTo: toAddress(replyTo) }),
    subject: mail.subject,
    ...(text !== '' && { text }),
    ...(html !== '' && { html }),
    ...(attachments && { attachments: [...attachments] }),
    messageId: `<${mail.messageId ?? mail.id}@${domain}>`,
    headers: { ...(language !== '' && { 'Content-Language': language }), 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Not as text, in which a comma or a bracket would name somebody else. */
function toAddress(address: string): { name: string; address: string } {
  return { name: '', address };
}
