import { quoteSentences } from './quote-sentences.js';

/** Text, question, what the quote has in it; null where nothing of it answers. */
const ZH =
  '租赁合同\n\n本合同自2025年3月1日起生效。办公室的月租金为5000元，每月5日前支付。房东是王伟。解约通知期为三个月。水电费由租户承担。停车位的费用为每月300元。';
const JA =
  '賃貸契約書\n\nオフィスの月額賃料は12万円です。契約は2025年4月1日に開始します。解約の通知期間は三か月です。サーバーの保守は田中商事が担当します。駐車場の料金は月額8千円です。';
const KO =
  '임대차 계약서\n\n사무실의 월세는 50만원이다. 계약은 2025년 3월 1일에 시작된다. 임대인은 김민수이다. 해지 통지 기간은 3개월이다.';
const HI =
  'किराया समझौता\n\nकार्यालय का मासिक किराया 25000 रुपये है। समझौता 1 अप्रैल 2025 से शुरू होता है। मकान मालिक रमेश शर्मा हैं।';
const TH =
  'สัญญาเช่า\n\nผู้เช่าต้องชำระค่าเช่าสำนักงานเดือนละ 15000 บาท ภายในวันที่ 5 ของทุกเดือน\n\nผู้ให้เช่าของสำนักงานแห่งนี้คือนายสมชาย ใจดี';
const RU =
  'Договор аренды\n\nЕжемесячная арендная плата составляет 50000 рублей. Договор вступает в силу 1 марта 2025 года. Арендодатель: Иван Петров. Срок уведомления о расторжении составляет три месяца.';

const PL =
  'Umowa najmu\n\nMiesięczny czynsz za biuro wynosi 5000 zł. Umowa wchodzi w życie 1 marca 2025 roku. Wynajmującym jest Jan Kowalski.';
const SV =
  'Hyresavtal\n\nMånadshyran för kontoret är 15000 kronor. Hyresvärden är Erik Lindberg. Uppsägningstiden är tre månader.';
const DA = 'Lejekontrakt\n\nDen månedlige husleje for kontoret er 15000 kroner. Udlejeren er Lars Jensen.';
const CS =
  'Nájemní smlouva\n\nMěsíční nájem za kancelář činí 20000 Kč. Pronajímatelem je Jan Novák. Výpovědní lhůta je tři měsíce.';
const TR = 'Kira sözleşmesi\n\nOfisin aylık kirası 20000 liradır. Ev sahibi Mehmet Yılmaz.';
const HU = 'Bérleti szerződés\n\nAz iroda havi bérleti díja 300000 forint. A bérbeadó Nagy Péter.';
const VI = 'Hợp đồng thuê\n\nTiền thuê văn phòng hàng tháng là 20 triệu đồng. Bên cho thuê là ông Nguyễn Văn An.';
const EL = 'Μισθωτήριο\n\nΤο μηνιαίο ενοίκιο του γραφείου είναι 1500 ευρώ. Ιδιοκτήτης είναι ο Γιώργος Παπαδόπουλος.';
const HE = 'חוזה שכירות\n\nדמי השכירות החודשיים הם 5,200 שקלים. השוכר הוא אברהם כהן. תקופת ההודעה היא שלושה חודשים.';

