import { amountOf } from './amounts.js';
import type { LimitParams, Wording } from './template.js';

const hello = (name: string) => (name === '' ? 'مرحبًا،' : `مرحبًا ${name}،`);
const NOT_YOU = 'إذا لم تكن أنت من فعل ذلك، فغيّر كلمة المرور وسجّل الخروج من جميع الأجهزة.';

const MEASURES = {
  workflow_runs: 'عمليات تشغيل سير العمل',
  model_tokens: 'رموز الذكاء الاصطناعي',
  storage: 'مساحة التخزين',
} as const;

const used = ({ organization, measure, used: taken, limit }: LimitParams) =>
  `${organization === '' ? 'استُخدم' : `استخدمت ${organization}`} ${amountOf(measure, taken, 'ar')} من أصل ${amountOf(measure, limit, 'ar')} من ${MEASURES[measure]}${measure === 'storage' ? '' : ' المتاحة في الخطة لهذا الشهر'}.`;

/** What happens now, or soon. */
function after({ measure, refuses }: LimitParams): string {
  if (measure !== 'storage') return 'لن يُحظر أي شيء. يبدأ العدّ من جديد في أول الشهر (بالتوقيت العالمي المنسق).';
  return refuses
    ? 'عند امتلاء مساحة التخزين تُرفض الملفات الجديدة، وتبقى القراءة والتنزيل والحذف متاحة.'
    : 'لن يُحظر أي شيء.';
}

