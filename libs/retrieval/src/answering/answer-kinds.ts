import { either, withoutAccents } from './either.js';
import { askedMeasure, MEASURES, type Measure } from './measures.js';
import type { Reading } from '../questions/reading.js';

/** What an answer to a question must have in it. */
export type AnswerKind =
  | 'number'
  | 'money'
  | 'date'
  | 'duration'
  | 'frequency'
  | 'person'
  | 'firm'
  | 'phone'
  | 'mail'
  | 'site'
  | 'contact'
  | 'colour'
  | 'age'
  | 'share'
  | Measure;

/** In this order: the first that fits says what is asked for. Applied to a question that is cut to a bounded length. */
const ASKED: [Exclude<AnswerKind, Measure>, RegExp][] = [
  [
    'mail',
    either(`e-?mail(?: ?address| ?adresse| ?adres)?; mail ?adresse; adresse (?:e-?mail|électronique); courriel; correo electrónico;
      indirizzo (?:e-?mail|di posta elettronica); endereço de e-?mail; mailadres; (?:ال)?بريد (?:ال)?الكتروني;
      (?:ال)?بريد (?:ال)?إلكتروني`),
  ],
  [
    'site',
    either(`web ?site; web address; url; webseite; internetseite; site (?:web|internet); sitio web; página web; sito (?:web|internet);
      الموقع الإلكتروني`),
  ],
  [
    'phone',
    either(`^phone; (?:tele)?phone numbers?; (?:emergency|fax|hotline|mobile) numbers?; ^fax; ^hotline; telefonnummer; rufnummer; notrufnummer;
      unter welcher (?:telefon)?nummer; (?:numéro de )?téléphone; (?:número de )?teléfono; (?:numero di )?telefono;
      (?:número de )?telefone; telefoonnummer; رقم (?:ال)?هاتف`),
  ],
  [
    'contact',
    either(`contact details; reach (?:the|you|us|him|her|them|someone|anybody); (?:how|where) (?:can|do) (?:i|we) (?:contact|call|reach);
      kontaktdaten; coordonnées; datos de contacto; رقم`),
  ],
  [
    'share',
    either(`what (?:percentage|share|percent|proportion); wie viel prozent; welcher (?:anteil|prozentsatz);
      (?:quel|quelle) (?:pourcentage|part|proportion); qué (?:porcentaje|proporción); (?:che|quale) (?:percentuale|quota percentuale);
      (?:que|qual a) percentagem; (?:welk|hoeveel) (?:percentage|procent); in (?:percent|per cent|prozent);
      en (?:pour ?cent|pourcentage|porcentaje|por ciento); tax rate; interest rate; zinssatz; margin`),
  ],
  [
    'colour',
    either(`(?:what|which) colou?rs?; colou?r of; welche farben?; farbe; (?:de )?quelle couleur; (?:de )?qué color;
      (?:di )?(?:che|quale) colore; (?:de )?que cor; welke kleur; ما لون`),
  ],
  [
    'age',
    either(`how old; (?:what|which) age; at what age; (?:minimum|maximum) age; wie alt; ab welchem alter; mindestalter;
      (?:quel|à partir de quel) âge; âge minimum; (?:qué edad|cuántos años tiene|edad mínima); quanti anni ha; età minima;
      (?:que idade|quantos anos tem|idade mínima); hoe oud; minimumleeftijd; كم عمر`),
  ],
  [
    'frequency',
    either(`how (?:often|frequently|many times); (?:at )?what intervals?; wie (?:oft|häufig); in welchen abständen;
      (?:à quelle fréquence|combien de fois|tous les combien); (?:con qué frecuencia|cada cuánto|cuántas veces);
      (?:ogni quanto|quante volte|con (?:che|quale) frequenza); (?:com que frequência|quantas vezes|de quanto em quanto);
      hoe (?:vaak|dikwijls); hoeveel keer; كم مرة`),
  ],
  [
    'duration',
    either(`how (?:long|quickly|fast|soon); (?:within|for|after) (?:what|which) (?:time|period); (?:what|which) (?:notice )?period;
      (?:for )?how many (?:seconds|minutes|hours|days|weeks|months|years); (?:with )?how much (?:time|notice); how far in advance;
      wie (?:lange|schnell); wie lang (?:dauert|ist die frist|läuft); (?:innerhalb )?welche[rn]? (?:frist|zeit(?:raum)?);
      (?:kündigungs|liefer|bearbeitungs|lauf|warte)(?:frist|zeit); wie viele (?:sekunden|minuten|stunden|tage|wochen|monate|jahre);
      (?:pendant |depuis |dans |en )?combien de (?:temps|minutes|heures|jours|semaines|mois|années);
      (?:dans )?quels? (?:est le )?(?:délai|durée); quelle (?:est la )?durée; cuánto (?:tiempo|tarda|dura);
      cuánt[oa]s (?:minutos|horas|días|semanas|meses|años); (?:qué|cuál es el) plazo; (?:per )?quanto (?:tempo|dura);
      quant[ie] (?:minuti|ore|giorni|settimane|mesi|anni); (?:durante )?quanto tempo;
      quant[oa]s (?:minutos|horas|dias|semanas|meses|anos); qual é o prazo; hoe (?:lang|snel);
      hoeveel (?:minuten|uur|dagen|weken|maanden|jaar); ما مدة; كم (?:ال)?(?:مدة|تستغرق|دقيقة|ساعة|يوما|أسبوعا|شهرا|سنة)`),
  ],
  [
    'date',
    either(`when; (?:what|which) (?:date|day|days|year|month|time|times|hours); (?:opening|visiting|office|support) hours; by when;
      until when; wann; (?:an|bis zu) welche[mn] (?:tag|datum|termin); zu welchen? (?:zeiten|zeit|uhrzeit); in welchem (?:jahr|monat);
      um wie viel uhr; öffnungszeiten; quand;
      (?:à |en )?quel(?:le)?s? (?:est la date|jours?|date|année|heures?|sont les (?:heures|horaires)); horaires; cuándo;
      (?:en |a )?qué (?:día|fecha|año|mes|hora)s?; horarios?; quando; (?:in |a )?(?:che|quale) (?:giorno|data|anno|mese|ora); orari;
      (?:em |a )?que (?:dia|data|ano|mês|horas?); wanneer; (?:in|op) welk(?:e)? (?:jaar|dag|datum|maand); hoe laat; openingstijden;
      متى; في أي (?:يوم|سنة|عام); اوقات; أوقات`),
  ],
  [
    'money',
    either(`how much (?:is|are|does|do|did|will|was|were|would) .{0,80}(?:cost|costs|pay|spend|price|paid|donate|charge|earn);
      how much (?:is|are) (?:a|an|the); how much (?:money|cash); how much (?:does|do|did) .{0,40}(?:earn|make|donate|spend);
      (?:what|how) .{0,60}(?:price|cost|costs|fee|fees|rent|salary|wage|pay|fine|deposit|revenue|turnover|net sales|profit|budget|surplus|dividend|debt);
      what do (?:i|we) pay; (?:price|cost|fee|salary|revenue|turnover|profit) of; wie (?:teuer|viel kostet|viel geld);
      was (?:kostet|kosten|zahlt|muss ich .{0,40}(?:zahlen|bezahlen));
      wie hoch .{0,40}(?:miete|preis|gebühr|kaution|beitrag|gehalt|umsatz|gewinn|provision|prämie|strafe|pacht|lohn|kosten); ^preis;
      wie viel .{0,60}(?:kosten|zahlen|bezahlen|verdient|gekostet|ausgegeben);
      combien (?:coûte(?:nt)?|coûte-t-\\p{L}+|gagne|paye|faut-il payer); combien (?:ça|cela) coûte;
      qu(?:el|elle) .{0,40}(?:prix|tarif|montant|loyer|salaire|chiffre d'affaires|budget|caution|amende|somme); ^prix;
      cuánto (?:cuestan?|costó|costaron|vale|gana|ganaba|cobra|se paga|hay que pagar);
      (?:qué|cuál) .{0,40}(?:precio|sueldo|salario|tarifa|presupuesto|multa|importe); ^precio;
      quanto (?:costa(?:no)?|è costat[oa]|guadagna|si paga|devo pagare);
      (?:qual è|a quanto ammonta) .{0,40}(?:prezzo|costo|stipendio|tariffa|fatturato|quota|penale|multa|acconto|importo); ^prezzo;
      quanto (?:custa|custam|custou|ganha|se paga|pago|devo pagar|dinheiro);
      qual é .{0,30}(?:preço|custo|salário|quota|multa|orçamento|valor); ^preço; wat kost(?:en)?;
      hoeveel (?:kost|kosten|verdient|betaal); (?:hoe hoog|wat) is .{0,40}(?:prijs|huur|tarief|salaris|boete|omzet|vergoeding); ^prijs;
      kosten; كم (?:ال)?(?:سعر|ثمن|رسوم|رسم|كلفت?|تكلفة|يكلف|تكلف|راتب|غرامة|ايجار|إيجار); ما (?:سعر|ثمن|تكلفة|راتب|ميزانية)`),
  ],
  [
    'number',
    either(`how (?:many|much|high|large|big|strong); number of; what (?:size|number); wie (?:viele?|hoch|groß|lang|stark); anzahl; combien;
      nombre de; cuánt[oa]s?; (?:cuál es el )?número de; quant[oaie]; numero di; quant[oa]s; hoeveel; aantal; كم`),
  ],
  [
    'firm',
    either(`(?:which|what) (?:.{0,30} )?(?:company|firm|bank|contractor|organi[sz]ation|brand|maker|supplier);
      (?:bei )?welche[rns]? (?:firma|bank|marke|unternehmen|versicherung); quelle (?:entreprise|société|banque|marque|compagnie);
      (?:con )?qué (?:empresa|compañía|banco|marca); (?:con )?(?:quale|che) (?:azienda|ditta|banca|marca|compagnia|società);
      (?:que|qual) (?:empresa|banco|marca|companhia); welk(?:e)? (?:bedrijf|firma|bank|merk); (?:أي|اي|ما) (?:شركة|بنك)`),
  ],
  [
    'person',
    either(`who; (?:which|what) (?:person|author); whom; whose; authors? of; name of the; wer; wem; wen; wie heißt; (?:von|bei|mit) wem; qui;
      (?:auprès de|avec|par) qui; comment s'appelle; nom du; quién(?:es)?; cómo se (?:llama|llamaba); chi; come si chiama; quem;
      como se chama; wie is; wie (?:zijn|heeft|was|leidt|werd); hoe heet; من (?:هو|هي|كان|يكون|يدير|كتب|قام); ما اسم`),
  ],
];
/** What is as long as this is no length: `How long is the notice period?` */
const PERIOD = /(?:frist|zeit|dauer|termijn|tijd|duur|period|warranty|duration)(?![\p{L}\p{M}])/u;
/** Lengths of time and of things are asked for alike. */
const HOW_LONG =
  either(`how long (?:is|are|was) (?:the|a|an); wie lang (?:ist|sind|war); quelle (?:est la )?longueur; qué longitud; quanto è lung[oa];
      hoe lang (?:is|zijn)`);