describe('quotes in languages of whose words nothing more is known', () => {
  it.each(
    (
      [
        [ZH, '办公室的月租金是多少？', '5000'],
        [ZH, '谁是房东？', '王伟'],
        [ZH, '解约通知期是多长时间？', '三个月'],
        [ZH, '水电费由谁承担？', '租户'],
        [ZH, '停车位多少钱？', '300'],
        [ZH, '首席执行官是谁？', null],
        [ZH, '员工有多少天年假？', null],
        [ZH, '仓库的月租金是多少？', null],
        [ZH, '电梯维修费由谁承担？', null],
        [ZH, '合同什么时候结束？', null],
        [ZH, '办公室面积有多大？', null],
        [JA, 'オフィスの月額賃料はいくらですか？', '12万円'],
        [JA, '契約はいつ開始しますか？', '4月1日'],
        [JA, 'サーバーの保守は誰が担当しますか？', '田中商事'],
        [JA, '駐車場の料金はいくらですか？', '8千円'],
        [JA, '社長は誰ですか？', null],
        [JA, '有給休暇は何日ありますか？', null],
        [JA, '倉庫の月額賃料はいくらですか？', null],
        [JA, '契約はいつ終了しますか？', null],
        [JA, 'エレベーターの保守は誰が担当しますか？', null],
        [KO, '사무실 월세가 얼마인가요?', '50만원'],
        [KO, '임대인은 누구입니까?', '김민수'],
        [KO, '해지 통지 기간은 얼마나 되나요?', '3개월'],
        [KO, '연차 휴가는 며칠인가요?', null],
        [KO, '임차인은 누구입니까?', null],
        [KO, '창고 월세가 얼마인가요?', null],
        [KO, '계약은 언제 종료되나요?', null],
        [HI, 'कार्यालय का मासिक किराया कितना है?', '25000'],
        [HI, 'मकान मालिक कौन है?', 'रमेश शर्मा'],
        [HI, 'कर्मचारियों को कितनी छुट्टियाँ मिलती हैं?', null],
        [TH, 'ค่าเช่าสำนักงานเดือนละเท่าไร', '15000'],
        [HI, 'किरायेदार कौन है?', null],
        [HI, 'गोदाम का मासिक किराया कितना है?', null],
        [TH, 'ผู้ให้เช่าคือใคร', 'สมชาย'],
        [TH, 'พนักงานลาพักร้อนได้กี่วัน', null],
        [RU, 'Сколько составляет ежемесячная арендная плата?', '50000'],
        [RU, 'Кто арендодатель?', 'Иван Петров'],
        [RU, 'Сколько дней отпуска у сотрудников?', null],
        [RU, 'Какова арендная плата за склад?', null],
        [PL, 'Ile wynosi miesięczny czynsz za biuro?', '5000'],
        [PL, 'Kto jest wynajmującym?', 'Kowalski'],
        [PL, 'Ile wynosi czynsz za magazyn?', null],
        [SV, 'Hur hög är månadshyran för kontoret?', '15000'],
        [SV, 'Vem är hyresvärden?', 'Lindberg'],
        [SV, 'Hur lång är uppsägningstiden?', 'tre'],
        [SV, 'Hur många semesterdagar har anställda?', null],
        [DA, 'Hvor høj er den månedlige husleje?', '15000'],
        [DA, 'Hvem er udlejeren?', 'Lars'],
        [DA, 'Hvor mange feriedage har medarbejderne?', null],
        [CS, 'Kolik činí měsíční nájem za kancelář?', '20000'],
        [CS, 'Kdo je pronajímatelem?', 'Novák'],
        [CS, 'Jaká je výpovědní lhůta?', 'tři'],
        [CS, 'Kolik dnů dovolené mají zaměstnanci?', null],
        [TR, 'Ofisin aylık kirası ne kadar?', '20000'],
        [TR, 'Çalışanların kaç gün izni var?', null],
        [HU, 'Mennyi az iroda havi bérleti díja?', '300000'],
        [HU, 'Hány nap szabadság jár?', null],
        [VI, 'Tiền thuê văn phòng hàng tháng là bao nhiêu?', '20'],
        [VI, 'Nhân viên có bao nhiêu ngày nghỉ phép?', null],
        [EL, 'Ποιος είναι ο ιδιοκτήτης;', 'Γιώργος'],
        [HE, 'מהם דמי השכירות החודשיים?', '5,200'],
        [HE, 'מיהו השוכר?', 'אברהם'],
        [HE, 'מהם ימי החופשה של העובדים?', null],
        [EL, 'Πόσες ημέρες άδεια έχουν οι εργαζόμενοι;', null],
      ] as const
    ).map(([text, question, expected]) => ({ text, question, expected })),
  )('$question', ({ text, question, expected }) => {
    const { quotes } = quoteSentences(question, [{ text, about: '', document: '' }]);
    if (expected === null) expect(quotes.map((quote) => quote.text)).toEqual([]);
    else expect(quotes[0]?.text).toContain(expected);
  });
});

describe('quotes in German', () => {
  const LEASE = [
    'Mietvertrag\n\nFrau Lena Hofer (Vermieterin) vermietet Herrn Jonas Brandl (Mieter) die Wohnung. § 3 Miete',
    'Die Grundmiete beträgt monatlich 1.250 Euro. Die Vorauszahlung auf die Betriebskosten beträgt 180 Euro. § 4 Kaution',
    'Der Mieter zahlt eine Mietkaution von 3.750 Euro. § 5 Kündigung',
    'Die Kündigungsfrist beträgt drei Monate zum Monatsende.',
  ].join('\n\n');
  const RULES = 'Hausordnung\n\nDie Mietkaution beträgt 2.400 Euro. Die Ruhezeiten sind von 22 bis 6 Uhr.';

  it.each<[string, string, string | null]>([
    [LEASE, 'Wie hoch ist die Miete?', '1.250'],
    [LEASE, 'Wie hoch ist die Kaution?', '3.750'],
    [RULES, 'Wie hoch ist die Kaution?', '2.400'],
    [RULES, 'Wie hoch ist die Miete?', null],
  ])('take compounds for what they end with: %#, %s', (text, question, expected) => {
    const { quotes } = quoteSentences(question, [{ text, about: '', document: '' }]);
    if (expected === null) expect(quotes.map((quote) => quote.text)).toEqual([]);
    else expect(quotes[0]?.text).toContain(expected);
  });
});
