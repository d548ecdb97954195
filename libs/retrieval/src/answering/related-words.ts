import { analyse } from '../analysis/analyse.js';

/** Words that questions and documents use for the same thing; each line is a group. Few, and of daily use: a wide net would find answers to other questions. */
const GROUPS = `
vacation holiday holidays leave
employ employee employees staff workforce workers headcount jobs positions people
cost costs price prices fee fees charge pay rate tariff fare expense
buy purchase order
pay paid payment due
salary salaries wage pay remuneration
ceo chief executive
cfo chief financial
headquarters headquartered offices seat
phone telephone call contact
email e-mail mail
begin begins start starts
end ends expire expires expiry lapse terminate
build built constructed
weigh weight heavy kg
high height tall
big size large dimensions
long length duration
lawyer counsel attorney
doctor physician
car vehicle
rent lease
firm company business
revenue sales turnover
profit income surplus earnings
fine fines penalty
late overdue delay delayed
lend lent borrow loan
children child kids
spouse partner
hour hours opening open
active substance ingredient contains
manufacturer maker made produced produces holder
teach teaches taught instructor professor teacher lecturer
speak speaks speaker talk
lead leads head director president chair chairs chairman
warranty guarantee guaranteed
quit resign resignation notice
dose dosage tablets
near close
allowed permitted may
forbidden prohibited
password code
broken defective fault defect
fast quickly speed
wage salary
lunch meal meals
ticket admission entry
hospital clinic
medicine medication
found founded established incorporated
location located place where
often frequency interval every
hurt injured
cleaned cleaning
urlaub ferien urlaubstage
gehalt lohn vergütung
kosten kostet preis gebühr beitrag
miete kaltmiete
kündigen kündigung kündigungsfrist austritt austreten
telefon telefonnummer
leiter leitet leiterin geschäftsführer geschäftsführerin
beginn beginnt anfang
ende endet
groß größe wohnfläche quadratmeter
dauer dauert laufzeit
melden meldung anzeigen
streichen gestrichen streicht
kosten coûte prix tarif coût
salaire rémunération
congés vacances
directeur directrice responsable
ouvert horaires ouverture
fermé fermeture ferme
cuesta precio coste presupuesto
sueldo salario
preside presidente presidenta
abre abrirá apertura
dura durará duración
vacaciones permiso
إجازة عطلة
راتب رواتب أجر
سعر ثمن رسوم كلفة
مدير مديرة رئيس
هاتف رقم
`;

const groups = new Map<string, Set<number>>();
for (const [at, line] of GROUPS.trim().split('\n').entries())
  for (const term of analyse(line)) groups.set(term, (groups.get(term) ?? new Set()).add(at));

/** Whether a term (as `analyse` gives it) has others that are used for the same thing. */
export function hasRelatives(term: string): boolean {
  return groups.has(term);
}

/** Whether two terms (as `analyse` gives them) are used for the same thing. */
export function areRelated(left: string, right: string): boolean {
  const [ofLeft, ofRight] = [groups.get(left), groups.get(right)];
  if (!ofLeft || !ofRight) return false;
  for (const group of ofLeft) if (ofRight.has(group)) return true;
  return false;
}
