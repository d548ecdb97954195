import type { AskedColumn, AskedTable } from '../asked-table.js';
import { tableOf as table } from './asked-table.spec-support.js';
import { clarificationText } from './clarification.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';
import { readAnswer } from './wording.js';

const column = (name: string, originalName: string, type: AskedColumn['type'], values: string[] = []): AskedColumn => ({
  name,
  originalName,
  type,
  nullable: true,
  values,
  complete: true,
});

const umsatz = table('Bericht', [
  column('datum', 'Datum', 'date'),
  column('filiale', 'Filiale', 'text', ['Köln', 'Bonn', 'Straßburg']),
  column('warengruppe', 'Warengruppe', 'text', ['Backwaren', 'Getränke']),
  column('umsatz', 'Umsatz', 'number'),
  column('preis', 'Preis', 'number'),
]);
const ventes = table('ventes', [
  column('magasin', 'Magasin', 'text', ["L'Isle", 'Lyon']),
  column('montant', 'Montant', 'number'),
]);
const orders = table('orders', [
  column('city', 'City', 'text', ['Amman', 'Irbid']),
  column('deaths', 'Deaths', 'integer'),
  column('amount', 'Amount', 'number'),
]);

const empleados = table('empleados', [
  { ...column('nombre', 'Nombre', 'text', ['Ana Ruiz']), unique: true },
  column('departamento', 'Departamento', 'text', ['Ventas', 'Finanzas']),
  column('salario_mensual', 'Salario mensual (€)', 'number'),
  { ...column('alta', 'Alta', 'date'), span: ['2024-01-02', '2024-11-30'] },
  column('gasto_medio', 'Gasto medio', 'number'),
]);
const produits = table('produits', [
  { ...column('produit', 'Produit', 'text', ['Chaise', 'Lampe']), unique: true },
  column('categorie', 'Catégorie', 'text', ['Mobilier', 'Éclairage']),
  column('prix_ht', 'Prix HT (€)', 'number'),
]);
const auftraege = table('auftraege', [
  column('kunde', 'Kunde', 'text', ['Meier', 'Schulz']),
  column('nettobetrag', 'Nettobetrag (EUR)', 'number'),
  { ...column('datum', 'Datum', 'date'), span: ['2024-02-03', '2024-09-09'] },
]);
const staff = table('Personal', [
  column('name', 'Name', 'text', ['Anna Groß', 'Jörg Müller']),
  column('gehalt', 'Gehalt', 'number'),
  column('alter', 'Alter', 'integer'),
  column('ort', 'Ort', 'text', ['München', 'Berlin']),
]);

function sqlOf(question: string, tables: AskedTable[], before: string[] = []): string | null {
  const history = before.map((turn) => ({ question: turn, sql: null, answer: '' }));
  const { reading } = readQuestion(question, tables, history);
  return reading?.kind === 'query'
    ? readingSql(reading)
        .replace(/^SELECT | FROM "\w+"/g, '')
        .replace(/ AS "\w+"/g, '')
    : reading && `unclear: ${reading.about} ${reading.choices.join()}`;
}

