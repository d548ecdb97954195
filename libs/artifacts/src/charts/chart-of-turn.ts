/** SQL: the first chart that a turn drew; null for none. @param turn SQL of its id */
export function chartOfTurn(turn: string): string {
  return `(SELECT drawn.mgid FROM charts drawn WHERE drawn.turn_id = ${turn} ORDER BY drawn.created_at LIMIT 1)`;
}
