import { analyse } from '../analysis/analyse.js';
import { either } from './either.js';

/** What an answer to a question must have in it. */
export type AnswerKind = 'number' | 'money' | 'date' | 'duration' | 'person' | 'firm' | 'contact' | 'share';

/** In this order: the first that fits says what is asked for. Applied to a question that is cut to a bounded length. */
const ASKED: [AnswerKind, RegExp][] = [
  [
    'contact',
    either(`phone number
    telephone number
    e-?mail address
    contact details
    reach
    telefonnummer
    numéro de téléphone
    teléfono
    رقم`),
  ],
  [
    'share',
    either(`what (?:percentage|share|percent)
    wie viel prozent
    quel pourcentage
    qué porcentaje
    in (?:percent|per cent|prozent)
    en (?:pour ?cent|pourcentage|porcentaje|por ciento)
    tax rate
    margin`),
  ],
  // A length, though `how long` asks for it.
  [
    'number',
    either(`how (?:long|much|many|far|high|wide|deep) .{0,120} in (?:kilo|centi|milli)?(?:metres?|meters?|grams?|lit(?:re|er)s?)
    how (?:long|much|many|far|high|wide|deep) .{0,120} in (?:inches|feet|yards|miles|pounds|tons|tonnes)
    wie (?:lang|viel|viele|weit|hoch|breit|tief) .{0,120} in (?:kilo|zenti|milli)?(?:metern?|gramm|litern?)`),
  ],
  [
    'duration',
    either(`how (?:long|often|quickly|fast|soon)
    wie (?:lange|oft|schnell)
    combien de temps
    cuánto tiempo
    con qué frecuencia
    ما مدة
    كم مرة`),
  ],
  [
    'date',
    either(`when
    (?:what|which) (?:date|day|year|month|time|hours)
    (?:opening|visiting|office) hours
    by when
    wann
    an welchem tag
    welchem datum
    quand
    quel(?:le)? (?:jour|date|année)
    cuándo
    qué (?:día|fecha|año)
    متى
    في أي (?:يوم|سنة)`),
  ],
  [
    'money',
    either(`how much (?:is|are|does|do|did|will|was|were) .{0,80}(?:cost|costs|pay|spend|price|paid|donate|charge)
    how much (?:is|are) (?:a|an|the)
    (?:what|how) .{0,60}(?:price|cost|costs|fee|fees|rent|salary|fine|deposit|revenue|net sales|profit|budget|surplus)
    wie (?:teuer|viel kostet)
    was kostet
    wie hoch .{0,40}(?:miete|preis|gebühr|kaution|beitrag|gehalt)
    combien coûte
    quel .{0,30}(?:prix|tarif|montant)
    cuánto cuesta
    كم (?:سعر|ثمن|رسوم|كلفت)`),
  ],
  [
    'number',
    either(`how (?:many|much|high|heavy|tall|large|big|wide|deep|old|far|strong)
    number of
    what (?:size|weight|height|temperature)
    wie (?:viele?|hoch|groß|schwer|weit|alt|breit|tief)
    anzahl
    combien
    cuánt[oa]s?
    كم`),
  ],
  [
    'firm',
    either(`(?:which|what) (?:.{0,30} )?(?:company|firm|bank|contractor|organi[sz]ation|brand|maker|supplier)
    welche (?:firma|bank|marke)
    welches unternehmen
    quelle (?:entreprise|société|banque|marque)
    qué (?:empresa|compañía|banco|marca)
    (?:أي|اي|ما) (?:شركة|بنك)`),
  ],
  [
    'person',
    either(`who
    (?:which|what) person
    whom
    wer
    wem
    wie heißt
    qui
    quién(?:es)?`),
  ],
];

/** What the question asks for, as far as its words say it. */
export function expectedKind(question: string): AnswerKind | null {
  const asked = question.slice(0, 1000);
  return ASKED.find(([, words]) => words.test(asked))?.[0] ?? null;
}

const SAID: Record<AnswerKind, string> = {
  number: 'number total count many anzahl nombre número عدد',
  money:
    'cost costs price fee pay paid charge rate amount kosten kostet preis gebühr coûte coût prix tarif cuesta precio cuota سعر ثمن رسوم كلفة تكلفة',
  date: 'date day time hour hours datum tag uhrzeit date jour heure fecha día hora تاريخ يوم موعد',
  duration: 'long last lasts take takes period duration often dauer dauert durée dure dura duración مدة',
  person: 'name person heißt nom nombre اسم',
  firm: 'company firm',
  contact:
    'phone telephone number email mail address contact reach call telefonnummer rufnummer téléphone teléfono رقم هاتف',
  share: 'percentage share percent rate prozent anteil pourcentage porcentaje نسبة',
};
const saidBy = new Map(Object.entries(SAID).map(([kind, words]) => [kind, new Set(analyse(words))]));

/** Whether a term (as `analyse` gives it) says only what kind of answer is wanted: one that shows it need not say it. */
export function saysKind(kind: AnswerKind, term: string): boolean {
  return saidBy.get(kind)!.has(term);
}
