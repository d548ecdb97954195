import { field, type Field } from './field.js';

const INVOICE_DATE =
  'invoice date|date of invoice|tax invoice date|bill date|billing date|date of issue|issue date|issued|issued on|issued date|date issued|invoiced on|' +
  'rechnungsdatum|datum der rechnung|ausstellungsdatum|ausgestellt am|rechnung vom|belegdatum|' +
  "date de facture|date de la facture|date de facturation|date d'emission|facture du|fecha de factura|fecha factura|fecha de emision|fecha de expedicion|" +
  'data fattura|data da fatura|تاريخ الفاتورة|تاريخ الإصدار|تاريخ إصدار الفاتورة|تاريخ اصدار الفاتورة|تاريخ التحرير|تاريخ الفاتوره';
const ORDER_DATE =
  'order date|date of order|ordered on|ordered|po date|purchase order date|bestelldatum|auftragsdatum|bestellt am|date de commande|' +
  'date de la commande|fecha de pedido|fecha del pedido|تاريخ الطلب|تاريخ أمر الشراء|تاريخ الشراء|تاريخ الأمر';
const GRAND_TOTAL =
  'grand total|invoice total|total invoice|total invoice amount|total invoice value|invoice amount|order total|total order value|total incl vat|total including vat|total inc vat|total incl tax|total including tax|total inc tax|total with tax|total with vat|' +
  'total gross|gross total|gross amount|total amount incl vat|total amount including vat|total incl gst|total inc gst|total payable|total to pay|' +
  'gesamtbetrag|rechnungsbetrag|rechnungssumme|bruttobetrag|gesamtbetrag brutto|gesamt brutto|summe brutto|bruttosumme|endbetrag|endsumme|gesamtsumme|gesamtsumme brutto|brutto|' +
  'rechnungsendbetrag|gesamtpreis inkl mwst|gesamt inkl mwst|gesamtbetrag inkl mwst|summe inkl mwst|total inkl mwst|auftragssumme|bestellsumme|bestellwert|' +
  'total ttc|montant ttc|montant total ttc|total general|montant total|total de la facture|total factura|importe total|total con iva|total iva incluido|' +
  'الإجمالي الكلي|المجموع الكلي|الإجمالي النهائي|إجمالي الفاتورة|إجمالي مبلغ الفاتورة|المبلغ الإجمالي|إجمالي المبلغ|الإجمالي شامل الضريبة|الإجمالي مع الضريبة|' +
  'الإجمالي شامل ضريبة القيمة المضافة|المجموع شامل الضريبة|المجموع النهائي|المبلغ الكلي|إجمالي الطلب|الإجمالي العام|القيمة الإجمالية';
const PLAIN_TOTAL =
  'total|totals|total amount|total sum|total price|total cost|total value|gesamt|summe|total eur|somme|suma|totale|totaal|الإجمالي|المجموع|الاجمالى|الجملة|إجمالي|total charges';
const AMOUNT_DUE =
  'amount due|total due|total amount due|balance due|balance|amount payable|payable amount|net payable|amount to pay|please pay|pay this amount|outstanding amount|outstanding balance|amount outstanding|' +
  'zahlbetrag|zu zahlen|zu zahlender betrag|zahlungsbetrag|offener betrag|restbetrag|fälliger betrag|noch zu zahlen|net a payer|montant du|reste a payer|a payer|montant a payer|' +
  'total a pagar|importe a pagar|saldo pendiente|المبلغ المستحق|المبلغ المستحق للدفع|إجمالي المستحق|الإجمالي المستحق|المبلغ المطلوب|صافي المستحق|الرصيد المستحق|المبلغ الواجب دفعه|المبلغ المتبقي';

