/** How far a turn's log was read: its last row, and how much of its text came until then. */
export interface Place {
  seq: number;
  told: number;
}

export function readPlace(cursor: string | null): Place {
  const [, seq = '0', told = '0'] = /^(\d{1,9}):(\d{1,9})$/.exec(cursor ?? '') ?? [];
  return { seq: Number(seq), told: Number(told) };
}

export const writePlace = ({ seq, told }: Place): string => `${seq}:${told}`;
