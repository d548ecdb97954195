import type { AskedColumn } from '../asked-table.js';
import type { Parts } from './parts.js';
import { isKey, isNumeric } from './reading.js';
import { nameWords } from './words.js';

/** Words of the names of columns that say who somebody is, in all languages. */
const PERSONS = new Set(
  `name customer client buyer employee agent seller salesperson salesman rep representative student pupil teacher player
   patient doctor driver passenger member user author writer director artist singer guest visitor winner candidate worker
   staff person participant owner manager
   kunde kundin kaufer mitarbeiter verkaufer schuler spieler lehrer fahrer autor nachname vorname bearbeiter
   nom employe vendeur eleve joueur nombre cliente empleado vendedor alumno jugador nome dipendente venditore
   funcionario aluno naam klant medewerker verkoper`
    .split(/\s+/)
    .filter(Boolean),
);

/**
 * Whom "who" is about: the row where each is of one person, else the only column of persons, which is then named.
 * @returns false where it can be nobody, or several
 */
export function namesPerson(parts: Parts): boolean {
  const { columns } = parts.table;
  // "Who directed it", "who are the customers"
  if (parts.columns.some(({ type }) => type === 'text') || parts.groups.some(({ column }) => column.type === 'text'))
    return true;
  const own = columns.filter(isOfPersons);
  const known = own.filter((column) => !parts.filters.some((filter) => filter.column === column));
  if (parts.table.persons === true || own.some((column) => column.unique === true || isName(column))) {
    parts.namesRows = true;
    parts.lists ||= parts.aggregates.length === 0;
    parts.asksWhich = true;
    return true;
  }
  const [column, ...others] = known;
  if (!column || others.length > 0) return false;
  parts.columns.unshift(column);
  parts.asksWhich = true;
  return true;
}

/** The columns that say who a row is of. */
export function namesOfRow({ columns }: Parts['table']): AskedColumn[] {
  const names = columns.filter(isOfPersons);
  const unique = names.filter(({ unique: sole }) => sole === true);
  const called = names.filter((own) => !isKey(own) && nameWords(own.name).some((word) => word.endsWith('name')));
  // A number says nobody who it is: two people of one name are told apart by it.
  const [sole] = unique;
  if (sole) return isKey(sole) ? [...called.slice(0, 2), sole] : [sole];
  return called.slice(0, 2);
}

/** Called no more than "name": two rows of one name are two persons. */
function isName({ name, unique }: AskedColumn): boolean {
  return unique !== false && /^(?:name|nom|nombre|nome|naam)$/i.test(name);
}

const SORTS_OF_PEOPLE =
  /^(?:gender|sex|sexe|sexo|sesso|genre|g[ée]nero|genere|geschlecht|geslacht|الجنس|جنس|segment|membership|customer_?type|age_?group|nationality)$/iu;

/** Whether it says who somebody is, or what sort of people they are. */
export function isOfWhom(column: AskedColumn): boolean {
  return isOfPersons(column) || SORTS_OF_PEOPLE.test(column.name);
}

export function isOfPersons(column: AskedColumn): boolean {
  const { type, name, originalName } = column;
  if (type !== 'text' || isNumeric(column)) return false;
  return [...nameWords(name), ...nameWords(originalName)].some(
    (word) => PERSONS.has(word) || /^(?:sur|first|last)?name$/.test(word),
  );
}

/** Whether there is but one thing that "how many" can count: rows are people or have numbers, or tell of nobody twice. */
export function isOneEach({ columns, persons }: Parts['table']): boolean {
  if (persons === true || columns.some(({ numbers, unique }) => numbers === true && unique === true)) return true;
  return !columns.some((column) => isOfWhom(column) && column.unique === false);
}
