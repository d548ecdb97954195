import type { AskedColumn } from '../asked-table.js';
import type { Mark } from './mark-words.js';
import { labelOf } from './reading.js';
import { nameWords } from './words.js';

/** What columns are called that say where something comes from, or goes to, in all languages. */
const ORIGINS =
  /^(?:origin|from|source|start|departure|depart|pickup|sender|von|herkunft|abfahrt|abflug|startort|depart|provenance|origen|salida|origine|partenza|origem|partida|herkomst|vertrek)$/;
const DESTINATIONS =
  /^(?:destination|dest|to|end|arrival|arrive|dropoff|recipient|receiver|nach|ziel|zielort|ankunft|arrivee|destino|llegada|destinazione|arrivo|chegada|bestemming|aankomst)$/;

const isCalled = (column: AskedColumn, names: RegExp) => nameWords(labelOf(column)).some((part) => names.test(part));

/** "From Oslo", "to Rome" of a table with both ends of a way: the column that is meant; null where that is not told. */
export function endOfWay(columns: readonly AskedColumn[], before: Mark | undefined): AskedColumn | null {
  const [from, ...origins] = columns.filter((column) => isCalled(column, ORIGINS));
  const [to, ...destinations] = columns.filter((column) => isCalled(column, DESTINATIONS));
  if (!from || !to || from === to || origins.length + destinations.length > 0 || columns.length > 2) return null;
  if (before?.kind === 'from') return from;
  return before?.kind === 'until' ? to : null;
}