export const arabic: Wording = {
  'email-code': ({ code, minutes, name }) => ({
    subject: `${code} هو رمزك في Atrium`,
    paragraphs: [hello(name), 'أكّد عنوان بريدك الإلكتروني بهذا الرمز:'],
    code,
    closing: [`الرمز صالح لمدة ${minutes} دقائق.`, 'إذا لم تطلب هذا الرمز، فيمكنك تجاهل هذه الرسالة.'],
  }),
  'phone-code': ({ code, minutes }) => ({
    subject: '',
    paragraphs: [`${code} هو رمزك في Atrium، وهو صالح لمدة ${minutes} دقائق.`],
  }),
  'recovery-code': ({ recoveryCode, name }) => ({
    subject: 'رمز الاسترداد الخاص بك في Atrium',
    paragraphs: [hello(name), 'هذا هو رمز الاسترداد الذي يفتح حسابك إذا فقدت كلمة المرور:'],
    code: recoveryCode,
    closing: ['احفظه في مكان آمن واحذف هذه الرسالة. لا يمكن لـ Atrium عرضه لك مرة أخرى.'],
  }),
  'password-changed': ({ name, at, ip }) => ({
    subject: 'تم تغيير كلمة مرورك في Atrium',
    paragraphs: [hello(name), `تم تغيير كلمة مرور حسابك في ${at} من العنوان ${ip}.`, NOT_YOU],
  }),
  'token-reuse': ({ name, at, userAgent }) => ({
    subject: 'تم إنهاء جلسة في Atrium حفاظًا على أمانك',
    paragraphs: [
      hello(name),
      `في ${at} استُخدم رمز دخول سبق استبداله. ربما يكون قد سُرق، ولذلك تم إنهاء تلك الجلسة.`,
      `المتصفح أو البرنامج في تلك الجلسة: ${userAgent}`,
      NOT_YOU,
    ],
  }),
  'passkey-clone': ({ name, passkeyName, at }) => ({
    subject: 'تم حظر مفتاح مرور في Atrium',
    paragraphs: [
      hello(name),
      `في ${at} استُخدم مفتاح المرور «${passkeyName}» بطريقة تدل على وجود نسخة منه، ولم يعد صالحًا لتسجيل الدخول.`,
      'احذفه من حسابك وسجّل مفتاحًا جديدًا.',
    ],
  }),
  'approval-needed': ({ username, email }) => ({
    subject: 'حساب في Atrium ينتظر الموافقة',
    paragraphs: [`أكّد الحساب ${username} (${email}) عنوانه وينتظر الموافقة.`],
  }),
  'account-approved': ({ name }) => ({
    subject: 'تمت الموافقة على حسابك في Atrium',
    paragraphs: [hello(name), 'تمت الموافقة على حسابك، ويمكنك تسجيل الدخول الآن.'],
  }),
  'export-ready': ({ name, hours }) => ({
    subject: 'نسخة بياناتك في Atrium جاهزة',
    paragraphs: [hello(name), `يمكنك تنزيل نسخة بياناتك من حسابك خلال ${hours} ساعة.`],
  }),
  'access-requested': ({ name, requester, filename }) => ({
    subject: `طلب للوصول إلى «${filename}»`,
    paragraphs: [
      hello(name),
      `يطلب ${requester} قراءة مستندك «${filename}».`,
      'يمكنك قبول الطلب أو رفضه ضمن مستنداتك في Atrium.',
    ],
  }),
  'access-approved': ({ name, filename }) => ({
    subject: `يمكنك الآن قراءة «${filename}»`,
    paragraphs: [hello(name), `تمت الموافقة على طلبك: المستند «${filename}» موجود الآن ضمن مستنداتك في Atrium.`],
  }),
  'access-denied': ({ name, filename, reason }) => ({
    subject: `لم تتم الموافقة على الوصول إلى «${filename}»`,
    paragraphs: [hello(name), `رفض مالك المستند «${filename}» طلبك.`, ...(reason === '' ? [] : [`السبب: ${reason}`])],
  }),
  'document-shared': ({ name, owner, filename }) => ({
    subject: `تمت مشاركة «${filename}» معك`,
    paragraphs: [hello(name), `يتيح لك ${owner} قراءة المستند «${filename}»، وهو موجود ضمن مستنداتك في Atrium.`],
  }),
  'workflow-viewable': ({ name, owner, workflow }) => ({
    subject: `يمكنك عرض سير العمل «${workflow}»`,
    paragraphs: [hello(name), `يتيح لك ${owner} عرض سير العمل «${workflow}»، وهو موجود ضمن مسارات عملك في Atrium.`],
  }),
  'workflow-editable': ({ name, owner, workflow }) => ({
    subject: `يمكنك تعديل سير العمل «${workflow}»`,
    paragraphs: [
      hello(name),
      `يتيح لك ${owner} تعديل سير العمل «${workflow}» وتشغيله، وهو موجود ضمن مسارات عملك في Atrium.`,
    ],
  }),
  'workflow-copy-received': ({ name, sharer, workflow }) => ({
    subject: `أصبحت لديك نسخة من سير العمل «${workflow}»`,
    paragraphs: [
      hello(name),
      `أعطاك ${sharer} نسخة من سير العمل «${workflow}». يمكنك تعديلها كما تشاء، ولم تُنقل معها البيانات السرية.`,
    ],
  }),
  'workflow-app-received': ({ name, sharer, workflow }) => ({
    subject: `يمكنك تشغيل التطبيق «${workflow}»`,
    paragraphs: [hello(name), `يتيح لك ${sharer} تشغيل «${workflow}»، وهو موجود ضمن تطبيقاتك في Atrium.`],
  }),
  'workflow-offered': ({ name, owner, workflow, days }) => ({
    subject: `عُرض عليك سير العمل «${workflow}»`,
    paragraphs: [
      hello(name),
      `يريد ${owner} نقل ملكية سير العمل «${workflow}» إليك. اقبل العرض أو ارفضه ضمن مسارات عملك في Atrium خلال ${days} أيام.`,
    ],
  }),
  'workflow-accepted': ({ name, receiver, workflow }) => ({
    subject: `تم نقل سير العمل «${workflow}»`,
    paragraphs: [hello(name), `قبل ${receiver} سير العمل «${workflow}» وأصبح مالكه الآن.`],
  }),
  'workflow-declined': ({ name, receiver, workflow }) => ({
    subject: `يبقى سير العمل «${workflow}» ملكًا لك`,
    paragraphs: [hello(name), `رفض ${receiver} سير العمل «${workflow}»، ولم يتغير شيء.`],
  }),
  'organization-invited': ({ name, organization, inviter, token, days }) => ({
    subject: `أنت مدعو إلى «${organization}» في Atrium`,
    paragraphs: [
      hello(name),
      `يدعوك ${inviter} إلى الانضمام إلى المؤسسة «${organization}».`,
      'سجّل الدخول إلى Atrium بعنوان البريد الإلكتروني هذا، أو أنشئ حسابًا به، ثم اقبل الدعوة بهذا الرمز:',
    ],
    code: token,
    closing: [`الرمز صالح لمدة ${days} أيام ولمرة واحدة.`, 'إذا كنت لا تعرف من يدعوك، فيمكنك تجاهل هذه الرسالة.'],
  }),
  'agent-job-done': ({ name, job, result }) => ({
    subject: `أنجز وكيلك المهمة «${job}»`,
    paragraphs: [hello(name), `أنجز وكيلك المهمة «${job}»:`, result],
    closing: ['النتيجة الكاملة في وحدة تحكم وكيلك في Atrium.'],
  }),
  'agent-job-failed': ({ name, job, result }) => ({
    subject: `تعذّر على وكيلك إنجاز «${job}»`,
    paragraphs: [hello(name), `لم تنجح المهمة «${job}»:`, result],
    closing: ['المزيد في وحدة تحكم وكيلك في Atrium.'],
  }),
  'payment-failed': ({ name, plan }) => ({
    subject: `تعذّر تحصيل دفعة خطتك «${plan}»`,
    paragraphs: [
      hello(name),
      `لم نتمكن من تحصيل دفعة خطتك «${plan}». ستُعاد المحاولة خلال الأيام القادمة، ويبقى كل شيء متاحًا حتى ذلك الحين.`,
      'يُرجى التأكد من صلاحية وسيلة الدفع، ويمكنك تغييرها ضمن «الخطة» في Atrium.',
    ],
  }),
  'plan-unpaid': ({ name, plan }) => ({
    subject: `انتهت صلاحية خطتك «${plan}»`,
    paragraphs: [
      hello(name),
      `لم يمكن تحصيل أي دفعة لخطتك «${plan}»، ولذلك انتهت صلاحيتها. ما خزّنته ما زال موجودًا، ويمكنك قراءته وتصديره وحذفه.`,
      'للمتابعة ادفع الفاتورة المفتوحة ضمن «الخطة» في Atrium.',
    ],
  }),
  'plan-canceled': ({ name, plan }) => ({
    subject: `أُلغيت خطتك «${plan}»`,
    paragraphs: [
      hello(name),
      `أُلغيت خطتك «${plan}» ولن يُحصَّل أي مبلغ بعد الآن. ما خزّنته ما زال موجودًا، ويمكنك قراءته وتصديره وحذفه.`,
    ],
  }),
  'payment-given-back': ({ name, plan }) => ({
    subject: `أُعيدت إليك دفعة «${plan}»`,
    paragraphs: [
      hello(name),
      `دفعت مقابل «${plan}» التي لم يمكن أن تبدأ، لأنها مدفوعة من قبل أو لأن طلبها أُغلق. أُلغيت الدفعة وأُعيدت إليك كاملة.`,
    ],
  }),
  'trial-ends': ({ name, plan, date }) => ({
    subject: `تنتهي تجربتك لخطة «${plan}» قريبًا`,
    paragraphs: [
      hello(name),
      `تنتهي تجربتك لخطة «${plan}» في ${date}. بعد ذلك تُحتسب رسومها، ولتجنب ذلك ألغِها قبل هذا التاريخ ضمن «الخطة» في Atrium.`,
    ],
  }),
  'limit-near': (params) => ({
    subject: `استُخدم ${params.percent}% من ${MEASURES[params.measure]} في Atrium`,
    paragraphs: [hello(params.name), used(params), after(params)],
    closing: ['التفاصيل في صفحة الاستخدام في حسابك.'],
  }),
  'limit-reached': (params) => ({
    subject: `بلغت ${MEASURES[params.measure]} في Atrium حدّها`,
    paragraphs: [hello(params.name), used(params), after(params)],
    closing: ['التفاصيل في صفحة الاستخدام في حسابك.'],
  }),
};
