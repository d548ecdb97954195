import {
  aggregate,
  compare,
  followed,
  sorted,
  standing,
  timely,
  unit,
  withoutAccents,
  type AdjectiveSort,
  type Language,
  type Lines,
} from './language.js';

const OF = 'de|del|de la|de los|de las|de todos los|de todas las';
/** With and without the article, for one and for several. */
const most = (words: string) =>
  words
    .split('|')
    .flatMap((word) => [word, `el ${word}`, `la ${word}`, `los ${word}`, `las ${word}`])
    .join('|');

const LINES: Lines = [
  [
    aggregate('count'),
    followed('cuántas veces|cuántos|cuántas|número|el número|cantidad total|número total|recuento|conteo', OF),
  ],
  [
    aggregate('sum'),
    followed(
      'suma|la suma|total|el total|totales|importe total|en total|cuánto suma|cuánto suman|cuánto es el total|suman',
      OF,
    ),
  ],
  [
    aggregate('avg'),
    `${followed('promedio|el promedio|media|la media|valor medio', OF)}|medio|medios|medias|en promedio|de media|promedios`,
  ],
  [aggregate('median'), followed('mediana|la mediana', OF)],
  [
    aggregate('min'),
    `${followed('mínimo|mínima|el mínimo', OF)}|${most('menor|menores|más bajo|más baja|más bajos|más bajas|más pequeño|más pequeña')}|menos`,
  ],
  [
    aggregate('max'),
    `${followed('máximo|máxima|el máximo', OF)}|${most('mayor|mayores|más alto|más alta|más altos|más altas|más grande|más grandes|más elevado|más elevada')}|más`,
  ],
  [timely('min'), most('más antiguo|más antigua|más antiguos')],
  [timely('max'), most('más reciente|más recientes|más nuevo|más nueva')],
  [{ kind: 'distinct' }, 'distintos|distintas|diferentes|únicos|únicas'],
  [{ kind: 'by', total: true }, 'por|según|agrupado por|agrupados por|agrupadas por|desglosado por|dividido por'],
  [{ kind: 'by' }, 'por cada|para cada|en cada|cada|de cada|a cada'],
  [
    { kind: 'not', empty: false },
    'no|excepto|salvo|menos|excluyendo|a excepción de|aparte de|que no|distinto de|distinta de|no es|no son|no está|no están|fuera de|!=|<>',
  ],
  [
    { kind: 'not', empty: true },
    'sin|que no tienen|que no tiene|no tienen|no tiene|no tenían|no tenía|no tuvieron|no tuvo',
  ],
  [{ kind: 'matches', way: 'contains' }, 'contiene|contienen|que contiene|que contienen'],
  [
    { kind: 'matches', way: 'starts' },
    'empieza por|empieza con|empiezan por|empiezan con|comienza con|comienzan con|que empiezan por|que empiezan con',
  ],
  [{ kind: 'matches', way: 'ends' }, 'termina en|terminan en|acaba en|acaban en|que terminan en'],
  [
    { kind: 'share' },
    followed(
      'porcentaje|el porcentaje|qué porcentaje|proporción|la proporción|qué proporción|qué parte|cuál es el porcentaje',
      OF,
    ),
  ],
  [{ kind: 'common', direction: 'desc', behind: false }, most('más frecuente|más común|más comunes|más frecuentes')],
  [{ kind: 'common', direction: 'desc', behind: false, loose: true }, most('más popular|más populares')],
  [{ kind: 'common', direction: 'asc', behind: false }, most('menos frecuente|menos común|más raro|más rara')],
  [{ kind: 'common', direction: 'desc', behind: true }, 'con más frecuencia|más a menudo|más veces'],
  [{ kind: 'common', direction: 'asc', behind: true }, 'con menos frecuencia|menos veces'],
  [{ kind: 'versus', opens: false }, 'contra|frente a|vs|versus|comparado con|en comparación con'],
  [{ kind: 'versus', opens: true }, 'compara|comparar|compare|comparación de|comparación entre'],
  [{ kind: 'when' }, 'cuándo|en qué fecha|qué día'],
  [{ kind: 'ordinal', place: 2 }, 'segundo|segunda'],
  [{ kind: 'ordinal', place: 3 }, 'tercer|tercero|tercera'],
  [{ kind: 'ordinal', place: 4 }, 'cuarto|cuarta'],
  [{ kind: 'ordinal', place: 5 }, 'quinto|quinta'],
  [{ kind: 'which' }, 'qué|cuál|cuáles|en qué|cuál de'],
  [
    { kind: 'list' },
    'cuáles son|cuáles eran|qué son|lista|lista de|una lista de|listar|muestra|muéstrame|mostrar|muestre|dame|dime|enumera|enseña|enséñame|indica',
  ],
  [{ kind: 'rows' }, 'filas|fila|registros|registro|entradas'],
  [{ kind: 'top' }, 'top'],
  [
    compare('>'),
    'más de|mayor que|mayores que|mayor de|mayores de|superior a|superior al|superiores a|superiores al|por encima de|por encima del|supera|superan|con más de|de más de|más alto que|más que',
  ],
  [
    compare('<'),
    'menos de|menor que|menores que|menor de|menores de|inferior a|inferior al|inferiores a|inferiores al|por debajo de|por debajo del|con menos de|menos que',
  ],
  [compare('>='), 'al menos|como mínimo|por lo menos|mayor o igual que|mayor o igual a|no menos de'],
  [compare('<='), 'como máximo|a lo sumo|menor o igual que|menor o igual a|no más de'],
  [compare('>', 'both'), '>'],
  [compare('<', 'both'), '<'],
  [compare('>=', 'both'), '>=|a partir de|a partir del'],
  [compare('<=', 'both'), '<='],
  [compare('<=', 'times'), 'hasta|hasta el'],
  [compare('>', 'times'), 'después de|después del|tras|posterior a|posteriores a'],
  [compare('<', 'times'), 'antes de|antes del|anterior a|anteriores a'],
  [compare('>=', 'times'), 'desde|desde el'],
  [{ kind: 'between' }, 'entre|entre el'],
  [{ kind: 'from' }, 'de|del|desde|desde el|de la'],
  [{ kind: 'until' }, 'a|hasta|al|hasta el'],
  [
    { kind: 'verb' },
    'trabaja|trabajan|aparece|aparecen|se repite|se repiten|vive|viven|viene|vienen|se encuentra|se encuentran|pertenece|pertenecen|es igual a|igual a|es|son|era|eran|fue|fueron|está|están|estaba|tiene|tienen|tenía|tenían|tuvo|tuvieron|cuesta|cuestan|vale|valen|hubo|asciende a|alcanza|alcanzó|hizo|hicieron|ha tenido|ha sido|=',
  ],
  [unit('decade', false), 'década|décadas'],
  [unit('weekday', false), 'día de la semana|días de la semana'],
  [unit('year', false), 'año|años'],
  [unit('quarter', false), 'trimestre|trimestres'],
  [unit('month', false), 'mes|meses'],
  [unit('week', false), 'semana|semanas'],
  [unit('day', false), 'día|días'],
  [unit('year', true), 'anual|anuales|anualmente'],
  [unit('quarter', true), 'trimestral|trimestrales'],
  [unit('month', true), 'mensual|mensuales|mensualmente'],
  [unit('week', true), 'semanal|semanales'],
  [unit('day', true), 'diario|diaria|diarios|diarias|diariamente'],
  [{ kind: 'and' }, 'y|e|y en|y de|y para|así como|,|;|&'],
  [{ kind: 'or' }, 'o|u'],
  [{ kind: 'further' }, 'y qué hay de|qué hay de|y qué tal|solo|solamente|ahora'],
  [{ kind: 'instead' }, 'en su lugar|en vez'],
  [{ kind: 'opener', which: true, who: true }, 'quién|quiénes|quién es'],
  [
    { kind: 'opener' },
    `cuál es|cuáles son|cuál fue|cuáles fueron|cuál era|qué es|cuánto es|cuánto fue|cuánto|cuánta|calcula|calcular|calcule|encuentra|halla|
     puedes|puede|puedes darme|quiero|quiero saber|quisiera saber|necesito|cuánto vale|a cuánto asciende|a cuánto ascienden`,
  ],
  [{ kind: 'opener', rows: true }, 'dónde está|dónde están|dónde queda|información sobre|detalles de|qué sabes de'],
  [
    { kind: 'preposition' },
    'en|en el|en la|en los|en las|a|al|para|durante|dentro de|sobre|con un|con una|en el año|del año|a la|llamado|llamada',
  ],
  [{ kind: 'preposition', role: 'of' }, OF],
  [{ kind: 'preposition', role: 'with' }, 'con|con el|con la'],
  [{ kind: 'preposition', role: 'relative' }, 'cuyo|cuya|cuyos|cuyas|donde|en los que|en las que|en que'],
  [{ kind: 'preposition', role: 'subject' }, 'que|, que|quienes'],
  [
    { kind: 'article' },
    'el|la|los|las|un|una|unos|unas|todo|toda|todos|todas|todos los|todas las|nuestro|nuestra|nuestros|mi|mis|su|sus|lo',
  ],
  [
    { kind: 'aside' },
    `hay|había|existen|hubo|por favor|en total|en la tabla|en esta tabla|en el archivo|en los datos|en la hoja|tenemos|tuvimos|se|el valor de|los valores de|registrado|
     registrados|registradas|registrada`,
  ],
];

