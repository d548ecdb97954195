/**
 * Words that questions and documents use for the same thing; groups are parted by `;`. Few, and of daily use: a wide net
 * would find answers to other questions.
 */
export const WORD_GROUPS: readonly string[] = `
vacation holiday holidays leave; employ employee employees staff workforce workers headcount jobs positions people;
cost costs price prices fee fees charge pay rate tariff fare expense; buy purchase order; pay paid payment due; salary salaries wage pay remuneration;
ceo chief executive; cfo chief financial; headquarters headquartered offices seat; phone telephone call contact; email e-mail mail;
begin begins start starts; end ends expire expires expiry lapse terminate; build built constructed; weigh weight heavy kg; high height tall;
big size large dimensions; long length duration; lawyer counsel attorney; doctor physician; car vehicle; rent lease; firm company business;
revenue sales turnover; profit income surplus earnings; fine fines penalty; late overdue delay delayed; lend lent borrow loan; children child kids;
spouse partner; hour hours opening open; active substance ingredient contains; manufacturer maker made produced produces holder;
teach teaches taught instructor professor teacher lecturer; speak speaks speaker talk; lead leads head director president chair chairs chairman;
warranty guarantee guaranteed; quit resign resignation notice; dose dosage tablets; near close; allowed permitted may; forbidden prohibited;
password code; broken defective fault defect; fast quickly speed; wage salary; lunch meal meals; ticket admission entry; hospital clinic;
medicine medication; found founded established incorporated; location located place where; often frequency interval every; hurt injured;
cleaned cleaning; urlaub ferien urlaubstage; gehalt lohn vergütung; kosten kostet preis gebühr beitrag; miete kaltmiete;
kündigen kündigung kündigungsfrist austritt austreten; telefon telefonnummer; leiter leitet leiterin geschäftsführer geschäftsführerin;
beginn beginnt anfang; ende endet; groß größe wohnfläche quadratmeter; dauer dauert laufzeit; melden meldung anzeigen; streichen gestrichen streicht;
kosten coûte prix tarif coût; salaire rémunération; congés vacances; directeur directrice responsable; ouvert horaires ouverture;
fermé fermeture ferme; cuesta precio coste presupuesto; sueldo salario; preside presidente presidenta; abre abrirá apertura; dura durará duración;
vacaciones permiso; إجازة عطلة; راتب رواتب أجر; سعر ثمن رسوم كلفة; مدير مديرة رئيس; هاتف رقم;
cancel cancelled cancellation terminate terminated termination notice; renew renewed renewal extend extended prolong;
refund refunded reimburse reimbursed reimbursement; sign signed signature signatory; write wrote written author authors;
pay earn earns earned salary wage wages received; turnover revenue sales; react reaction respond response; repair repaired fix fixed mend;
switch turn on off start; store storage keep kept; trainee trainees apprentice apprentices intern; guests visitors visitor guest;
fit fits hold holds capacity; forbid forbidden prohibited banned; proportion share percentage; lose lost loss missing;
grow growth rise rose increase increased; fall fell decline decreased drop reduce reduced lower; choose select set; die died death;
marry married husband wife spouse; born birth birthday; throw discard dispose waste rubbish trash garbage; maximum most limit cap exceed;
minimum least; breach violation; mean means meaning; join member members membership; empty drain; noisy loud noise; shut close closed closes;
trip journey travel; flat apartment; mobile phone cell; lesson lessons class course courses; sick ill illness disease;
homeoffice mobiles arbeiten zuhause telearbeit; öffnet geöffnet öffnungszeiten offen öffnung; schließt geschlossen schließung schließzeit;
kündigen kündigung kündigungsfrist beenden beendigung; anmelden anmeldung registrieren registrierung; abmelden abmeldung;
verloren verlust verlieren abhanden; bezahlen zahlen zahlung zahlbar entrichten überweisen; erstatten erstattung erstattet rückzahlung zurückzahlen;
beantragen antrag anfordern; genehmigen genehmigung genehmigt erlaubnis bewilligen zustimmung; erlaubt gestattet zulässig dürfen zugelassen;
verboten untersagt unzulässig; auto wagen fahrzeug pkw kfz; arzt ärztin praxis; chef chefin leiter leitung vorgesetzte führungskraft;
vorsitzender vorsitzende vorsitz vorstand; mitarbeiter mitarbeiterin beschäftigte arbeitnehmer angestellte personal belegschaft;
kunde kunden käufer auftraggeber; verdienen verdient gehalt lohn einkommen; strafe bußgeld geldbuße vertragsstrafe;
versichert versicherung versicherer; lieferung liefern geliefert lieferzeit; gewährleistung garantie; reparatur reparieren instandsetzung;
reinigen reinigung säubern putzen gereinigt; wechseln austauschen ersetzen erneuern; ruhe ruhezeit lärm nachtruhe;
parken parkplatz stellplatz abstellen; kinder kind jugendliche; besucher gäste gast; wohnung apartment; termin datum zeitpunkt;
sitzung versammlung besprechung treffen; gewählt wahl gewählte; gründen gegründet gründung; gebaut erbaut errichtet baujahr; umsatz erlöse einnahmen;
gewinn überschuss ergebnis; schulden verbindlichkeiten; anteil prozent quote; laptop notebook rechner; rechnung rechnungen faktura;
frist fristen zeitraum; schulung kurs unterricht fortbildung; müll abfall entsorgung; haustier haustiere hund katze tierhaltung;
ouvrir ouvre ouvert ouverte ouverture horaires; fermer ferme fermé fermée fermeture; résilier résiliation annuler annulation;
rembourser remboursement remboursé; payer paiement réglé versement facturé facture; coûter coûte prix tarif frais montant; loyer location louer bail;
inscrire inscription inscrit adhésion; employé employés salarié salariés personnel effectif effectifs; patron dirigeant directeur directrice gérant;
fonder fondé fondée création créé créée; né née naissance; mort morte décès décédé; épouse époux mari femme mariage; délai échéance préavis durée;
conserver conservation garder garde; remplacer remplacement changer; panne défaut défectueux; vol volé perdu perte;
assuré assurance assureur couvert couverte; amende pénalité caution; autorisé permis; interdit défendu; enfant enfants mineur mineurs;
voiture véhicule auto; poids peser pèse; chiffre affaires ventes; signaler déclarer déclaration; téléphone joindre appeler contacter;
étudiant étudiants; annuel annuelle an année; abrir abre abierto apertura horario; cerrar cierra cerrado cierre;
cancelar cancelación anular rescindir rescisión; devolver devolución reembolso reembolsar; pagar pago pagos abonar abono;
costar cuesta precio tarifa coste importe; alquiler alquilar arrendamiento renta; inscribirse inscripción matrícula;
empleado empleados trabajador trabajadores plantilla personal; jefe director directora gerente responsable; fundar fundada fundación creada;
nacer nació nacimiento; morir murió muerte fallecer falleció; casarse casó marido esposo esposa mujer; plazo término;
publicar publicó publicado apareció editorial; escribir escribió autor autora; estudiar estudió licenció formación; conservar guardar;
garantía cobertura; multa sanción; coche vehículo automóvil; niño niños menores; aprire apre aperto aperta apertura orari;
chiudere chiude chiuso chiusura; annullare annullo annullamento recesso recedere disdetta disdire; rimborso rimborsare rimborsato;
pagare pagamento versare saldo dovuto; costare costa prezzo tariffa costo spese quota; affitto affittare canone; iscrizione iscriversi;
dipendente dipendenti personale impiegati; direttore direttrice responsabile capo; fondata fondato fondazione; nato nata nascita; morto morta morte;
termine scadenza entro; bagaglio valigia; bambino bambini; garanzia assicurazione; multa penale sanzione; auto macchina veicolo;
abrir abre aberto aberta abertura horário; fechar fecha fechado fechada encerra; cancelar cancelamento rescindir rescisão;
devolver devolução reembolso; pagar pagamento pago; custar custa preço valor tarifa; alugar aluguer aluguel arrendar;
funcionário funcionários empregados trabalhadores pessoal; diretor diretora gerente responsável; fundada fundado fundação; nascer nasceu nascimento;
morrer morreu morte; prazo período; reunião assembleia; obras obra reparação; criança crianças; carro veículo automóvel;
openen open geopend openingstijden opening; sluiten gesloten sluit sluiting; opzeggen opzegging opzegtermijn annuleren annulering;
terugbetaling terugbetalen vergoeding; betalen betaling betaald; kosten kost prijs tarief bedrag; huur huren verhuur;
aanmelden inschrijven inschrijving; medewerker medewerkers werknemers personeel; directeur baas leidinggevende; opgericht oprichting; geboren geboorte;
overleden overlijden; termijn duur; afval vuilnis; ophalen opgehaald inzameling; kwijt verloren verlies; boete sanctie; legen geleegd leging;
kinderen kind; fiets fietsen; lead leads run runs manage manages manager managed; coordinate coordinates coordinator; discount reduced half reduction;
gather meet assembly meeting; forget forgotten lost left; diriger dirige dirigée directeur directrice responsable;
dirigir dirige director directora administra administrador preside; dirigere dirige direttore direttrice guida guidato guidata;
smarrire smarrito smarrisce perdere perso perde; prendere prestito; tenere tengono tenuto;
dirigir dirige diretor diretora administra administrador preside; leiden leidt leider directeur hoofd; vervangen vernieuwen wisselen;
schoonmaken schoon reinigen wassen; tardar tardarán tarda durar duran durarán dura; arreglar arreglará reparar cambiar; مدير رئيس يدير تدير;
موظف موظفين موظفي عامل عاملين; فتح تفتح يفتح دوام أوقات افتتح; إغلاق تغلق يغلق مغلق; غرامة عقوبة; إعارة استعارة; فقد مفقود مفقودة أضاع ضاع أضعت;
إيجار أجرة استئجار; تأسس تأسست افتتحت أنشئت; عضوية عضو اشتراك
`
  .split(';')
  .map((group) => group.trim().replace(/\s+/g, ' '));
