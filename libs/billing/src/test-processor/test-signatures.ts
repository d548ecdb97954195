import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidEventError, type ProcessorEvent } from '@app/integrations';

export const TEST_SIGNATURE_HEADER = 'atrium-test-signature';
const TOLERANCE_SECONDS = 300;
const HEADER = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;

interface EventBody {
  id: string;
  type: string;
  created: number;
  object: { kind: 'checkout' | 'subscription'; id: string };
}

/** Events of the test processor, signed as those of others are: over the time and the very bytes. */
export class TestSignatures {
  constructor(private readonly key: Buffer) {}

  write(body: EventBody, nowMs: number): { rawBody: Buffer; signature: string } {
    const rawBody = Buffer.from(JSON.stringify(body));
    const seconds = Math.floor(nowMs / 1000);
    return { rawBody, signature: `t=${seconds},v1=${this.mac(seconds, rawBody).toString('hex')}` };
  }

  /** @throws InvalidEventError */
  read(rawBody: Buffer, signature: string, nowMs: number): ProcessorEvent {
    const found = HEADER.exec(signature);
    if (!found) throw new InvalidEventError('There is no signature.');
    const seconds = Number(found[1]);
    if (!timingSafeEqual(this.mac(seconds, rawBody), Buffer.from(found[2]!, 'hex')))
      throw new InvalidEventError('The signature is not that of these bytes.');
    if (Math.abs(nowMs / 1000 - seconds) > TOLERANCE_SECONDS)
      throw new InvalidEventError('It was signed more than five minutes ago, or ahead.');
    const body = JSON.parse(rawBody.toString('utf8')) as EventBody;
    return { id: body.id, type: body.type, createdAt: body.created, object: body.object };
  }

  private mac(seconds: number, rawBody: Buffer): Buffer {
    return createHmac('sha256', this.key).update(`${seconds}.`).update(rawBody).digest();
  }
}
