import { NoEmbeddings, NoReranker } from '@app/integrations';
import { KeywordSearch, NameSearch, Retriever, VectorSearch } from '@app/retrieval';
import { assert, asyncProperty, nat, stringMatching, uniqueArray } from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { addIndexedDocument } from '../support/retrieval.js';
import { inAll } from '../support/long.js';

/** What each query must find first, among all texts of its language. */
const CORPORA: Record<string, { texts: Record<string, string>; asks: [query: string, text: string][] }> = {
  German: {
    texts: {
      haftpflicht:
        'Die private Haftpflichtversicherung zahlt, wenn der Versicherte einem Dritten einen Schaden zufügt.',
      miete: 'Der Mietvertrag kann mit einer Frist von drei Monaten zur Kündigung durch den Mieter beendet werden.',
      heizung: 'Die Heizkosten werden jedes Jahr nach dem Verbrauch der Wohnungen abgerechnet.',
      mueller: 'Herr Müller aus Köln leitet seit dem Frühjahr die Abteilung für Gebäudetechnik.',
      geraet: 'Das Gerät AX-9000-B7 wird mit einem Netzteil und zwei Kabeln geliefert.',
      kfz: 'Über die Kraftfahrzeugsteuererstattung entscheidet das Amt am Wohnort.',
      strasse: 'Die Straße vor dem Rathaus ist wegen Bauarbeiten am Kanal gesperrt.',
    },
    asks: [
      ['Versicherung', 'haftpflicht'],
      ['Welche Versicherungen zahlen bei Schäden?', 'haftpflicht'],
      ['Schaeden', 'haftpflicht'],
      ['Pflicht', 'haftpflicht'],
      ['Pflichten', 'haftpflicht'],
      ['Steuer', 'kfz'],
      ['Fahrzeuge', 'kfz'],
      ['Kündigungsfrist', 'miete'],
      ['Wie werden die Kosten der Heizung abgerechnet?', 'heizung'],
      ['Kosten', 'heizung'],
      ['Mueller Koeln', 'mueller'],
      ['Muller', 'mueller'],
      ['Gebaeudetechnik', 'mueller'],
      ['AX9000B7', 'geraet'],
      ['AX 9000 B7', 'geraet'],
      ['ax-9000b7', 'geraet'],
      ['Strasse', 'strasse'],
      ['Haftpflichversicherung', 'haftpflicht'],
      ['Rahtaus', 'strasse'],
    ],
  },
  French: {
    texts: {
      bail: 'Le contrat de location peut être résilié par le locataire avec un préavis de trois mois.',
      paie: 'Les salaires sont versés à la fin de chaque mois sur le compte bancaire des employés.',
      ecole: "L'école élémentaire accueille les élèves du quartier dès l'âge de six ans.",
    },
    asks: [
      ['Quel est le préavis de résiliation ?', 'bail'],
      ['locations', 'bail'],
      ['Quand est versé le salaire des employées ?', 'paie'],
      ['écoles elementaires', 'ecole'],
      ['eleve', 'ecole'],
      ['bancairre', 'paie'],
    ],
  },
  Spanish: {
    texts: {
      alquiler: 'El inquilino puede cancelar el contrato de alquiler avisando con treinta días de antelación.',
      nomina: 'Las nóminas se pagan el último día hábil de cada mes por transferencia bancaria.',
      escuela: 'Los niños de la escuela aprenden música y natación desde el primer año.',
    },
    asks: [
      ['cancelación de contratos', 'alquiler'],
      ['¿Cuándo se paga la nómina?', 'nomina'],
      ['¿Qué aprende un niño en las escuelas?', 'escuela'],
      ['trasferencia', 'nomina'],
    ],
  },
  Turkish: {
    texts: {
      kira: 'Kiracı, kira sözleşmesini üç ay önceden haber vererek feshedebilir.',
      maas: 'Çalışanların maaşları her ayın son iş gününde bankaya yatırılır.',
      okul: 'İstanbul’daki okullarda öğrenciler altı yaşından itibaren müzik öğrenir.',
    },
    asks: [
      ['kira sözleşmesi', 'kira'],
      ['maaş ne zaman yatırılır', 'maas'],
      ['ISTANBUL okul', 'okul'],
      ['sozlesme', 'kira'],
      ['müzk', 'okul'],
    ],
  },
  Arabic: {
    texts: {
      ijar: 'يجوز للمستأجر إنهاء عقد الإيجار بعد إشعار مدته ثلاثة أشهر.',
      ratib: 'تدفع رواتب الموظفين في نهاية كل شهر عن طريق التحويل البنكي.',
      madrasa: 'يتعلم الأطفال في المدرسة الموسيقى والسباحة منذ السنة الأولى.',
    },
    asks: [
      ['ما هي مدة الإشعار لإنهاء العقد؟', 'ijar'],
      ['متى تدفع الرواتب', 'ratib'],
      ['المدرسه', 'madrasa'],
    ],
  },
  English: {
    texts: {
      lease: 'The tenant may end the lease by giving three months of notice in writing.',
      pay: 'Salaries are paid on the last working day of every month; send questions by e-mail.',
      device: 'The device AX9000B7 ships with a power supply. Mr Mueller tested the data base behind it.',
    },
    asks: [
      ['When are the salaries paid?', 'pay'],
      ['tennant', 'lease'],
      ['email', 'pay'],
      ['AX-9000-B7', 'device'],
      ['Müller', 'device'],
      ['database', 'device'],
    ],
  },
};