/** Fields that documents of trade and forms have, with their labels in English, German, French, Spanish and Arabic. */
export const FIELDS: ReadonlyMap<string, Field> = new Map(
  Object.entries({
    invoice_number: field(
      'identifier',
      'invoice number|invoice no|invoice #|invoice id|invoice nbr|inv no|inv number|inv #|inv id|bill number|bill no|tax invoice no|tax invoice number|invoice reference|invoice ref|invoice code|number of invoice|' +
        'rechnungsnummer|rechnungs-nr|rechnungsnr|rechnung nr|rechnung nummer|rechnungs nummer|re-nr|rg-nr|rechnung|' +
        'numero de facture|facture n°|n° de facture|n° facture|facture numero|numero facture|facture|numero de factura|factura n°|factura no|nº de factura|n.º de factura|nº factura|factura num|factura|' +
        'numero fattura|fattura n|numero da fatura|رقم الفاتورة|فاتورة رقم|رقم فاتورة|رقم الفاتورة الضريبية|فاتورة ضريبية رقم|invoice',
      'document number|document no|doc no|belegnummer|belegnr|beleg-nr|رقم المستند',
    ),
    receipt_number: field(
      'identifier',
      'receipt number|receipt no|receipt #|receipt id|receipt|quittungsnummer|quittung nr|bon-nr|bonnummer|bon nr|beleg-nr|belegnr|belegnummer|beleg nr|' +
        'numero de recu|recu n°|ticket n°|ticket no|numero de recibo|recibo n°|recibo no|رقم الإيصال|إيصال رقم|رقم السند|سند رقم',
      'transaction id|transaction no|transaction number|رقم العملية',
    ),
    transaction_number: field(
      'identifier',
      'transaction no|transaction number|transaction id|transaction #|transaction reference|transaction|transaktionsnummer|transaktions-nr|numero de transaction|numero de transaccion|رقم العملية|رقم المعاملة',
    ),
    order_number: field(
      'identifier',
      'order number|order no|order #|order id|order ref|order reference|sales order|sales order number|sales order no|so number|so no|order|bestellnummer|bestell-nr|bestellnr|bestellung nr|bestellung|' +
        'auftragsnummer|auftrags-nr|auftragsnr|auftrag nr|auftrag|numero de commande|commande n°|n° de commande|n° commande|numero de pedido|pedido n°|nº de pedido|pedido no|رقم الطلب|رقم الطلبية|طلب رقم|رقم الأمر',
      'po number|po no|po #|purchase order number|purchase order no|purchase order|رقم أمر الشراء|أمر شراء رقم',
    ),
    po_number: field(
      'identifier',
      'po number|po no|po #|po|p.o. number|p.o. no|p.o.|purchase order number|purchase order no|purchase order #|purchase order|purchase order id|customer po|your po|your order no|your order number|your order|' +
        'bestellnummer|bestell-nr|bestellnr|ihre bestellnummer|ihre bestellung|bestellnummer kunde|kundenbestellnummer|bon de commande|n° bon de commande|bon de commande n°|votre commande|orden de compra|orden de compra no|' +
        'رقم أمر الشراء|أمر الشراء|أمر شراء رقم|رقم طلب الشراء|أمر شراء',
    ),
    quote_number: field(
      'identifier',
      'quote number|quote no|quote #|quotation number|quotation no|offer number|offer no|estimate number|estimate no|angebotsnummer|angebots-nr|angebot nr|numero de devis|devis n°|presupuesto no|numero de presupuesto|رقم عرض السعر|عرض سعر رقم',
    ),
    delivery_number: field(
      'identifier',
      'delivery note|delivery note number|delivery note no|delivery no|delivery number|lieferscheinnummer|lieferschein-nr|lieferschein nr|lieferschein|bon de livraison|bon de livraison n°|albaran|albaran no|رقم إذن التسليم|رقم التسليم|رقم سند التسليم',
    ),
    tracking_number: field(
      'identifier',
      'tracking number|tracking no|tracking id|tracking|shipment number|shipment no|sendungsnummer|numero de suivi|numero de seguimiento|رقم التتبع|رقم الشحنة',
    ),
    customer_number: field(
      'identifier',
      'customer number|customer no|customer #|customer id|customer code|client number|client no|client id|account number|account no|acct no|kundennummer|kunden-nr|kundennr|kunden nr|numero client|n° client|numero de client|code client|numero de cliente|nº cliente|cliente no|رقم العميل|رقم الزبون|كود العميل',
    ),
    contract_number: field(
      'identifier',
      'contract number|contract no|contract #|contract id|agreement number|agreement no|vertragsnummer|vertrags-nr|vertrag nr|numero de contrat|contrat n°|numero de contrato|contrato no|رقم العقد|عقد رقم',
    ),
    project: field('text', 'project|project name|projekt|projet|proyecto|المشروع|اسم المشروع'),
    reference: field(
      'identifier',
      'reference|reference number|reference no|ref no|ref|ref number|your reference|your ref|our reference|our ref|referenz|referenznummer|ihr zeichen|unser zeichen|votre reference|referencia|المرجع|رقم المرجع|الرقم المرجعي',
    ),
    invoice_date: field('date', INVOICE_DATE, 'date|datum|fecha|data|التاريخ|تاريخ'),
    service_date: field(
      'date',
      'service date|date of service|performance date|date of performance|date of supply|supply date|tax point|tax point date|tax date|leistungsdatum|leistungszeitpunkt|datum der leistung|leistung vom|' +
        'date de prestation|date de la prestation|date de service|fecha de servicio|fecha de prestacion|fecha de operacion|تاريخ التوريد|تاريخ الخدمة|تاريخ تقديم الخدمة',
    ),
    print_date: field(
      'date',
      "print date|date printed|printed on|printed|druckdatum|gedruckt am|date d'impression|imprime le|fecha de impresion|تاريخ الطباعة",
    ),
    due_date: field(
      'date',
      'due date|date due|due|due on|due by|payment due|payment due date|payment due by|payment due on|payment date due|pay by|payable by|payable until|payable on|payable before|pay until|payment by|payment until|pay before|please pay by|last date of payment|to be paid by|' +
        'fällig am|fällig|fälligkeitsdatum|fälligkeit|zahlbar bis|zahlbar bis zum|zahlbar am|zahlbar zum|zu zahlen bis|fällig zum|zahlungsziel|fällig bis|zahlung bis|zahlungsfrist|' +
        "date d'echeance|echeance|date echeance|a payer avant|a payer avant le|a regler avant le|a regler avant|payable avant le|payable avant|payable le|a payer au plus tard le|date limite de paiement|fecha de vencimiento|vencimiento|fecha vencimiento|vence|data di scadenza|scadenza|" +
        'تاريخ الاستحقاق|تاريخ الإستحقاق|تاريخ استحقاق الدفع|موعد الاستحقاق|الاستحقاق|مستحق في|تاريخ السداد|آخر موعد للدفع|موعد السداد|يستحق في',
    ),
    delivery_date: field(
      'date',
      'delivery date|date of delivery|delivered on|delivered|delivery|expected delivery|expected delivery date|requested delivery date|required by|deliver by|ship date|shipping date|date shipped|shipped on|lieferdatum|liefertermin|lieferung am|geliefert am|versanddatum|wunschtermin|gewünschter liefertermin|date de livraison|livraison|livre le|fecha de entrega|fecha entrega|تاريخ التسليم|تاريخ التوصيل|موعد التسليم|تاريخ الشحن',
    ),
    order_date: field('date', ORDER_DATE, 'date|datum|fecha|التاريخ|تاريخ'),
    payment_date: field(
      'date',
      'payment date|date of payment|paid on|date paid|zahlungsdatum|bezahlt am|zahldatum|date de paiement|paye le|fecha de pago|تاريخ الدفع|دفع في',
    ),
    date: field(
      'date',
      'date|datum|fecha|data|التاريخ|تاريخ|date and time|datum uhrzeit|date time|datum zeit',
      `${INVOICE_DATE}|${ORDER_DATE}|transaction date|receipt date|document date|kaufdatum|date du ticket|تاريخ العملية|تاريخ الإيصال|تاريخ المستند`,
    ),
    total: field('money', GRAND_TOTAL, PLAIN_TOTAL, AMOUNT_DUE),
    amount_due: field('money', AMOUNT_DUE),
    subtotal: field(
      'money',
      'subtotal|sub total|sub-total|net total|total net|net amount|net|net value|amount net|total net amount|total excl vat|total excluding vat|total ex vat|total exc vat|total before tax|total before vat|total excl tax|total excluding tax|total excl gst|amount before tax|amount excl vat|taxable amount|total taxable amount|taxable value|amount before vat|' +
        'zwischensumme|nettobetrag|netto|summe netto|nettosumme|netto gesamt|gesamt netto|gesamtsumme netto|gesamtbetrag netto|total netto|netto summe|warenwert|warenwert netto|summe ohne mwst|summe positionen|' +
        'sous-total|sous total|total ht|montant ht|total hors taxes|montant total ht|total net ht|montant hors taxes|base imponible|subtotal sin iva|total sin iva|importe neto|imponibile|' +
        'المجموع الفرعي|الإجمالي الفرعي|الإجمالي قبل الضريبة|المجموع قبل الضريبة|الإجمالي غير شامل الضريبة|المبلغ قبل الضريبة|صافي المبلغ|المبلغ الصافي|الصافي|الإجمالي بدون الضريبة|المبلغ الخاضع للضريبة|الإجمالي الخاضع للضريبة|المجموع بدون ضريبة|الإجمالي غير شامل ضريبة القيمة المضافة',
    ),
    tax: field(
      'money',
      'total vat|total tax|vat total|tax total|total gst|total vat amount|total tax amount|mwst gesamt|summe mwst|gesamt mwst|total tva|montant total tva|total iva|إجمالي الضريبة|إجمالي ضريبة القيمة المضافة|مجموع الضريبة',
      'vat|vat amount|tax|tax amount|sales tax|gst|gst amount|plus vat|value added tax|amount of vat|output vat|' +
        'mwst|mwst betrag|mwst-betrag|mehrwertsteuer|ust|umsatzsteuer|zzgl mwst|zzgl ust|zzgl umsatzsteuer|zzgl mehrwertsteuer|zuzüglich mwst|umsatzsteuerbetrag|ust betrag|steuer|steuerbetrag|enthaltene mwst|inkl mwst|inkl ust|inkl mehrwertsteuer|inkl umsatzsteuer|enthaltene ust|davon mwst|davon ust|dont tva|darin enthaltene mwst|enth mwst|' +
        'tva|montant tva|montant de la tva|iva|importe iva|cuota iva|impuesto|impuestos|ضريبة القيمة المضافة|الضريبة|قيمة الضريبة|مبلغ الضريبة|مبلغ ضريبة القيمة المضافة|ضريبة المبيعات|قيمة ضريبة القيمة المضافة|ضريبة',
    ),
    tax_rate: field(
      'percent',
      'vat rate|tax rate|rate of vat|gst rate|mwst-satz|mwst satz|steuersatz|ust-satz|taux tva|taux de tva|tipo iva|tipo de iva|نسبة الضريبة|معدل الضريبة|نسبة ضريبة القيمة المضافة',
    ),
    discount: field(
      'money',
      'discount|total discount|discount amount|less discount|rabatt|nachlass|remise|descuento|الخصم|خصم|إجمالي الخصم|قيمة الخصم|مبلغ الخصم',
    ),
    shipping: field(
      'money',
      'shipping|shipping cost|shipping costs|shipping & handling|shipping and handling|freight|delivery charge|delivery fee|postage|delivery cost|versand|versandkosten|porto|fracht|lieferkosten|frais de port|frais de livraison|livraison ht|gastos de envio|envio|الشحن|رسوم الشحن|تكلفة الشحن|رسوم التوصيل|أجور الشحن',
    ),
    paid: field(
      'money',
      'amount paid|paid|total paid|payment received|payments|deposit|deposit paid|down payment|less deposit|less paid|prepaid|bezahlt|anzahlung|bereits bezahlt|geleistete anzahlung|gezahlt|acompte|acompte verse|deja paye|pagado|anticipo|المبلغ المدفوع|المدفوع|دفعة مقدمة|العربون|الدفعة المقدمة',
    ),
    vendor: field(
      'party',
      'vendor|vendor name|supplier|supplier name|seller|seller name|sold by|issued by|invoice from|bill from|billed by|from|merchant|merchant name|store|company name|lieferant|verkäufer|rechnungssteller|aussteller|absender|von|anbieter|händler|fournisseur|vendeur|emetteur|proveedor|vendedor|emisor|' +
        'المورد|اسم المورد|البائع|اسم البائع|من|صادر عن|الشركة البائعة|التاجر|اسم المتجر|المتجر',
    ),
    customer: field(
      'party',
      'customer|customer name|bill to|billed to|invoice to|invoiced to|client|client name|buyer|buyer name|sold to|purchaser|bill to customer|name of customer|billing address|to|kunde|kundenname|rechnungsempfänger|rechnung an|käufer|auftraggeber|empfänger|besteller|rechnungsadresse|an|' +
        'client|nom du client|facture a|acheteur|adresse de facturation|cliente|nombre del cliente|facturar a|facturado a|comprador|datos del cliente|العميل|اسم العميل|فاتورة إلى|المشتري|اسم المشتري|الزبون|إلى|السادة|مطلوب من|اسم الزبون|فاتورة باسم',
    ),
    ship_to: field(
      'party',
      'ship to|shipped to|deliver to|delivery address|shipping address|consignee|delivered to|lieferadresse|lieferanschrift|lieferung an|adresse de livraison|livre a|enviar a|direccion de entrega|عنوان التسليم|الشحن إلى|عنوان الشحن|عنوان التوصيل|التسليم إلى',
    ),
    vat_id: field(
      'identifier',
      'vat id|vat no|vat number|vat id no|vat reg no|vat registration no|vat registration number|vat registration|vat reg|tax id|tax id no|tax id number|tax number|tax no|tax registration number|tax identification number|trn|tin|ein|gst no|gstin|gst number|gst registration no|abn|' +
        'ust-idnr|ust-id-nr|ust-id|ust id nr|ustid|ust idnr|umsatzsteuer-id|umsatzsteuer-identifikationsnummer|uid|uid-nr|mwst-nr|steuernummer|steuer-nr|' +
        'n° tva|numero de tva|tva intracommunautaire|n° tva intracommunautaire|n tva intracom|numero tva|nif|cif|nif/cif|p iva|partita iva|الرقم الضريبي|رقم ضريبي|رقم التسجيل الضريبي|رقم ضريبة القيمة المضافة|رقم تسجيل ضريبة القيمة المضافة',
    ),
    currency: field(
      'code',
      'currency|invoice currency|currency code|währung|waehrung|devise|monnaie|moneda|divisa|valuta|العملة|عملة الفاتورة',
    ),
    iban: field('iban', 'iban|iban no|iban number|konto iban|رقم الآيبان|الآيبان|ايبان|رقم الايبان'),
    bic: field('identifier', 'bic|swift|swift code|bic code|swift bic|bic swift|رمز السويفت|سويفت'),
    bank: field('text', 'bank|bank name|name of bank|bankname|kreditinstitut|banque|banco|البنك|اسم البنك|اسم المصرف'),
    email: field(
      'email',
      'email|e-mail|email address|e-mail address|mail|e-mail-adresse|email-adresse|courriel|adresse e-mail|correo electronico|correo|البريد الإلكتروني|بريد إلكتروني|الإيميل|الايميل|البريد الالكتروني',
    ),
    phone: field(
      'phone',
      'phone|phone number|phone no|telephone|telephone number|tel|tel no|mobile|mobile number|mobile no|cell|telefon|telefonnummer|tel-nr|handy|mobil|mobilnummer|telephone portable|telefono|movil|الهاتف|رقم الهاتف|هاتف|الجوال|رقم الجوال|رقم الموبايل|موبايل|تلفون|جوال',
    ),
    payment_terms: field(
      'text',
      'payment terms|terms|terms of payment|zahlungsbedingungen|zahlungskonditionen|conditions de paiement|conditions de reglement|condiciones de pago|شروط الدفع|شروط السداد',
    ),
    payment_method: field(
      'text',
      'payment method|method of payment|paid by|payment type|mode of payment|zahlungsart|zahlungsmethode|zahlungsweise|mode de paiement|mode de reglement|moyen de paiement|forma de pago|metodo de pago|طريقة الدفع|وسيلة الدفع|طريقة السداد',
    ),
    first_name: field('text', 'first name|given name|given names|forename|vorname|prenom|nombre|الاسم الأول'),
    last_name: field(
      'text',
      'last name|surname|family name|nachname|familienname|nom|nom de famille|apellido|apellidos|اسم العائلة|اللقب|الاسم الأخير',
    ),
    full_name: field(
      'text',
      'name|full name|applicant name|name of applicant|applicant|vollständiger name|antragsteller|nom complet|nom et prenom|nombre completo|الاسم|الاسم الكامل|اسم مقدم الطلب|مقدم الطلب|الاسم الرباعي|اسم المتقدم',
    ),
    birth_date: field(
      'date',
      'date of birth|birth date|dob|born|born on|geburtsdatum|geboren am|geb am|date de naissance|ne le|nee le|fecha de nacimiento|تاريخ الميلاد|تاريخ الولادة',
    ),
    nationality: field(
      'text',
      'nationality|citizenship|staatsangehörigkeit|nationalität|nationalite|nacionalidad|الجنسية',
    ),
    gender: field('text', 'gender|sex|geschlecht|sexe|sexo|genero|الجنس'),
    national_id: field(
      'identifier',
      'id number|id no|national id|national id number|identity number|passport number|passport no|ausweisnummer|ausweis-nr|personalausweisnummer|numero de passeport|dni|documento|رقم الهوية|رقم الهوية الوطنية|رقم البطاقة|رقم الإقامة|الرقم القومي|الرقم الوطني',
    ),
    address: field('text', 'address|street|street address|anschrift|adresse|straße|direccion|domicilio|العنوان'),
    city: field('text', 'city|town|ort|stadt|wohnort|ville|ciudad|المدينة'),
    signature: field('text', 'signature|signed|unterschrift|firma|التوقيع|signature and date|unterschrift und datum'),
    country: field('text', 'country|land|pays|pais|الدولة|البلد'),
    postcode: field(
      'identifier',
      'postcode|postal code|zip|zip code|post code|plz|postleitzahl|code postal|codigo postal|الرمز البريدي',
    ),
    quantity_total: field(
      'number',
      'total quantity|total qty|total items|number of items|gesamtmenge|anzahl artikel|quantite totale|cantidad total|إجمالي الكمية|عدد الأصناف',
    ),
  }),
);

/** Every label that there is a field for: what stands under one of them is a value of that field alone. */
export const KNOWN_LABELS: ReadonlySet<string> = new Set(
  [...FIELDS.values()].flatMap(({ tiers }) => tiers.flatMap((tier) => [...tier])),
);
export const LONGEST_LABEL = 8;
