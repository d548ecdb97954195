import { fold } from '@app/common';
import { stemArabic } from './arabic-stem.js';
import type { LanguageCode } from './language.js';
import { stemIn } from './stemming.js';
import { light } from './tokens.js';

/**
 * What people and programs say around a question: who should do what with which kind of text, and how to put it.
 * Written as words; compared by their stems.
 */
const INSTRUCTING: Partial<Record<LanguageCode, string>> = {
  en: `please kindly find search retrieve identify locate look show give tell explain describe list provide return write summarize
    summarise answer respond reply determine decide check verify support supports refute refutes contradict confirm cite quote
    mention include use using based according following given below above claim statement question query passage passages
    paragraph document documents text texts file files corpus abstract article evidence sentence sentences word words detail
    details detailed brief briefly short concise complete accurate relevant relevance helpful assistant expert task
    instruction instructions step reason reasoning explanation information source sources number page pages whether one two
    three bullet bullets point points format output only context know want need would like could help me research scientific
    necessary carefully possible best most make sure think`,
  de: `bitte finde suche nenne zeige gib sage erkläre beschreibe liste antworte beantworte prüfe belege zitiere verwende nutze
    folgende folgenden folgendes behauptung aussage frage anfrage absatz absätze stelle stellen textstelle textstellen passage
    passagen dokument dokumente dokumenten text texte datei unterlagen satz sätze sätzen wort worten kurz knapp ausführlich
    genau vollständig anhand laut gemäß basierend grundlage quelle quellen seite nummer stütze stützen widerlege widerlegen
    bestätigen begründe begründung hilfreich assistent aufgabe anweisung information informationen ob kannst könntest möchte
    wissen deutsch`,
  fr: `veuillez merci trouve trouver trouvez cherche cherchez indique indiquez donne donnez explique expliquez décris décrivez
    liste réponds répondez répondre vérifie vérifiez cite citez utilise utilisez suivant suivante suivants affirmation question
    requête passage passages paragraphe document documents texte textes fichier phrase phrases mot mots bref brièvement court
    courte détail détails selon basant source sources page numéro soutiennent réfutent confirment contredisent assistant tâche
    consigne information informations pertinent pertinents voudrais savoir`,
  es: `favor encuentra encuentre busca busque indica indique da dé explica explique describe describa lista responde responda
    responder verifica verifique cita cite usa use siguiente siguientes afirmación pregunta consulta pasaje pasajes párrafo
    documento documentos texto textos archivo frase frases oración palabra palabras breve brevemente corto detalle detalles
    según basándote fuente fuentes página número apoyan apoyen refutan refuten confirman contradicen asistente tarea
    instrucción información relevante relevantes quisiera saber`,
  it: `favore trova trovare cerca indica dai spiega descrivi elenca rispondi rispondere verifica cita usa utilizza seguente
    seguenti affermazione domanda passaggio passaggi brano brani paragrafo documento documenti testo testi frase frasi parola
    parole breve brevemente dettaglio dettagli secondo base fonte fonti pagina numero sostengono supportano confutano
    assistente compito istruzione informazione informazioni rilevanti vorrei sapere`,
  pt: `favor encontre encontrar procure indique dê explique descreva liste responda responder verifique cite use seguinte
    seguintes afirmação pergunta consulta passagem passagens trecho trechos parágrafo documento documentos texto textos frase
    frases palavra palavras breve brevemente curto detalhe detalhes segundo base fonte fontes página número apoiam apoiem refutam
    refutem assistente tarefa instrução informação relevantes gostaria saber`,
  nl: `alstublieft vind zoek noem toon geef vertel leg beschrijf beantwoord antwoord controleer citeer gebruik volgende bewering
    vraag passage passages alinea document documenten tekst teksten zin zinnen woord woorden kort bondig detail details volgens
    bron bronnen pagina nummer ondersteunen weerleggen assistent taak informatie relevante`,
  tr: `lütfen bul bulun ara arayın göster ver söyle açıkla listele cevapla cevaplayın yanıtla yanıtlayın doğrula kullan aşağıdaki
    iddia ifade soru soruyu pasaj pasajları paragraf belge belgeler metin cümle cümleyle cümlede kelime kısa kısaca ayrıntılı
    göre kaynak sayfa numara destekleyen çürüten bilgi ilgili`,
  ar: `رجاء يرجى فضلك ابحث اعثر جد اذكر اشرح وضح اعط قدم لخص اجب استخدم التالي التالية ادعاء سؤال فقرة فقرات مقطع مقاطع وثيقة وثائق
    مستند مستندات نص نصوص جملة جمل واحدة كلمة كلمات باختصار موجز تفاصيل حسب وفقا مصدر مصادر صفحة رقم تدعم تدحض تؤيد معلومات`,
};

const sets = new Map<LanguageCode, ReadonlySet<string>>();

function stemsOf(language: LanguageCode): ReadonlySet<string> {
  let known = sets.get(language);
  if (known === undefined) {
    const words = (INSTRUCTING[language] ?? '').split(/\s+/).filter((word) => word !== '');
    known = new Set(words.map((word) => stemOf(light(word, language), language)));
    sets.set(language, known);
  }
  return known;
}

function stemOf(word: string, language: LanguageCode): string {
  return language === 'ar' ? stemArabic(fold(word)) : stemIn(language, word);
}

/** Whether a word is of those that tell what to do, in one of these languages. */
export function instructs(token: string, languages: readonly LanguageCode[]): boolean {
  return languages.some((language) => stemsOf(language).has(stemOf(light(token, language), language)));
}