const sort = (names: string, more: string, less: string): AdjectiveSort =>
  sorted(
    names,
    more,
    less,
    (word) => most(`más ${word}`).split('|'),
    (word) => `más ${word} que`,
  );

export const SPANISH: Language = {
  lines: LINES,
  adjectives: [
    standing('salario sueldo salary', 'gana|ganan|cobra|cobran|cuánto gana|cuánto cobra'),
    standing('precio price', 'cuesta|cuestan|cuánto cuesta|cuánto cuestan'),
    standing('peso weight', 'pesa|pesan|cuánto pesa'),
    sort('precio coste costo price cost', 'caro|cara|caros|caras', 'barato|barata|baratos|baratas'),
    sort('edad age', 'viejo|vieja', 'joven|jóvenes'),
    sort('temperatura temp temperature', 'caliente|caluroso', 'frío|fría'),
    sort('longitud duracion length duration', 'largo|larga', 'corto|corta'),
    sort('peso weight', 'pesado|pesada', 'ligero|ligera'),
    sort('velocidad speed', 'rápido|rápida', 'lento|lenta'),
    sort('ingreso ingresos renta income', 'rico|rica', 'pobre'),
  ],
  changing: `no sin excepto salvo menos otro otra otros otras ni último última últimos últimas próximo próxima anterior pasado pasada actual reciente si casi
    aproximadamente cerca porcentaje proporción crecimiento diferencia aumento descenso variación cambio rango acumulado doble mitad vacío desconocido
    nada nunca primer primero primera segundo solo solamente`,
  numbers: {
    dos: 2,
    tres: 3,
    cuatro: 4,
    cinco: 5,
    seis: 6,
    siete: 7,
    ocho: 8,
    nueve: 9,
    diez: 10,
    once: 11,
    doce: 12,
    quince: 15,
    veinte: 20,
    treinta: 30,
    cuarenta: 40,
    cincuenta: 50,
    cien: 100,
    mil: 1000,
  },
  factors: { mil: 1e3, millón: 1e6, millones: 1e6 },
  units: { libras: 'GBP' },
  months: [
    'enero|ene',
    'febrero|feb',
    'marzo|mar',
    'abril|abr',
    'mayo',
    'junio|jun',
    'julio|jul',
    'agosto|ago',
    'septiembre|setiembre|sep|sept',
    'octubre|oct',
    'noviembre|nov',
    'diciembre|dic',
  ],
  ordinals: ['primer|primero', 'segundo', 'tercer|tercero', 'cuarto'],
  quarter: 'trimestre',
  half: 'semestre',
  year: 'año',
  month: 'mes',
  of: 'de|del|del año|de el',
  truths: ['sí|verdadero', 'no|falso'],
  adjectivesBehind: true,
  plural: /es$/,
  respell: withoutAccents,
  stemmer: 'spanish',
  letters: /[ñ¿¡]|ci[oó]n(?!\p{L})/iu,
};
