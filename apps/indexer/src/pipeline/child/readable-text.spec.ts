import { judgeText } from './readable-text.js';

const PROSE =
  'The harbour office keeps a list of all boats that stay longer than three nights. Whoever arrives after nine in the ' +
  'evening writes the name of the boat, its length and the number of people aboard into the book beside the door. The ' +
  'fee is 24 euros a night for boats up to nine metres and 31 euros beyond that; electricity costs 4 euros more.';

const shifted = (by: number) =>
  [...PROSE].map((letter) => (letter === ' ' ? ' ' : String.fromCharCode(letter.charCodeAt(0) + by))).join('');

describe('judgeText', () => {
  it.each([
    ['private-use characters', shifted(0xf000)],
    ['control characters', [...PROSE].map((letter) => String.fromCharCode(letter.charCodeAt(0) % 31)).join('')],
  ])('calls %s garbage', (_, text) => expect(judgeText(text)).toBe('garbage'));

  it.each([
    [
      'signs where letters should be',
      [...PROSE].map((c) => '!"#$%&\'()+,/:;<>?@[]^`{}'[c.charCodeAt(0) % 24]).join(''),
    ],
    ['shifted letters', shifted(-29)],
    [
      'Cyrillic in the code page of Western Europe',
      'Ñîâåò äèðåêòîðîâ óòâåðäèë áþäæåò íà ñëåäóþùèé ãîä è ïîðó÷èë ïðàâëåíèþ ïîäãîòîâèòü ïëàí',
    ],
  ])('doubts %s', (_, text) => expect(judgeText(text)).toBe('doubtful'));

  it.each([
    ['prose', PROSE],
    ['few letters', 'p. 7'],
    ['Arabic', 'يعوض الموظفون عن نفقات السفر المعقولة، ويجب أن يوافق المدير على الرحلة قبل الحجز. '.repeat(4)],
    ['Chinese', '董事会批准了下一年度的预算，并指示管理层准备一份详细的计划。'.repeat(6)],
    ['Japanese', '取締役会は来年度の予算を承認し、経営陣に詳細な計画の作成を指示しました。'.repeat(4)],
    ['Russian', 'Совет директоров утвердил бюджет на следующий год и поручил правлению подготовить план. '.repeat(3)],
    [
      'French',
      'Le comité a décidé à l’unanimité que les employés âgés bénéficieraient d’une année supplémentaire. '.repeat(3),
    ],
    [
      'Vietnamese',
      'Hội đồng quản trị đã phê duyệt ngân sách cho năm tới và yêu cầu ban giám đốc chuẩn bị kế hoạch. '.repeat(3),
    ],
    [
      'Czech',
      'Představenstvo schválilo rozpočet na příští rok a pověřilo vedení přípravou podrobného plánu. Strč prst skrz krk. '.repeat(
        3,
      ),
    ],
    [
      'Polish',
      'Zarząd zatwierdził budżet na przyszły rok i polecił kierownictwu przygotować szczegółowy plan. '.repeat(3),
    ],
    ['numbers', '12,345.67 (1,200) 88 % 4,711 '.repeat(30)],
    ['a table of contents', 'Preface ........................................ 3\n'.repeat(20)],
    ['formulas', '∑ x² + y² = z² ⇒ f(x) = ∫ e^(−t²) dt, for all x ∈ ℝ with |x| < 1; hence lim g(n) = 0. '.repeat(6)],
    [
      'code',
      'static int str_cmp(const char *ptr, size_t len) { for (int i = 0; i < len; i++) if (ptr[i]) return 1; }\n'.repeat(
        6,
      ),
    ],
    ['parts', 'Bolt M8x40 DIN 933 A2, 12 pcs; nut M8 DIN 934; washer 8.4 DIN 125; bracket HX-200 left\n'.repeat(6)],
  ])('takes %s for text', (_, text) => expect(judgeText(text)).toBe('readable'));
});
