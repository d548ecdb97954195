import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { cpuStopwatch } from '../../../../test/support/timing.js';
import { quoteSentences } from './quote-sentences.js';
import type { QuotedPassage } from './quoted-passage.js';
import { showsKind } from './shown-kinds.js';

const bare = (text: string) => text.replace(/\s+/g, '');
const passage = (text: string, about = '', document = about): QuotedPassage => ({ text, about, document });
const quotes = (question: string, ...texts: string[]) =>
  quoteSentences(
    question,
    texts.map((text) => passage(text)),
  ).quotes.map(({ text }) => text);

const PASSAGES = [
  'Vacation policy\n\nEmployees have 25 days of paid vacation a year. Requests go to the team lead. Unused days expire in March.',
  'The cafeteria opens at eight. It serves breakfast, and lunch for employees.',
];

describe('quoteSentences', () => {
  it('finds the sentence that answers', () => {
    const text = 'Employees have 25 days of paid vacation a year.';
    expect(
      quoteSentences(
        'How many vacation days do employees have?',
        PASSAGES.map((each) => passage(each)),
      ).quotes[0],
    ).toEqual({
      passage: 0,
      pieces: [{ start: PASSAGES[0]!.indexOf(text), end: PASSAGES[0]!.indexOf(text) + text.length }],
      text,
    });
    expect(quotes('When does the cafeteria open?', ...PASSAGES)[0]).toBe('The cafeteria opens at eight.');
  });

  it('gives the sentence that has what the first one lacks', () => {
    const text =
      'A hotel may cost up to 140 euros a night, breakfast included. In Zurich, London and Oslo the limit is 190 euros. Films in hotels are not paid.';
    const answer = quotes('How much may a hotel in Zurich cost?', text).join('\n');
    expect(answer).toContain('140 euros');
    expect(answer).toContain('190 euros');
  });

  it('takes no other code for one with a digit mistyped', () => {
    const manual = 'Die Pumpe VX-200 fördert 320 Liter pro Minute. Die Garantie beträgt 24 Monate ab Lieferung.';
    expect(quotes('Wie lange ist die Garantie der VX-200?', manual)).not.toEqual([]);
    expect(quotes('Wie lange ist die Garantie der VX-400?', manual)).toEqual([]);
    expect(quoteSentences('Garantie VX-400', [passage(manual)]).unknown).toEqual(['VX-400']);
    expect(quotes('What is the warrnaty of the pumps?', 'The warranty of the pumps is 24 months.')).not.toEqual([]);
  });

  it('takes no other number or letter of a thing for the one that is asked for', () => {
    const units = 'The weight of unit 21 is 914 kg.\n\nThe weight of unit 22 is 299 kg.';
    expect(quotes('What is the weight of unit 22?', units)[0]).toContain('299 kg');
    expect(quotes('What is the weight of unit 31?', units)).toEqual([]);
    const filters =
      'Nr. | Filter | Preis\n4 | Filter Typ A | 31,02\n14 | Filter Typ B | 263,79\n24 | Filter Typ C | 276,90';
    expect(quotes('Was kostet der Filter Typ B?', filters)[0]).toContain('263,79');
    expect(
      quotes('How much is the fee for orders above 50 euros?', 'The fee for large orders is 4 euros.'),
    ).not.toEqual([]);
  });

  it('quotes a line that looks like a heading, and says something', () => {
    const cv = [
      'Ana Ruiz',
      'Education',
      'MSc in Chemistry, University of Leeds, 2015 (grade: distinction)',
      'Languages',
      'German (native), English (C1), Dutch (B1)',
      'Other',
      'Driving licence class B. No car of her own.',
    ].join('\n\n');
    expect(quotes('What is her level in English and Dutch?', cv)).toEqual([
      'German (native), English (C1), Dutch (B1)',
    ]);
    expect(quotes('What is the grade of her MSc in Chemistry?', cv)[0]).toContain('distinction');
    const sheet = 'Pump\n\nDocument no. DS-07, revision C, issued 2024-09-30\n\nPart | Weight\nRotor | 12\nCover | 3';
    expect(quotes('Which revision is this?', sheet)).toEqual(['Document no. DS-07, revision C, issued 2024-09-30']);
  });

  it('takes a period for no length', () => {
    const text = 'Elke partij kan de overeenkomst opzeggen met een opzegtermijn van 45 dagen.';
    expect(quotes('Hoe lang is de opzegtermijn?', `De rente bedraagt 8 % per jaar. ${text}`)[0]).toBe(text);
  });

  it('takes no digits of a code or an amount for a date', () => {
    for (const none of ['RE-2025-00871', 'HR 7.204.118-3', '1.500 EUR', '2025/0042'])
      expect(showsKind('date', none)).toBeLessThan(1);
    for (const date of ['in 2025', '2024-25', 'mid-2025', '30.06.2025', 'until 12.30.', 'at 7:15', '2025/26'])
      expect(showsKind('date', date)).toBe(1);
  });

  it('quotes a field without a colon, also where it stands first', () => {
    const invoice = 'Invoice number 88213\nTotal 4,310.00 EUR\nDue date 2026-12-14';
    for (const question of ['What is the invoice number?', 'What is the total of invoice 88213?', 'When is it due?'])
      expect(quotes(question, invoice)).toEqual([invoice]);
    expect(quotes('What is the invoice number?', 'Invoice number 88213\n\nThank you for the order.')).toEqual([
      'Invoice number 88213',
    ]);
    expect(quotes('What is the annual report?', 'Annual Report 2025\n\nWe sold more soup.')).not.toContain(
      'Annual Report 2025',
    );
  });

  it('knows under which headings a sentence stands', () => {
    const manual =
      'The Root Filesystem\n\n3.13. /opt : Add-on application software\n\n3.13.1. Purpose\n\n/opt is reserved for add-on application software packages.\n\n' +
      '3.15. /run : Run-time variable data\n\n3.15.1. Purpose\n\nThis directory holds system information since it was booted. The purposes of this directory were once served by /var/run.';
    expect(quotes('What is the purpose of /opt?', manual)[0]).toBe(
      '/opt is reserved for add-on application software packages.',
    );
  });

  it.each([
    [
      'Who is the media contact?',
      'About us\n\nWe make soup.\n\nMedia Contact:\nOwen Pritchard\n(503) 555-0172\n\nInvestors:\nSandra Liu',
      'Media Contact:\nOwen Pritchard\n(503) 555-0172',
    ],
    [
      'How much cash was provided by operating activities?',
      'Cash flows\n\nNet cash provided by operating activities..................\n$ 5,439 million\nPurchases of property..................\n$ 1,373 million',
      'Net cash provided by operating activities..................\n$ 5,439 million',
    ],
    [
      'What does the carrot cake cost?',
      'Cakes | Slice | Whole\nApple crumble | $3.20 | $28.00\nCarrot cake | $3.60 | $32.00\nLemon tart | $3.90 | $35.00',
      'Cakes | Slice | Whole\nCarrot cake | $3.60 | $32.00',
    ],
    [
      'How many staplers are in stock?',
      'Article: Pen; Number: BP-1; Price: 14.90; Stock: 420\nArticle: Stapler; Number: ST-7; Price: 8.20; Stock: 265',
      'Article: Stapler; Number: ST-7; Price: 8.20; Stock: 265',
    ],
    [
      'How do I reset my password?',
      '## How do I reset my password?\nOpen the page and choose "Forgot".\n\n## Which printers can I use?\nAll of them.',
      '## How do I reset my password?\nOpen the page and choose "Forgot".',
    ],
    [
      'How much does the badge cost?',
      'Badges\n\nEvery visitor wears a badge. It costs 5 euros.',
      'Every visitor wears a badge. It costs 5 euros.',
    ],
    [
      'Wann beginnt die Probezeit?',
      'Vertrag\n\nDie Probezeit beginnt am 1. März 2024 und dauert drei Monate. Der Lohn wird am 15. jedes Monats gezahlt.',
      'Die Probezeit beginnt am 1. März 2024 und dauert drei Monate.',
    ],
    [
      'متى تبدأ الإجازات السنوية؟',
      'تبدأ الإجازة السنوية في يوليو. يتقاضى الموظفون رواتبهم في نهاية الشهر.',
      'تبدأ الإجازة السنوية في يوليو.',
    ],
  ])('quotes a statement: %s', (question, text, statement) => {
    expect(quotes(question, text)[0]).toBe(statement);
  });

  it('is silent when the passages have too little of the question', () => {
    expect(quotes('Which employees speak Portuguese and Finnish fluently?', ...PASSAGES)).toEqual([]);
    expect(quotes('What?', ...PASSAGES)).toEqual([]);
    expect(quotes('anything')).toEqual([]);
  });

  it.each([
    ['Quanto costa la tessera?', 'La tessera è gratuita per i soci. La tariffa delle tessere è di 12 euro.', '12 euro'],
    ['Hoe vaak wordt de bak geleegd?', 'De bak is groen. De bak wordt om de drie weken geleegd.', 'drie weken'],
    ['Qual é a multa por atraso?', 'O atraso é frequente. Quem se atrasa paga uma multa de 20 euros.', '20 euros'],
    ['Wann sind die Ruhezeiten?', 'Haustiere sind erlaubt. Von 22 bis 7 Uhr ist Ruhe zu halten.', '22 bis 7 Uhr'],
    ['Wie oft muss gestrichen werden?', 'Die Mieterin streicht die Wände alle acht Jahre. Sie lüftet.', 'acht Jahre'],
  ])('reads %s by the stems of its language', (question, text, fact) => {
    expect(quotes(question, text)[0]).toContain(fact);
  });

  it('says which of several questions has no answer', () => {
    const asked = 'When does the cafeteria open, and how many licences does the surgeon have?';
    const choice = quoteSentences(
      asked,
      PASSAGES.map((each) => passage(each)),
    );
    expect(choice.quotes[0]!.text).toBe('The cafeteria opens at eight.');
    expect(choice.unanswered).toEqual(['how many licences does the surgeon have?']);
    expect(quoteSentences('Who sings? Who dances?', [passage(PASSAGES[1]!)]).unanswered).toEqual([]);
  });

  describe('of whom and when', () => {
    const report = passage(
      'As of December 31, 2018, the Company employed 93,516 people.',
      'Minnesota Mining annual report 2018',
      'a',
    );
    const choose = (question: string, ...passages: QuotedPassage[]) => quoteSentences(question, [report, ...passages]);

    it('answers for the company that the document is about', () => {
      expect(choose('How many people did Minnesota Mining employ?').quotes).toHaveLength(1);
      expect(choose('How many people were employed in 2018?').quotes).toHaveLength(1);
    });

    it('answers for no other company, and says which it does not know', () => {
      expect(choose('How many people did Pfizer employ?')).toEqual({ quotes: [], unknown: ['Pfizer'], unanswered: [] });
    });

    it('answers for no other year', () => {
      expect(choose('How many people did Minnesota Mining employ in 2011?').quotes).toEqual([]);
    });

    it('prefers the document that is about it', () => {
      const other = passage(
        'As of December 31, 2018, the Company employed 92,400 people.',
        'Pfizer annual report 2018',
        'b',
      );
      expect(choose('How many people did Pfizer employ in 2018?', other).quotes[0]!.passage).toBe(1);
    });
  });

  it('says a sentence of overlapping passages once', () => {
    const texts = quotes('When does the cafeteria open?', PASSAGES[1]!, PASSAGES[1]!);
    expect(texts).toEqual([...new Set(texts)]);
  });

  it('invents nothing, whatever it is given', () => {
    const words = constantFrom(
      'pump',
      'Orion',
      'weighs',
      '3 kg',
      'Price',
      ' | ',
      ': ',
      '; ',
      '\n',
      '\n\n',
      '. ',
      '? ',
      '- ',
      '.....',
      'في',
      'الدليل',
      '2019',
      '# ',
      ' ',
      'Dr. ',
      'x'.repeat(300),
    );
    const text = array(words, { maxLength: 120 }).map((parts) => parts.join(''));
    assert(
      property(array(text, { maxLength: 4 }), oneof(text, string()), (texts, question) => {
        for (const quote of quoteSentences(
          question,
          texts.map((each) => passage(each)),
        ).quotes) {
          const source = texts[quote.passage]!;
          expect(quote.text.length).toBeLessThanOrEqual(601);
          for (const line of quote.text.split('\n')) expect(bare(source)).toContain(bare(line.replace(/…$/, '')));
          for (const { start, end } of quote.pieces)
            expect(0 <= start && start < end && end <= source.length).toBe(true);
        }
      }),
      { numRuns: 300, seed: 12 },
    );
  });

  it('takes little work for a page of thousands of sentences', () => {
    const page = 'The pump weighs 3 kg. '.repeat(5000);
    const took = cpuStopwatch();
    quoteSentences('What does the pump weigh?', [passage(page)]);
    expect(took()).toBeLessThan(10_000);
  });

  it('quotes no table of contents, but figures that dots lead to', () => {
    const contents =
      '3.16. /sbin : System binaries .......... 15\n3.17. /srv : Data for services .......... 16\n3.18. /tmp : Temporary files .......... 17\n4.1. Purpose .......... 19';
    const about = { about: 'fhs', document: 'a' };
    const text = '/srv contains site-specific data which is served by this system.';
    const { quotes } = quoteSentences('What is the purpose of /srv?', [
      { ...about, text: contents },
      { ...about, text },
    ]);
    expect(quotes.map((quote) => quote.text)).toEqual([text]);
  });

  it('says first what a thing is', () => {
    const text = [
      'When two packages declare the same conffile, both conffiles of the packages may conflict.',
      'Removing a conffile of a package by hand is not undone.',
      'A conffile is a file in a package that dpkg handles specially.',
    ].join('\n\n');
    const { quotes } = quoteSentences('What is a conffile?', [{ text, about: 'policy', document: 'a' }]);
    expect(quotes[0]?.text).toBe('A conffile is a file in a package that dpkg handles specially.');
  });

  it('reads each entry of a log by itself', () => {
    const log = [
      '2026-05-12 01:31:57 ERROR upload failed code=E4107 reason="connection reset by peer"',
      '2026-05-12 02:41:40 INFO backup completed',
      '2026-05-13 01:00:03 ERROR snapshot failed code=E2001 reason="no space left on device"',
    ].join('\n');
    expect(quotes('Why did the snapshot fail?', log)[0]).toBe(log.split('\n')[2]);
    expect(quotes('Which error failed on 12 May?', log)[0]).toBe(log.split('\n')[0]);
    expect(quotes('Which error failed on 14 May 2026?', log)).toEqual([]);
    const chat =
      '[11.05.26, 14:33:12] Anna: The key of the shed hangs behind the door.\n[12.05.26, 09:02:40] Ben: Thanks!';
    expect(quotes('Where does the key of the shed hang?', chat)[0]).toBe(chat.split('\n')[0]);
    const asked =
      '12/04/2026, 18:07 - Lena: Who has a first aid kit?\n12/04/2026, 18:09 - Ayumi: I have one.\n13/04/2026, 07:45 - Marek: Tickets are 11.40 euros.';
    expect(quotes('Who has a first aid kit?', asked)[0]).toBe(asked.split('\n').slice(0, 2).join('\n'));
  });

  it('takes the first of pairs for no header of the others, and for what they are of', () => {
    const invoice =
      'Invoice number: | INV-2291\nInvoice date: | 14 May 2026\nDue date: | 13 June 2026\nCustomer: | Ashgrove';
    expect(quotes('What is the due date of invoice INV-2291?', invoice)[0]).toBe('Due date: | 13 June 2026');
    expect(quotes('What is the number of the invoice?', invoice)[0]).toBe('Invoice number: | INV-2291');
    const sums = 'Discount 5% | -£234.75\nVAT 20% | £892.05\nTotal due | £5,352.30';
    expect(quotes('How much is the VAT?', sums)[0]).toBe('VAT 20% | £892.05');
    const fees = 'Course | 2026\nSailing | £120\nRowing | £80';
    expect(quotes('How much is rowing in 2026?', fees)[0]).toBe('Course | 2026\nRowing | £80');
  });

  it('takes the date of a message for no date of its subject', () => {
    const head =
      'From: Carla Mendes <carla@fernhill.example>\nDate: Thu, 23 Apr 2026 09:12:00 +0100\nSubject: Re: Venue for the summer party\n\n';
    const mail = `${head}I have booked the Old Boathouse for Friday, 19 June.\n\nOn Mon, 20 Apr 2026 at 11:05, Priya Nair wrote:\n> The last party at the Lido was dear.`;
    const ask = (question: string) =>
      quoteSentences(question, [passage(mail, 'Venue for the summer party')]).quotes.map((quote) => quote.text);
    expect(ask('When is the summer party?')[0]).toBe('I have booked the Old Boathouse for Friday, 19 June.');
    expect(ask('When did Priya Nair write?')[0]).toContain('20 Apr 2026');
  });

  it('quotes what follows words that are set apart at the head of a paragraph', () => {
    const readme =
      '**The service exits with code 3.** The database schema is older than the program: run `migrate`.\n\n**No readings arrive.** Check the broker.';
    expect(quotes('What does exit code 3 of the service mean?', readme)[0]).toContain('schema is older');
  });

  it('reads lines of a CV that begin with a year', () => {
    const cv =
      'Renata Kowalczyk\n\nExperience\n\n2016 – 2021 Design Engineer, Oresund Pumps, Malmö\n\nLanguages\n\nPolish, English (C1)';
    expect(quotes('Where did Renata work as a design engineer?', cv)[0]).toContain('Oresund Pumps');
  });

  it('takes little work for a line of digits', () => {
    const took = cpuStopwatch();
    quoteSentences('What is the number?', [passage(`${'7'.repeat(70)}, 1\n\nThe number is 5.`)]);
    expect(took()).toBeLessThan(2_000);
  });
});
