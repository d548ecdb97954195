import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface DeliveredMail {
  /** Who it was delivered to, whatever its headers say. */
  recipients: string[];
  read(): Promise<Email>;
}

export interface MailServer {
  url: string;
  delivered: DeliveredMail[];
  stop(): Promise<void>;
}

/** A mail server that takes everything. */
export async function startMailServer(): Promise<MailServer> {
  const delivered: DeliveredMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        delivered.push({ recipients, read: () => PostalMime.parse(Buffer.concat(chunks)) });
        done();
      });
    },
  });
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready);
  });
  const { port } = server.server.address() as AddressInfo;
  const stop = () => new Promise<void>((stopped) => server.close(stopped));
  return { url: `smtp://127.0.0.1:${port}`, delivered, stop };
}
