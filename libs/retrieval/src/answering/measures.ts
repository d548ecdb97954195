import { either, withoutAccents } from './either.js';

/** What is measured in units of its own: an answer without any of them is none. */
export const MEASURES = ['mass', 'size', 'area', 'volume', 'heat', 'power', 'voltage', 'noise', 'pace'] as const;
export type Measure = (typeof MEASURES)[number];

interface Wording {
  asked: RegExp;
  /** A unit behind a number or a word for one, or in the header of a column. */
  shown: RegExp;
}

const WORDING: Record<Measure, Wording> = {
  mass: {
    asked: either(
      `how heavy; how much .{0,60}weigh; weights?; wie schwer; gewicht; wiegt; poids; pese(?:nt)?; pesa[rn]?; peso; zwaar; weegt; وزن`,
    ),
    shown:
      either(`(?:milli|kilo)?gram(?:m?e?[sn]?|mi); [km]?g; kilos?; chili; tons?; tonne[ns]?; pounds?; lbs?; ounces?; oz; كيلو\\p{L}*; غرام;
      جرام; كجم`),
  },
  size: {
    asked:
      either(`how (?:tall|wide|deep|thick); how far (?:is|are|from|away|does); (?:depth|width|height|distance|dimensions);
      in (?:kilo|centi|milli)?met(?:re|er)s; in (?:inches|feet|yards|miles);
      wie (?:tief|breit|dick|weit|hoch ist (?:der|die|das) (?:turm|berg|raum|haus|zaun|hecke|gebäude));
      (?:tiefe|breite|entfernung|abmessungen); in (?:kilo|zenti|milli)?metern?; (?:profondeur|largeur|hauteur|distance|dimensions);
      (?:profundidad|anchura|altura|distancia|dimensiones); (?:profondita|larghezza|altezza|distanza|dimensioni);
      (?:profundidade|largura|distancia); (?:diepte|breedte|hoogte|afstand|afmetingen); hoe (?:diep|breed|ver)`),
    shown:
      either(`(?:kilo|centi|zenti|milli|deci)?m[eè]t(?:re|er|ro|ri)[sn]?; [kcmd]?m; inch(?:es)?; in\\.; feet; foot; ft; yards?; miles?; مترا?;
      أمتار; كم; سم; سنتيمترا?`),
  },
  area: {
    asked:
      either(`(?:floor|surface) area; in square (?:met(?:er|re)s|feet); square (?:met(?:er|re)s|feet|metres); wohnfläche; quadratmeter;
      superficie; surface; oppervlakte; área; مساحة`),
    shown:
      either(`square (?:met(?:er|re)s?|feet|foot|miles?|kilomet(?:er|re)s?); (?:quadrat|kilo)\\p{L}*; [kc]?m²; m2; sq\\.? ?(?:m|ft);
      mètres? carrés?; metros? cuadrados?; metr[oi] quadrat[oi]; metros quadrados; vierkante meter; hectares?; hektar; ettari; ha;
      acres?; متر\\p{L}* مربع\\p{L}*`),
  },
  volume: {
    asked:
      either(`in (?:milli)?lit(?:er|re)s; how many (?:milli)?lit(?:er|re)s; how much (?:water|fuel|oil|liquid); tank (?:capacity|volume);
      wie viele? liter; fassungsvermögen; combien de litres; cuántos litros; quanti litri; quantos litros; hoeveel liter; كم لترا?`),
    shown: either(
      `(?:milli|centi|hecto)?lit(?:er|re|ro|ri)s?n?; [mcd]?l; gallons?; cups?; (?:cubic|kubik|kubieke)\\p{L}*; m³; لترا?`,
    ),
  },
  heat: {
    asked:
      either(`what temperatures?; temperatures?; how (?:hot|cold|warm); \\p{L}*temperatur; wie (?:heiß|warm|kalt); température; temperatura;
      temperatuur; درجة (?:ال)?حرارة`),
    shown: either(`° ?[cf]?; degrees?; grad; degrés?; grados?; grad[oi]; graus?; graden; celsius; fahrenheit; درجة`),
  },
  power: {
    asked:
      either(`how many (?:kilo)?watts?; power (?:consumption|output|rating); wattage; wie viele? watt; leistung in (?:kilo)?watt;
      combien de watts; cuántos vatios; quanti watt; quantos watts; hoeveel watt`),
    shown: either(`[km]?wp?; (?:kilo|mega)?watts?; vatios; hp; ps; kwh; kilowatt\\p{L}*`),
  },
  voltage: {
    asked: either(
      `voltage; how many volts; (?:netz)?spannung; wie viele? volt; tension; voltaje; tensione; tensão; spanning; جهد`,
    ),
    shown: either(`[km]?v; volts?; voltios; vac; فولت`),
  },
  noise: {
    asked:
      either(`how (?:loud|noisy); noise level; in decibels; decibels; wie laut; lautstärke; geräuschpegel; schallpegel; niveau sonore;
      nivel de ruido; livello di rumore; geluidsniveau`),
    shown: either(`db(?: ?\\(?a\\)?)?
      de[cz]ib[eé]ll?[sei]*`),
  },
  pace: {
    asked:
      either(`how fast (?:does|can|is|do) .{0,60}(?:drive|go|run|fly|travel|move); top speed; speed limit; höchstgeschwindigkeit; tempolimit;
      vitesse; velocidad; velocità; velocidade; snelheid; سرعة`),
    shown:
      either(`(?:km|m|mi|miles|kilomet(?:er|re|ro)s?) ?(?:/|per|pro|par|por|all['’]|je|an) ?(?:h|s|hour|stunde|heure|hora|ora|uur)\\p{L}*;
      km/h; mph; knots?; knoten; rpm; (?:mega|giga|kilo)?bits?\\p{L}*; [mg]bit/s; mbps`),
  },
};

/** What the question wants measured, if anything. @param question `withoutAccents`, of bounded length */
export function askedMeasure(question: string): Measure | null {
  return MEASURES.find((measure) => WORDING[measure].asked.test(question)) ?? null;
}

/** Whether a text has a unit of it. */
export function showsMeasure(measure: Measure, text: string): boolean {
  return WORDING[measure].shown.test(withoutAccents(text));
}