describe('retrieval in several languages', () => {
  let database: TestDatabase;
  let retriever: Retriever;
  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    const [keywords, vectors, names] = [
      new KeywordSearch(dataSource),
      new VectorSearch(dataSource),
      new NameSearch(dataSource),
    ];
    retriever = new Retriever(dataSource, new NoEmbeddings(), new NoReranker(), keywords, vectors, names);
  });
  afterAll(() => database.drop());

  const addAll = async (ownerId: number, texts: Record<string, string>) => {
    const names = new Map<string, string>();
    for (const [name, text] of Object.entries(texts))
      names.set(await addIndexedDocument(database.dataSource, { ownerId, pages: [text] }), name);
    return names;
  };
  const search = async (userId: number, query: string) =>
    retriever.search({ viewer: { userId }, query, mode: 'hybrid', limit: 10 });

  const zebras = async (userId: number, tags: string[]) =>
    (await retriever.search({ viewer: { userId }, query: 'zebra', mode: 'keyword', limit: 9, tags })).hits.map(
      ({ uid }) => uid,
    );

  it.each(Object.entries(CORPORA))('finds words of %s in other forms and spellings', async (_, { texts, asks }) => {
    const owner = await createUserRow(database);
    const names = await addAll(owner, texts);
    const found: [string, string | undefined][] = [];
    for (const [query] of asks) found.push([query, names.get((await search(owner, query)).hits[0]?.uid ?? '')]);
    expect(found).toEqual(asks);
  });

  inAll(
    'finds all of it in one corpus of every language, and in what was indexed before languages were told apart',
    async () => {
      const owner = await createUserRow(database);
      const texts = Object.values(CORPORA).map((corpus) => Object.values(corpus.texts));
      const uids = new Map<string, string>();
      for (const text of texts.flat())
        uids.set(await addIndexedDocument(database.dataSource, { ownerId: owner, pages: [text] }), text);
      for (const text of texts.flat()) {
        const { hits } = await search(owner, text);
        expect(uids.get(hits[0]!.uid)).toBe(text);
      }
      const missed: string[] = [];
      for (const { texts: own, asks } of Object.values(CORPORA))
        for (const [query, name] of asks) {
          const { hits } = await search(owner, query);
          if (!hits.slice(0, 3).some(({ uid }) => uids.get(uid) === own[name])) missed.push(query);
        }
      expect(missed).toEqual([]);
    },
  );

  it('says of each word how rare it is in what the viewer may read', async () => {
    const owner = await createUserRow(database);
    await addAll(owner, CORPORA.English!.texts);
    const { terms } = await search(owner, 'Is the tenant of the month a unicorn?');
    expect(terms).toMatchObject([
      { word: 'tenant', found: 1, weight: 1, replaced: false },
      { word: 'month', found: 2 },
      { word: 'unicorn', found: 0 },
    ]);
    expect(terms[2]!.idf).toBeGreaterThan(terms[0]!.idf);
    expect(terms[0]!.idf).toBeGreaterThan(terms[1]!.idf);
  });

  it('finds what was indexed before languages were told apart as it did then', async () => {
    const owner = await createUserRow(database);
    const uid = await addIndexedDocument(database.dataSource, {
      ownerId: owner,
      pages: ['The reports of the Müller company', 'Die Versicherungen von Köln'],
    });
    const { dataSource } = database;
    // What that release wrote: English stems, no language.
    await dataSource.query(`UPDATE document_indexes SET languages = '{}' WHERE document_uid = $1`, [uid]);
    for (const [text, page] of [
      ['the report of the muller company', 1],
      ['die versicherungen von koln', 2],
    ] as const)
      await dataSource.query(
        `UPDATE chunks c SET terms = $3::tsvector FROM document_indexes i, chunk_contents t
         WHERE i.id = c.index_id AND t.chunk_id = c.id AND i.document_uid = $1 AND t.page = $2`,
        [uid, page, oldTerms(owner, text)],
      );
    for (const [query, page] of [
      ['reporting companies', 1],
      ['Mueller', 1],
      ['Versicherungen', 2],
      ['Köln', 2],
    ] as const)
      expect([query, (await search(owner, query)).hits[0]?.page]).toEqual([query, page]);
  });

  it('narrows to tags, which are their owner’s alone', async () => {
    const [owner, friend] = [await createUserRow(database), await createUserRow(database)];
    const { dataSource } = database;
    const [plain, tagged] = [
      await addIndexedDocument(dataSource, { ownerId: owner, pages: ['zebra one'] }),
      await addIndexedDocument(dataSource, { ownerId: owner, pages: ['zebra two'] }),
    ];
    await dataSource.query(`UPDATE documents SET tags = '{Invoice,paid}' WHERE uid = $1`, [tagged]);
    for (const uid of [plain, tagged])
      await dataSource.query('INSERT INTO document_shares (document_uid, user_id) VALUES ($1, $2)', [uid, friend]);
    expect(await zebras(owner, ['INVOICE'])).toEqual([tagged]);
    expect(await zebras(owner, ['invoice', 'Paid'])).toEqual([tagged]);
    expect(await zebras(owner, ['invoice', 'late'])).toEqual([]);
    expect(await zebras(owner, [])).toHaveLength(2);
    expect(await zebras(friend, [])).toHaveLength(2);
    expect(await zebras(friend, ['invoice'])).toEqual([]);
  });

  it('keeps the rarest words of a long question, and answers any text', async () => {
    const owner = await createUserRow(database);
    for (let at = 0; at < 30; at++)
      await addIndexedDocument(database.dataSource, { ownerId: owner, pages: [`${COMMON} filler number ${at}`] });
    const uid = await addIndexedDocument(database.dataSource, { ownerId: owner, pages: ['The okapi ate figs.'] });
    const long = `${Array.from({ length: 100 }, (_, at) => `absentword${at}`).join(' ')} okapi figs ${COMMON}`;
    expect((await search(owner, long)).hits[0]?.uid).toBe(uid);
    expect((await search(owner, long)).terms.length).toBeLessThanOrEqual(64);
    const hostile = [
      'x'.repeat(1000),
      Array.from({ length: 1000 }, (_, at) => `word${at}`).join(' '),
      '\0 okapi \0',
      `okapi' | !figs & "':*A \\' \\`,
      '\ud800 okapi',
      '(((((((((((((',
      'a-b-c-d-e-f-g-1-2-3-4 '.repeat(40),
      'ÄÖÜ'.repeat(300),
      '%_%_%_% okapy',
      '::: <-> okapi:* ~ipako',
    ];
    for (const query of hostile) expect((await search(owner, query)).hits.length).toBeLessThanOrEqual(10);
    expect((await search(owner, hostile[3]!)).hits[0]?.uid).toBe(uid);
    expect((await search(owner, '%_%_%_% okapy')).hits[0]?.uid).toBe(uid);
  });

  it('finds a passage by any of its own words, in whatever language it is taken for', async () => {
    const owner = await createUserRow(database);
    const word = stringMatching(/^[a-zäöüßéèñçışğøåłаеиоулнрст]{5,12}$/);
    const words = uniqueArray(word, { minLength: 6, maxLength: 12 });
    await assert(
      asyncProperty(words, nat(), async (text, pick) => {
        const uid = await addIndexedDocument(database.dataSource, { ownerId: owner, pages: [text.join(' ')] });
        const query = text[pick % text.length]!;
        const { hits } = await search(owner, query);
        await database.dataSource.query('DELETE FROM documents WHERE uid = $1', [uid]);
        return hits.some((hit) => hit.uid === uid);
      }),
      { numRuns: 40, seed: 12 },
    );
  });
});

const COMMON = Array.from({ length: 60 }, (_, at) => `commonplace${at}`).join(' ');

function oldTerms(ownerId: number, stems: string): string {
  return stems
    .split(' ')
    .map((stem) => `'${ownerId.toString(36)}:${stem === 'company' ? 'compani' : stem}':1D`)
    .join(' ');
}