/** `Wie` begins questions of German and of Dutch. */
const DUTCH_WHO = /^\s*wie (?:is|zijn|heeft|was|leidt|werd)\b/iu;

/** Begins a question that is answered by yes or no, where none of the words that ask for more stands in it. */
const YES_OR_NO =
  /^[^\p{L}]*(?:is|are|do|does|did|can|could|may|must|should|will|has|have|ist|sind|darf|durfen|kann|konnen|muss|gibt|wird|werden|hat|soll|est-ce|puis|peut|faut|y a|hay|se puede|puedo|es|tiene|debo|c'e|si puo|posso|devo|ci sono|ha|pode|tem|mag|kan|moet|zijn|wordt|heeft|هل)(?![\p{L}\p{M}])/iu;
const ASKS_MORE =
  either(`what; which; how; when; where; who; was; wie; welche[mnrs]?; wann; wo; wer; quel(?:le)?s?; combien; quand; ou; qui
      que; cual(?:es)?; cuant[oa]s?; cuando; donde; quien; qual[ei]?; quant[oaie]s?; quando; dove; chi; quais; onde; quem
      wat; welke?; hoe; wanneer; waar; number; nummer; numero; adresse?; address; adres; indirizzo; direccion; endereco`);

/** What the question asks for, as far as its words say it. */
export function expectedKind(question: string): AnswerKind | null {
  const asked = withoutAccents(question.slice(0, 1000));
  const kind = mentionedKind(asked);
  // `May I set the temperature?` wants no degrees.
  return kind && isMeasured(kind) && YES_OR_NO.test(asked) && !ASKS_MORE.test(asked) ? null : kind;
}

function mentionedKind(asked: string): AnswerKind | null {
  const kind = ASKED.find(([, words]) => words.test(asked))?.[0] ?? null;
  if (kind === 'mail' || kind === 'phone' || kind === 'site' || kind === 'share' || kind === 'age') return kind;
  const measure = askedMeasure(asked);
  if (measure && (kind === null || kind === 'number' || kind === 'duration')) return measure;
  if (kind === 'duration' && HOW_LONG.test(asked) && !PERIOD.test(asked)) return 'number';
  return kind === 'number' && DUTCH_WHO.test(asked) ? 'person' : kind;
}

const SAID: Partial<Record<AnswerKind, string>> = {
  number:
    'number total count many high big large anzahl viele hoch groß nombre número numero quantità aantal hoeveel عدد',
  money:
    'cost costs price fee pay paid charge rate amount worth kosten kostet preis gebühr zahlen bezahlen teuer betrag coûte coût prix tarif payer montant cuesta precio cuota pagar importe costa costo prezzo pagare importo custa preço custo valor kost prijs betalen bedrag tarief سعر ثمن رسوم رسم كلفة تكلفة',
  date: 'date day time hour hours datum tag zeit zeiten uhrzeit öffnungszeiten date jour heure heures horaires fecha día hora horario data giorno ora orari dia hora horas datum dag tijd openingstijden تاريخ يوم موعد أوقات',
  duration:
    'long last lasts take takes period time duration dauer dauert frist zeit lange zeitraum durée dure délai temps dura duración tiempo plazo durata tempo duração prazo duurt duur lang termijn مدة',
  frequency:
    'often frequency interval times oft häufig abstände fréquence fois frecuencia veces frequenza volte frequência vezes vaak keer مرة',
  person: 'name person heißt nom nombre nome naam اسم',
  firm: 'company firm firma unternehmen entreprise société empresa compañía azienda ditta compagnia bedrijf شركة',
  contact: 'contact reach call details kontakt رقم هاتف',
  phone:
    'phone telephone number call reach contact telefonnummer rufnummer nummer anrufen erreichen téléphone numéro appeler teléfono número llamar telefono numero telefone telefoonnummer bellen رقم هاتف',
  mail: 'email e-mail mail address adresse courriel correo electrónico indirizzo posta endereço adres بريد',
  site: 'website site web url address internet page webseite',
  colour: 'colour color farbe couleur color colore cor kleur لون',
  age: 'old age alt alter âge edad años età anni idade anos oud leeftijd عمر',
  share:
    'percentage share percent rate proportion prozent anteil pourcentage part porcentaje percentuale percentagem procent نسبة',
  mass: 'heavy weight weigh weighs schwer gewicht wiegt poids pèse pesa peso zwaar gewicht weegt وزن',
  size: 'tall wide deep high far tief breit hoch weit profondeur largeur hauteur altura altezza profundidade diep breed hoog',
  area: 'area square metres meters large fläche wohnfläche quadratmeter superficie surface oppervlakte مساحة',
  volume: 'litres liters capacity liter fassungsvermögen litres litros litri',
  heat: 'temperature hot cold warm temperatur heiß température temperatura temperatuur حرارة',
  power: 'power watts watt leistung puissance potencia potenza',
  voltage: 'voltage volts spannung tension voltaje tensione spanning',
  noise: 'loud noise level decibels laut lautstärke bruit ruido rumore geluid',
  pace: 'fast speed geschwindigkeit vitesse velocidad velocità snelheid',
};

/** Whether a term says only what kind of answer is wanted: one that shows it need not say it. */
export function saysKind(kind: AnswerKind, term: string, reading: Reading): boolean {
  return reading.cached(`kind ${kind}`, () => new Set(reading.analyse(SAID[kind] ?? ''))).has(term);
}

const UNITED: ReadonlySet<AnswerKind> = new Set([...MEASURES, 'mail', 'phone', 'site', 'colour']);

/** Whether a text without its unit, or its sign, is no answer. */
export function isMeasured(kind: AnswerKind): boolean {
  return UNITED.has(kind);
}
