import type { LanguageCode } from '../analysis/language.js';

/**
 * Words that end in a dot without ending a sentence, lower case and without their last dot; those of several parts
 * (`z. B.`) without spaces.
 */
interface Abbreviations {
  /** Something always follows: titles, `e.g.`, `ca.` */
  open: string;
  /** A number follows, or else the word is an ordinary one: `No. 5`. */
  numbered: string;
  /** May end a sentence too: `etc.`, `Inc.` */
  closing: string;
}

/** Of many languages. */
const COMMON: Abbreviations = {
  open: 'dr prof mr mrs ms vs cf approx resp ca st mt mag dipl ing lic e.g i.e',
  numbered:
    'no nr art abs fig tab vol ch p pp sec para tel fax cap ed kap num jan feb mar apr jun jul aug sep sept oct nov dec',
  closing: 'etc al jr sr inc ltd co corp llc plc ag gmbh kg sa spa nv bv ph.d a.m p.m u.s u.k u.n e.u',
};

const BY_LANGUAGE: Partial<Record<LanguageCode, Abbreviations>> = {
  en: {
    open: 'mr mrs ms messrs hon rev gen col lt capt sgt sen rep gov pres e.g i.e viz esp incl excl mss gov adm cmdr atty asst',
    numbered: 'nos arts figs vols chs sect secs paras app ref rev ex eq eqs ver cl sch reg pt',
    closing: 'esq bros dept est ave blvd rd assn mfg intl univ b.a m.a b.sc m.sc d.c a.d b.c et.al',
  },
  de: {
    open: `hr fr frl dipl.-ing dipl.-kfm z.b d.h u.a i.d.r z.t u.u v.a o.g u.g s.o s.u m.e i.s.d i.s.v i.v.m i.h.v i.a i.v bzw ggf
      evtl vgl inkl exkl zzgl abzgl mind ges gem lt sog geb gest zw zzt z.zt bspw insb insbes hl exz einschl
      ausschl entspr beisp allg u.s.w betr ehem vorl jew verst urspr frz engl lat griech aufl hrsg stv stellv`,
    numbered: 'bd s seite ziff rn rz rdnr anl std nrn aufl jg bl lit hs az bgbl tz zi str § §§ anm fn buchst',
    closing:
      'usw u.s.w u.v.m o.ä u.ä ff f jh jhd jhdt jr str e.v n.chr v.chr dgl u.dgl sen jun std min max mio mrd tsd',
  },
  fr: {
    open: 'm mm mme mlle mgr me cie p.ex c.-à-d env av bd boul hab adj cf ex réf resp dép ann dir éd',
    numbered: 'n p pp al chap art réf vol t fig cf éd janv févr avr juil déc',
    closing: 'etc s.a s.a.r.l s.a.s av.j.-c apr.j.-c',
  },
  es: {
    open: 'sr sra srta sres dra dña d da lic ing arq p.ej ej avda av aprox depto dpto prov gral admón excmo ilmo fdo ud uds vd vds ee',
    numbered: 'núm núms n pág págs art arts apdo cap vol ref párr teléf tfno c ene abr ago dic',
    closing: 'etc s.a s.l s.l.u cía a.c d.c a.m p.m ee.uu uu',
  },
  it: {
    open: 'sig sig.ra sigg sig.na dott dott.ssa avv ing geom rag on p.es es ecc.mo spett egr gent cfr ad.es p.zza c.so v.le',
    numbered: 'n nn art artt pag pagg cap vol lett co c gen mag giu lug ago set ott dic',
    closing: 'ecc s.p.a s.r.l s.n.c a.c d.c',
  },
  pt: {
    open: 'sr sra srs dra exmo exma eng arq p.ex ex av aprox d da prof.ª ilmo v.exa depto',
    numbered: 'n núm pág págs art arts cap vol ref fl fls inc tel fev abr mai ago set out dez',
    closing: 'etc s.a ltda cia a.c d.c',
  },
  nl: {
    open: 'dhr mevr mw drs mr ir ing bijv bv d.w.z m.b.t m.b.v o.a i.v.m t.a.v t.o.v i.p.v n.a.v a.d.h.v z.g.a.n incl excl evt resp ca zgn m.i.v t/m o.b.v gem max min',
    numbered: 'nr art lid blz p par hfst afb mrt mei okt',
    closing: 'enz e.d e.a n.chr v.chr b.v n.v v.o.f',
  },
  ar: { open: 'د أ م ا أ.د د.م م.م ج.م.ع', numbered: 'ص ج ف ت ق رقم', closing: 'ق.م ب.م هـ م' },
  sv: {
    open: 'bl.a t.ex d.v.s dvs s.k m.a.o ev inkl exkl ca resp fr.o.m t.o.m p.g.a',
    numbered: 'nr s kap st mom okt',
    closing: 'm.m osv o.s.v m.fl',
  },
  da: {
    open: 'bl.a f.eks dvs ca inkl ekskl evt jf hhv pga mht vedr',
    numbered: 'nr s stk kap okt',
    closing: 'm.m osv mv m.v',
  },
  no: { open: 'bl.a f.eks dvs ca inkl ekskl evt jf hhv pga mht vedr', numbered: 'nr s kap okt', closing: 'm.m osv mv' },
  pl: {
    open: 'np tj tzn m.in ok ul al prof inż mgr im św ww pt',
    numbered: 'nr str art ust poz pkt zał',
    closing: 'itd itp r w zł tys mln mld',
  },
  ru: {
    open: 'т.е т.к напр проф акад г-н им ул пр д кв гр руб',
    numbered: 'ст п пп рис табл стр с гл №',
    closing: 'т.д т.п г гг в вв руб коп тыс млн млрд др пр',
  },
  tr: { open: 'sn doç yrd av örn bkz vb', numbered: 'no md s mad', closing: 'vb vs a.ş ltd.şti' },
};

/** Languages that write ordinal numbers with a dot: `am 31. März`, `im 2. Quartal`. */
export const ORDINAL_DOT: ReadonlySet<LanguageCode> = new Set([
  'de',
  'da',
  'no',
  'fi',
  'cs',
  'hu',
  'pl',
  'tr',
] as const);

type Class = keyof Abbreviations;
const CLASSES: readonly Class[] = ['closing', 'numbered', 'open'];

function listed(language: LanguageCode): ReadonlyMap<string, Class> {
  const own = BY_LANGUAGE[language] ?? BY_LANGUAGE.en!;
  return new Map(
    [COMMON, own].flatMap((lists) =>
      CLASSES.flatMap((name) => lists[name].split(/\s+/).map((word): [string, Class] => [word, name])),
    ),
  );
}

const tables = new Map<LanguageCode, ReadonlyMap<string, Class>>();

/** How a sentence goes on after a word and its dot; undefined when the word is no abbreviation. @param word lower case, without its last dot */
export function abbreviationClass(word: string, language: LanguageCode): Class | undefined {
  let table = tables.get(language);
  if (!table) tables.set(language, (table = listed(language)));
  return table.get(word);
}
