import { Transform, type TransformCallback } from 'node:stream';
import { EgressError } from '@app/integrations';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Passes a stream of server-sent events on, and breaks it off when one event is larger than `maxBytes`: whoever puts
 * the event together would have to hold it.
 */
export class BoundedEvents extends Transform {
  private eventBytes = 0;
  private lineBytes = 0;

  /** @param onId is called for each event that has an id, so that the stream could be resumed after it */
  constructor(
    private readonly maxBytes: number,
    private readonly onId: () => void = () => {},
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(LINE_FEED, at);
      const next = end === -1 ? chunk.length : end + 1;
      // An id of which only the first letters have arrived is missed, and then the stream counts as not resumable.
      if (this.lineBytes === 0 && chunk.toString('latin1', at, at + 3) === 'id:') this.onId();
      const isBlank =
        end !== -1 && this.lineBytes === 0 && (end === at || (end === at + 1 && chunk[at] === CARRIAGE_RETURN));
      this.eventBytes = isBlank ? 0 : this.eventBytes + (next - at);
      this.lineBytes = end === -1 ? this.lineBytes + (next - at) : 0;
      if (this.eventBytes > this.maxBytes)
        return done(new EgressError('too_large', 'The answer of the server is too large.'));
      at = next;
    }
    done(null, chunk);
  }
}
