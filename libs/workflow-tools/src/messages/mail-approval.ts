import { toolApproval, type ToolApproval } from '@app/workflow-definition';

/** A mail is agreed to for its recipients. */
export function mailApproval(input: Record<string, unknown>): ToolApproval {
  const to = [input.to, input.cc, input.bcc].flatMap(addressesIn).sort();
  const subject = typeof input.subject === 'string' ? input.subject : '';
  return toolApproval('send_email', [...new Set(to)].join(','), `Send an e-mail to ${to.join(', ')}: ${subject}`);
}

function addressesIn(value: unknown): string[] {
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  return texts
    .flatMap((text) => (typeof text === 'string' ? text.split(/[,;]/) : []))
    .map((address) => address.trim().toLowerCase())
    .filter((address) => address !== '');
}
