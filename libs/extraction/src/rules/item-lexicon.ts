import { field, keys, type Field } from './field.js';
import { FIELDS } from './lexicon.js';

/** Columns of tables of line items. */
export const ITEM_FIELDS: ReadonlyMap<string, Field> = new Map(
  Object.entries({
    // "No." heads letters, too: `A-101`.
    position: field(
      'identifier',
      'pos|position|pos nr|item no|line|line no|no|#|sl no|s no|sr no|sr|lfd nr|ligne|linea|م|مسلسل|الرقم|رقم البند|ت',
    ),
    code: field(
      'identifier',
      'item code|product code|article no|article number|art no|sku|code|part no|part number|item number|product no|product id|item id|artikelnummer|artikel-nr|art-nr|artikelnr|reference|ref|referencia|codigo|رمز الصنف|رقم الصنف|كود الصنف|الرمز|الكود|رمز المنتج',
    ),
    description: field(
      'text',
      'description|item|items|product|article|service|details|item description|product description|description of goods|goods|particulars|product name|item name|services|beschreibung|bezeichnung|artikel|leistung|artikelbezeichnung|produkt|designation|libelle|article|descripcion|concepto|producto|articulo|detalle|الوصف|البيان|الصنف|المنتج|الخدمة|وصف الصنف|التفاصيل|اسم الصنف|اسم المنتج|وصف الخدمة',
    ),
    quantity: field(
      'number',
      'quantity|qty|qty.|units|hours|hrs|count|pieces|pcs|ordered|menge|anzahl|stück|stk|std|stunden|quantite|qte|cantidad|cant|uds|unidades|الكمية|كمية|العدد',
    ),
    unit: field('text', 'unit|uom|unit of measure|einheit|unite|unidad|الوحدة'),
    unit_price: field(
      'money',
      'unit price|price|rate|price per unit|unit cost|unit rate|price each|each|cost|hourly rate|einzelpreis|preis|e-preis|ep|stückpreis|preis/einheit|einzelpreis netto|prix unitaire|prix|pu|pu ht|prix unitaire ht|precio unitario|precio|precio unit|السعر|سعر الوحدة|سعر القطعة|السعر الإفرادي|سعر',
    ),
    amount: field(
      'money',
      'amount|total|line total|total price|net amount|line amount|item total|extended price|total amount|ext price|sum|value|net|subtotal|betrag|gesamt|gesamtpreis|summe|g-preis|gp|positionspreis|gesamtpreis netto|netto|montant|montant ht|total ht|importe|total|المبلغ|الإجمالي|المجموع|القيمة|إجمالي السعر|الإجمالي الفرعي|السعر الإجمالي|إجمالي',
    ),
    tax_rate: field(
      'percent',
      'vat|vat %|vat rate|tax|tax %|tax rate|gst|mwst|ust|mwst %|mwst satz|tva|taux tva|iva|iva %|الضريبة|نسبة الضريبة|ضريبة',
    ),
    tax: field('money', 'vat amount|tax amount|mwst betrag|montant tva|قيمة الضريبة|مبلغ الضريبة'),
    discount: field('percent', 'discount|disc|disc %|discount %|rabatt|remise|descuento|dto|الخصم|خصم'),
    date: field('date', 'date|datum|fecha|service date|التاريخ'),
  }),
);

/** Carried from a page to the next one: sums of what is counted already. */
export const CARRIED = new Set(
  keys(
    'carried forward|brought forward|carry forward|carry over|page total|übertrag|zwischensumme seite|report|a reporter|suma y sigue|suma anterior|منقول|ما قبله|مرحل|total carried forward|balance brought forward|amount carried forward|total page|seitensumme',
  ),
);

const TOTAL_FIELDS = ['total', 'amount_due', 'subtotal', 'tax', 'discount', 'shipping', 'paid', 'quantity_total'];

/** Of rows that sum up what stands above them. */
export const TOTALS: ReadonlySet<string> = new Set([
  ...TOTAL_FIELDS.flatMap((name) => FIELDS.get(name)?.tiers.flatMap((tier) => [...tier]) ?? []),
  ...CARRIED,
]);

export const ITEM_LABELS: ReadonlySet<string> = new Set(
  [...ITEM_FIELDS.values()].flatMap(({ tiers }) => tiers.flatMap((tier) => [...tier])),
);