describe('questions in other languages', () => {
  it.each([
    ['Gesamtumsatz', 'sum("umsatz")'],
    ['Höchstpreis in Koeln', `max("preis") WHERE "filiale" = 'Köln'`],
    ['Durchschnittspreis in STRASSBURG', `avg("preis") WHERE "filiale" = 'Straßburg'`],
    ['Umsatzsumme', 'sum("umsatz")'],
    [
      'Wie viele Zeilen in Bonn mit einem Umsatz über 1.234,50?',
      `count(*) WHERE "filiale" = 'Bonn' AND "umsatz" > 1234.5`,
    ],
    ['Wie viele Zeilen haben einen Umsatz von mehr als 2 Mio.?', 'count(*) WHERE "umsatz" > 2000000'],
    ['Wie viele Zeilen haben einen Umsatz von mehr als zwei Tausend?', 'count(*) WHERE "umsatz" > 2000'],
    ['Umsatz nach dem 3.4.2023', `sum("umsatz") WHERE "datum" >= DATE '2023-04-04'`],
    ['Umsatz der Filialen nach Warengruppen', null],
  ])('reads German: %j', (question, sql) => expect(sqlOf(question, [umsatz])).toBe(sql));

  it('keeps compounds of times apart, which name sums over them', () => {
    expect(sqlOf('durchschnittlicher Tagesumsatz', [umsatz])).toBeNull();
    expect(sqlOf('höchster Monatsumsatz', [umsatz])).toBeNull();
  });

  it('does not take a number that may be two', () => {
    expect(sqlOf('Wie viele Zeilen haben einen Umsatz über 1,500?', [umsatz])).toBeNull();
  });

  it('reckons in what the header counts in', () => {
    const films = table('Filmliste', [
      column('titel', 'Titel', 'text', ['Nacht']),
      column('budget', 'Budget (Mio. EUR)', 'number'),
    ]);
    expect(sqlOf('Filme mit Budget über 10 Mio. Euro', [films])).toBe('* WHERE "budget" > 10');
    expect(sqlOf('Filme mit Budget über 10', [films])).toBe('* WHERE "budget" > 10');
    expect(sqlOf('Filme mit Budget über 10 Euro', [films])).toMatch(/^unclear/);
    expect(sqlOf('rows with budget over 2.5 million', [films])).toBe('* WHERE "budget" > 2.5');
  });

  it.each([
    ['¿Cuál es el salario más alto?', 'max("salario_mensual")'],
    ['salario medio', 'avg("salario_mensual")'],
    [
      '¿Quién tiene el salario más alto?',
      '"nombre", "salario_mensual" ORDER BY "salario_mensual" DESC NULLS LAST LIMIT 1',
    ],
    ['los 3 salarios más altos', '* ORDER BY "salario_mensual" DESC NULLS LAST LIMIT 3'],
    ['empleados con salario superior a la media', '* WHERE "salario_mensual" > (SELECT avg("salario_mensual"))'],
    [
      '¿Cuántos empleados están por debajo del salario medio?',
      'count(*) WHERE "salario_mensual" < (SELECT avg("salario_mensual"))',
    ],
    [
      '¿Qué departamento aparece con más frecuencia?',
      '"departamento", count(*) GROUP BY 1 HAVING "departamento" IS NOT NULL ORDER BY "count" DESC NULLS LAST, 1 LIMIT 1',
    ],
    ['empleados antes del 1 de junio', `* WHERE "alta" < DATE '2024-06-01'`],
    ['¿Cuántos salarios?', null],
    // The sum of averages, the average of maxima
    ['gasto total', null],
    ['los 3 gastos más altos', null],
  ])('knows a column by the beginning of its name where adjectives stand behind: %j', (question, sql) =>
    expect(sqlOf(question, [empleados])).toBe(sql),
  );

  it.each([
    ['prix moyen', 'avg("prix_ht")'],
    ['Quel est le prix le plus élevé ?', 'max("prix_ht")'],
    ['les 3 prix les plus élevés', '* ORDER BY "prix_ht" DESC NULLS LAST LIMIT 3'],
    ['Quel produit a le prix le plus élevé ?', '* ORDER BY "prix_ht" DESC NULLS LAST LIMIT 1'],
    ['Quels produits ont un prix supérieur à la moyenne ?', '* WHERE "prix_ht" > (SELECT avg("prix_ht"))'],
    [
      'Quelle catégorie apparaît le plus souvent ?',
      '"categorie", count(*) GROUP BY 1 HAVING "categorie" IS NOT NULL ORDER BY "count" DESC NULLS LAST, 1 LIMIT 1',
    ],
  ])('does so in French: %j', (question, sql) => expect(sqlOf(question, [produits])).toBe(sql));

  it('knows a German compound by its end, where only one ends so, and says what it took', () => {
    expect(sqlOf('höchster Betrag', [auftraege])).toBe('max("nettobetrag")');
    expect(sqlOf('Die 3 höchsten Beträge', [auftraege])).toBe('* ORDER BY "nettobetrag" DESC NULLS LAST LIMIT 3');
    expect(sqlOf('Wie viele Aufträge liegen über dem durchschnittlichen Betrag?', [auftraege])).toBe(
      'count(*) WHERE "nettobetrag" > (SELECT avg("nettobetrag"))',
    );
    expect(sqlOf('Wie viele Aufträge vor dem 1. Juni?', [auftraege])).toBe(
      `count(*) WHERE "datum" < DATE '2024-06-01'`,
    );
    expect(sqlOf('Welcher Kunde kommt am häufigsten vor?', [auftraege])).toBe(
      '"kunde", count(*) GROUP BY 1 HAVING "kunde" IS NOT NULL ORDER BY "count" DESC NULLS LAST, 1 LIMIT 1',
    );
    const { reading } = readQuestion('höchster Betrag', [auftraege], []);
    expect(reading).toMatchObject({ guesses: [{ word: 'Betrag', as: 'Nettobetrag (EUR)' }] });
    const mean = table('auftraege', [column('durchschnittsbetrag', 'Durchschnittsbetrag', 'number')]);
    expect(sqlOf('Summe der Beträge', [mean])).toBeNull();
    const taxed = table('auftraege', [...auftraege.columns, column('steuerbetrag', 'Steuerbetrag', 'number')]);
    expect(sqlOf('höchster Betrag', [taxed])).toBe('unclear: Betrag Nettobetrag (EUR),Steuerbetrag');
  });

  it.each([
    ['Wie oft kommt Köln vor?', umsatz, `count(*) WHERE "filiale" = 'Köln'`],
    ['Wie viele Zeilen mit Preis 12,90?', umsatz, 'count(*) WHERE "preis" = 12.9'],
    [
      'Umsatz im zweiten Halbjahr 2024',
      umsatz,
      `sum("umsatz") WHERE "datum" >= DATE '2024-07-01' AND "datum" < DATE '2025-01-01'`,
    ],
    ['Combien de fois Lyon ?', ventes, `count(*) WHERE "magasin" = 'Lyon'`],
    ['Combien de lignes avec un montant de 12,5 ?', ventes, 'count(*) WHERE "montant" = 12.5'],
    [
      '¿Cuántos empleados con alta en el primer semestre?',
      empleados,
      `count(*) WHERE "alta" >= DATE '2024-01-01' AND "alta" < DATE '2024-07-01'`,
    ],
  ])('counts, compares and takes halves of years: %j', (question, asked, sql) =>
    expect(sqlOf(question, [asked])).toBe(sql),
  );

  it('reads words that are written onto the next one', () => {
    expect(sqlOf("montant total de L'Isle", [ventes])).toBe(`sum("montant") WHERE "magasin" = 'L''Isle'`);
    expect(sqlOf("Quel est le montant total d'Isle ?", [ventes])).toBeNull();
  });

  it('reads a question in one language, names and values aside', () => {
    expect(sqlOf('total amount à Amman', [orders])).toBe(`sum("amount") WHERE "city" = 'Amman'`);
    expect(sqlOf('Summe von Amount in Amman', [orders])).toBe(`sum("amount") WHERE "city" = 'Amman'`);
    for (const mixed of [
      'total Amount sans city Amman where Irbid',
      'Wie viele Deaths without Irbid',
      'how many die in Irbid ohne Amman',
      'war total in Amman',
      'total amount die war',
    ])
      expect([mixed, sqlOf(mixed, [orders])]).toEqual([mixed, null]);
  });

  it.each([
    ['Wer hat das höchste Gehalt?', '"name", "gehalt" ORDER BY "gehalt" DESC NULLS LAST LIMIT 1'],
    ['Wer verdient am wenigsten?', '"name", "gehalt" ORDER BY "gehalt" ASC NULLS LAST LIMIT 1'],
    ['Wie alt ist Anna Gross?', `"ort", "alter" WHERE "name" = 'Anna Groß'`],
    ['Wie viele sind jünger als 40?', 'count(*) WHERE "alter" < 40'],
    ['Wie viele Zeilen in Muenchen sind nicht älter als zwölf?', `count(*) WHERE "ort" = 'München' AND "alter" <= 12`],
  ])('reads %j', (question, sql) => expect(sqlOf(question, [staff])).toBe(sql));

  it.each([
    ['Wie viel Kaffee wurde verkauft?', `sum("menge") WHERE "produkt" = 'Kaffee'`],
    ['Anzahl der Verkäufe', 'count(*)'],
    ['Verkäufe von Weber', `sum("umsatz") WHERE "verkaufer" = 'Weber'`],
    [
      'Welcher Verkäufer hat am meisten verkauft?',
      '"verkaufer", sum("umsatz") GROUP BY 1 HAVING "verkaufer" IS NOT NULL ORDER BY "sum_umsatz" DESC NULLS LAST, 1 LIMIT 1',
    ],
    [
      'Wer hat am meisten Kaffee verkauft?',
      '"verkaufer", sum("menge") WHERE "produkt" = \'Kaffee\' GROUP BY 1 HAVING "verkaufer" IS NOT NULL ORDER BY "sum_menge" DESC NULLS LAST, 1 LIMIT 1',
    ],
    ['Combien de Kaffee a été vendu ?', `sum("menge") WHERE "produkt" = 'Kaffee'`],
    ['¿Cuánto Kaffee se vendió?', `sum("menge") WHERE "produkt" = 'Kaffee'`],
  ])('knows what was sold from who sold it, and pieces from money: %j', (question, sql) => {
    const verkauf = table('liste', [
      column('produkt', 'Produkt', 'text', ['Kaffee', 'Tee']),
      column('menge', 'Menge', 'integer'),
      column('umsatz', 'Umsatz', 'number'),
      column('verkaufer', 'Verkäufer', 'text', ['Weber']),
    ]);
    expect(sqlOf(question, [verkauf])).toBe(sql);
  });

  it('takes no column of prices alone for money where there is one of takings', () => {
    const commandes = table('commandes', [
      column('prix', 'Prix', 'number'),
      column('chiffre_d_affaires', "Chiffre d'affaires", 'number'),
    ]);
    expect(sqlOf('Commandes de plus de 300 euros', [commandes])).toMatch(/^unclear/);
  });

  it.each([
    ["Quel est le chiffre d'affaires de Paris ?", `sum("chiffre_d_affaires") WHERE "magasin" = 'Paris'`],
    ['Qual é o montant de Paris?', `sum("montant") WHERE "magasin" = 'Paris'`],
    ['Quel est le prix de Paris ?', `DISTINCT "prix" WHERE "magasin" = 'Paris' ORDER BY 1`],
  ])('sums up what is asked for in the singular: %j', (question, sql) => {
    const commandes = table('liste', [
      column('magasin', 'Magasin', 'text', ['Lyon', 'Paris']),
      column('prix', 'Prix', 'number'),
      column('montant', 'Montant', 'number'),
      column('chiffre_d_affaires', "Chiffre d'affaires", 'number'),
    ]);
    expect(sqlOf(question, [commandes])).toBe(sql);
  });

  it('goes on with an earlier question in its language', () => {
    expect(sqlOf('Bonn?', [umsatz], ['Umsatz in Köln'])).toBe(`sum("umsatz") WHERE "filiale" = 'Bonn'`);
    expect(sqlOf('und in Bonn?', [umsatz], ['Gesamtumsatz in Köln'])).toBe(`sum("umsatz") WHERE "filiale" = 'Bonn'`);
    expect(sqlOf('und in Bonn?', [umsatz], ['total umsatz in Köln'])).toBe(`sum("umsatz") WHERE "filiale" = 'Bonn'`);
  });

  it('asks back where two languages make different sense of it', () => {
    const places = table('places', [column('ciudad', 'City', 'text', ['Porto']), column('horas', 'Horas', 'integer')]);
    expect(sqlOf('total de horas no Porto', [places])).toMatch(/^unclear/);
  });

  it('answers and asks back in the language of the question', () => {
    const { reading, language } = readQuestion('Gesamtumsatz in Köln', [umsatz], []);
    if (reading?.kind !== 'query') throw new Error('It was not read.');
    const result = { columns: [{ name: 'sum_umsatz', type: 'number' as const }], truncated: false, durationMs: 1 };
    const facts = { matched: 5, filled: 4, alone: [5], tied: [], largest: null, rivals: [], things: null, among: null };
    expect(readAnswer(reading, { ...result, rows: [[12345.5]] }, facts, language)).toBe(
      '**12345.5**\n\n1 von 5 Zeilen haben kein “Umsatz” und gehen nicht in die Zahl ein.\n\n_Ohne Sprachmodell berechnet, verstanden als: Summe von “Umsatz” der Tabelle “Bericht” mit “Filiale” = Köln._',
    );
    const unclear = {
      kind: 'unclear',
      what: 'way',
      about: 'Preis',
      choices: ['average Preis', 'total Preis'],
    } as const;
    expect(clarificationText({ ...unclear, choices: [...unclear.choices] }, 'de')).toBe(
      'Wie soll “Preis” berechnet werden: “Durchschnitt Preis”, “Summe Preis”?',
    );
  });
});
