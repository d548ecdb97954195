export interface LoggedEvent {
  seq: number;
  type: string;
  data: unknown;
}

/** Pieces of text that followed each other, as one row under the number of the last. */
interface CompactedText {
  offset: number;
  text: string;
  /** Of all pieces but the last, in UTF-16 code units, with commas between them. */
  lengths: string;
}

/** The events of a row as they were told: whoever goes on from the middle of a compacted log gets what comes after it. */
export function publishedEvents(event: LoggedEvent): LoggedEvent[] {
  if (!isCompacted(event.data)) return [event];
  const { seq, type, data } = event;
  const lengths = data.lengths.split(',').map(Number);
  let at = 0;
  const pieces = [...lengths, data.text.length].map((length) => {
    const piece = { offset: data.offset + at, text: data.text.slice(at, at + length) };
    at += length;
    return piece;
  });
  return pieces.map((piece, index) => ({ seq: seq - lengths.length + index, type, data: piece }));
}

function isCompacted(data: unknown): data is CompactedText {
  return typeof data === 'object' && data !== null && 'lengths' in data && 'text' in data;
}
