/** How far a run has been told, and what has to be known of it to go on without saying anything twice. */
export interface Place {
  /** Of the last frame; null where the gateway does not number them: there nothing can be asked for again. */
  id: number | null;
  frames: number;
  /** Whether it is asked for its state instead of listened to. */
  isPolled: boolean;
  /** The text since the last use of a tool: so long, and its sum. */
  length: number;
  sum: number;
  /** The question that waits for an answer; null: none. '' where the gateway gave it no id. */
  asked: string | null;
}

export const BEGINNING: Readonly<Place> = { id: null, frames: 0, isPolled: false, length: 0, sum: 0, asked: null };

export const writePlace = ({ id, frames, isPolled, length, sum, asked }: Place): string =>
  JSON.stringify([id, frames, isPolled, length, sum, asked]);

/** What is not a place of ours is one of which nothing is known: so nothing is listened to again. */
export function readPlace(cursor: string | null): Place {
  if (cursor === null) return { ...BEGINNING };
  try {
    const [id, frames, isPolled, length, sum, asked] = JSON.parse(cursor) as [...unknown[]];
    return {
      id: typeof id === 'number' ? id : null,
      frames: Number(frames) || 1,
      isPolled: isPolled === true,
      length: Number(length) || 0,
      sum: Number(sum) || 0,
      asked: typeof asked === 'string' ? asked : null,
    };
  } catch {
    return { ...BEGINNING, frames: 1 };
  }
}

/** Moves the place behind an event. */
export function pass(place: Place, event: string, data: Record<string, unknown>): void {
  if (event === 'message.delta') {
    const text = data.delta as string;
    place.sum = sumOf(text, place.sum);
    place.length += text.length;
  } else if (event.startsWith('tool.')) {
    place.length = 0;
    place.sum = 0;
  } else if (event === 'approval.request') place.asked = data.request_id as string;
  else if (event === 'approval.responded') place.asked = null;
}

/** What of the answer has not been told: its rest, or all of it where what was told is another text. */
export function untold({ length, sum }: Place, output: string): string {
  return sumOf(output.slice(0, length), 0) === sum ? output.slice(length) : output;
}

/** FNV-1a over the units of a text, going on from another sum. */
function sumOf(text: string, before: number): number {
  let sum = before;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul((sum ^ text.charCodeAt(at)) + 0x9e37, 16_777_619) >>> 0;
  return sum;
}
