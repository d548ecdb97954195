/**
 * Does the same work until there is less of it than fits into a batch, so that no transaction holds many rows for long.
 * @param batch how many one turn does at most
 * @param turn does some and says how many
 * @returns how many in all
 */
export async function inBatches(batch: number, turn: (batch: number) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const done = await turn(batch);
    total += done;
    if (done < batch) return total;
  }
}
