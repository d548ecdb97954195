import iconv from 'iconv-lite';
import { decodeHtml, decodeText, detectEncoding } from '../decode-text.js';

const encode = (text: string, encoding: string) => iconv.encode(text, encoding);

const page = (charset: string) => `<meta charset="${charset}"><p>Ďakujem</p>`;

describe('encodings', () => {
  it.each([
    ['shift_jis', '出張旅費は帰社後二週間以内に申請してください。'],
    ['euc-jp', '出張旅費は帰社後二週間以内に申請してください。'],
    ['gb18030', '员工应当在返回后十四天内提交差旅费报销申请。'],
    ['big5', '員工應當在返回後十四天內提交差旅費報銷申請。'],
    ['euc-kr', '출장비는 복귀 후 이주일 이내에 신청해야 합니다.'],
    ['koi8-r', 'Договор вступает в силу со дня подписания и действует три года.'],
    ['windows-1251', 'Договор вступает в силу со дня подписания и действует три года.'],
    ['windows-1253', 'Η σύμβαση ισχύει από την ημέρα της υπογραφής και διαρκεί τρία χρόνια.'],
    ['windows-1255', 'החוזה נכנס לתוקף ביום החתימה ותקף לשלוש שנים.'],
    ['windows-1250', 'Koszty podróży należy zgłosić w ciągu dwóch tygodni po powrocie.'],
    ['windows-1254', 'Yolculuk giderleri dönüşten sonra iki hafta içinde bildirilmelidir; aşağıdaki formu doldurunuz.'],
    ['utf16-le', 'Reisekosten müssen binnen zwei Wochen eingereicht werden.'],
    ['utf16-be', 'ต้องยื่นค่าใช้จ่ายในการเดินทางภายในสองสัปดาห์'],
  ])('%s without a mark', (encoding, text) => {
    for (const whole of [text, `id,text,n\r\n1,${text},5\r\n2,${text},7\r\n`])
      expect(decodeText(encode(whole, encoding))).toBe(whole);
  });

  it.each(['Café', 'Müller', 'naïve résumé', 'Größe: 12', 'São Paulo', '25 °C', '© 2024', '10 €', '½ l'])(
    'a few accents stay Western: %s',
    (text) => expect(decodeText(encode(text, 'windows-1252'))).toBe(text),
  );

  it('never takes UTF-8 for anything else, nor a damaged byte for another encoding', () => {
    const text = 'Größe, 大きさ, размер. '.repeat(50);
    const damaged = Buffer.concat([Buffer.from(text), Buffer.from([0xe4]), Buffer.from(text)]);
    expect(detectEncoding(Buffer.from(text))).toBe('utf-8');
    expect(decodeText(damaged)).toBe(`${text}\ufffd${text}`);
  });

  it('HTML: by what it declares, but valid UTF-8 is UTF-8', () => {
    expect(decodeHtml(encode(page('windows-1250'), 'windows-1250'))).toContain('Ďakujem');
    expect(decodeHtml(Buffer.from(page('iso-8859-1')))).toContain('Ďakujem');
  });
});
