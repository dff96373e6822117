"""What bots say in Romanian: lines about cards, luck and themselves, never about a person."""

from services.bot.chatter.occasions import Occasion

POLITE: dict[Occasion, tuple[str, ...]] = {
    Occasion.GREETING: (
        "Bună seara la masă! Cărțile să fie cu noi.",
        "M-am așezat. Scaunul e bun, sper să fie și cărțile.",
        "Spor la joc tuturor! Eu mi-am încălzit degetele.",
    ),
    Occasion.CHOOSING: (
        "Aleg eu? Fie, dar să nu-mi reproșez pe urmă.",
        "Hai să vedem ce n-am stricat încă.",
        "Asta zic să fie. Inima zice, capul mai socotește.",
    ),
    Occasion.BID_NOTHING: (
        "Zero. Mă uit și eu pe geam runda asta.",
        "Nimic, mulțumesc, sunt la regim.",
        "Zero, că e cifră rotundă.",
    ),
    Occasion.BID_BIG: (
        "Îndrăznesc. Cine nu riscă, nu numără.",
        "Licitez mare; acum să nu tremure cartea.",
        "Mi-a venit curaj odată cu cărțile.",
    ),
    Occasion.BID_EVERYTHING: (
        "Toate! Am spus-o și nu mai pot da înapoi.",
        "Toate. Rog liniște la pupitru.",
        "Le iau pe toate, cu coșul.",
    ),
    Occasion.BID_LAST: (
        "Mie mi-a rămas ce nu se potrivește, ca de obicei.",
        "Ultimul la rând, primul la necaz.",
        "Aș fi zis altceva, dar regula-i regulă.",
    ),
    Occasion.OVERBID: (
        "Supralicitat: mai multe guri decât felii de tort.",
        "S-au cerut mai multe decât sunt. Iese cu fum.",
        "La masa asta e mai multă speranță decât levate.",
    ),
    Occasion.UNDERBID: (
        "Sublicitat: cineva pleacă acasă cu un pachet nedorit.",
        "Rămân levate pe dinafară. Cine le adoptă?",
        "Toată lumea modestă, suspect.",
    ),
    Occasion.TRICK_TAKEN: (
        "Asta vine la mine, că am loc.",
        "Una la grămăjoară.",
        "Levata asta știa drumul spre casă.",
        "Mulțumesc, tocmai o așteptam.",
    ),
    Occasion.TRICK_UNWANTED: (
        "Pe asta n-o voiam, pe cuvânt.",
        "Am cerut puțin și mi se dă mult. Ca la bunica.",
        "O levată în plus: cadou fără bon.",
    ),
    Occasion.BURNED: (
        "M-am ars. Aduce cineva niște iaurt?",
        "Socoteala de acasă s-a ars în târg.",
        "Miroase a mine, puțin cam rumenit.",
    ),
    Occasion.MADE_IT: (
        "Fix cât am zis. Și eu sunt mirat.",
        "La milimetru! Las cărțile jos și mă înclin.",
        "A ieșit. Nu întrebați cum.",
    ),
    Occasion.ALL_IN_MADE: (
        "Pe toate! Seara asta o pun în ramă.",
        "All in și am ieșit întreg. Îmi iese și mie o dată pe an.",
        "Toate levatele acasă. Stingeți lumina.",
    ),
    Occasion.ALL_BURNED: (
        "Ne-am ars cu toții. Măcar e cald.",
        "Grătar general! Se reface, pe dublu.",
        "Nimeni n-a ieșit; matematica e tristă azi.",
    ),
    Occasion.PERFECT_ORBIT: (
        "Orbită perfectă. Acum pot să mă laud până la iarnă.",
        "Nicio arsură toată orbita. Mi-am pus halat ignifug.",
        "Douăzeci în plus, și nici n-am transpirat. Mult.",
    ),
    Occasion.TOTALE_MINUS: (
        "Totale minus: azi sunt alergic la roșu.",
        "Damele și caroul pe la vecini, vă rog.",
        "Mă fac mic și sper să nu mă vadă popa.",
    ),
    Occasion.TOTALE_PLUS: (
        "Totale plus: am deschis coșul, aruncați.",
        "Acum îmi plac damele. Așa-i viața.",
        "Vânătoarea de puncte! Mi-am adus plasa.",
    ),
    Occasion.KING_TAKEN: (
        "A venit popa în vizită, tocmai la mine.",
        "Popa de inimă direct la inimă.",
        "L-am luat pe popa. Aprind o lumânare.",
    ),
    Occasion.KING_GIVEN: (
        "Am scăpat de popă. Mi s-a luat o piatră.",
        "Popa pleacă la drum. Călătorie sprâncenată.",
        "Gata cu predica, popa s-a mutat.",
    ),
    Occasion.TAKING_ALL: (
        "Toate punctele la mine… Cine-a zis să mă opresc?",
        "Miroase a „ia tot” pe aici.",
        "Am început colecția. Mai lipsesc câteva piese.",
    ),
    Occasion.SEPTICA_CUT: (
        "Tai! Că de-aia e ascuțită.",
        "O tăietură mică, chirurgicală.",
        "Am tăiat. Ața și acul, la partener.",
    ),
    Occasion.SEPTICA_GO_ON: (
        "Nu se lasă așa. Mai am una.",
        "Continui. Povestea abia începe.",
        "Încă un rând, casa dă.",
    ),
    Occasion.SEPTICA_LEAVE: (
        "O las. Am eu altele mai bune de pierdut.",
        "Las levata, să nu zică lumea că-s zgârcit.",
        "Treacă de la mine.",
    ),
    Occasion.SEPTICA_POINTS: (
        "Grasă levata asta! Ne-am pus de-o ciorbă.",
        "Puncte la echipă. Bate palma, partenere!",
        "Așii și zecarii, la noi e cald.",
    ),
    Occasion.PIELE: (
        "Miroase a piele pe aici… tăbăcărie curată.",
        "Nicio levată dincolo. Scoateți cuiele, întindem pielea.",
        "Dacă ține tot așa, ieșim cu haină nouă.",
    ),
    Occasion.HAND_WON: (
        "Frumoasă mână. O dau la rămas bun cu părere de rău.",
        "S-au strâns punctele, ca vrăbiile la firimituri.",
        "Așa mâini să tot aleg.",
    ),
    Occasion.HAND_LOST: (
        "M-a costat cât o nuntă mâna asta.",
        "Punctele au plecat; măcar au închis ușa încet.",
        "Trec pe minus și pe ceai de tei.",
    ),
    Occasion.QUEEN_TAKEN: (
        "O damă a venit nepoftită. I-am dat scaun.",
        "Damele țin la mine mai mult decât e cazul.",
        "Am luat o damă; cavalerul costă.",
    ),
    Occasion.ACE_PLACED: (
        "Un as și mai vin o dată, cu voia dumneavoastră.",
        "Asul la capăt, și încă un pas.",
        "Cu asul ăsta stau la rând de două ori.",
    ),
    Occasion.SEVEN_PLACED: (
        "Un șapte mic și o pauză pentru cine urmează.",
        "Pun șaptele. Cine urmează își bea cafeaua.",
        "Semafor roșu: a ieșit un șapte.",
    ),
    Occasion.PASSED: (
        "Am stat pe bară; acum intru și eu.",
        "N-am avut ce pune. Acum am, și nu mă grăbesc.",
        "Data trecută m-am uitat la masă ca la vitrină.",
    ),
    Occasion.LAST_CARD: (
        "Ultima carte. Mâinile mele sunt libere!",
        "Gata, am terminat. Cine face cafeaua?",
        "Am rămas fără cărți, dar cu zâmbetul.",
    ),
    Occasion.WINNING: (
        "Sunt în frunte. Nu mă treziți.",
        "De aici, de sus, se vede frumos.",
        "Conduc eu; să sperăm că știu drumul.",
    ),
    Occasion.LOSING: (
        "Sunt ultimul, dar am vedere la toți.",
        "Scorul meu e un minus cu vise mari.",
        "Recuperez. În ce an, nu spun.",
    ),
    Occasion.WAITING: (
        "Cărțile astea au umor.",
        "Norocul meu e la o țigară, vine acum.",
        "Mă gândesc… adică mă prefac, dar bine.",
        "Frumoasă mână. Păcat că e a mea.",
    ),
}

UNCENSORED: dict[Occasion, tuple[str, ...]] = {
    Occasion.GREETING: (
        "Hai noroc! Să crape cărțile, nu noi.",
        "Am venit să mă ard pe cinste. Dă-i drumu'!",
        "Seara bună, buzunare goale, cărți de rahat. Să-nceapă!",
    ),
    Occasion.CHOOSING: (
        "Aleg eu și pe urmă mă bat cu pumnii în cap.",
        "Pe asta o iau, dracu' știe de ce.",
        "Hai cu asta, că oricum ne doare la toate.",
    ),
    Occasion.BID_NOTHING: (
        "Zero. Cu mâna asta nici mâță n-aș cumpăra.",
        "Zero barat. Cărți de șters pe jos.",
        "Nimic, nada, țeapă. Asta mi-a dat pachetul.",
    ),
    Occasion.BID_BIG: (
        "Mult, că mi s-a urcat asul la cap.",
        "Licitez ca prostu' la nuntă, cu inimă largă.",
        "Ori ies, ori mă ard de-mi sar fulgii.",
    ),
    Occasion.BID_EVERYTHING: (
        "Toate, fir-ar să fie! O dată trăiesc.",
        "Pe toate, și dacă mă ard, măcar să iasă fum.",
        "All in, cu curu' pe jar.",
    ),
    Occasion.BID_LAST: (
        "Ultimul la licitație: mie-mi rămâne osul.",
        "Normal, fix ce voiam nu se poate. Mama ei de regulă!",
        "Mi-au lăsat doar prostii de licitat, și le licitez frumos.",
    ),
    Occasion.OVERBID: (
        "Supralicitat. Se arde cineva de pute până la colț.",
        "Prea multe pofte, prea puține levate. Iese cu scântei!",
        "S-a cerut cât la balamuc. Frumos.",
    ),
    Occasion.UNDERBID: (
        "Sublicitat. Levata aia în plus umblă ca boala.",
        "Nimeni nu vrea nimic, și cineva tot o să ia o țeapă.",
        "Rămâne o levată a nimănui. Ptiu, să nu dea la mine!",
    ),
    Occasion.TRICK_TAKEN: (
        "Hopa! Vino la tata.",
        "Asta-i a mea, și cu coji cu tot.",
        "Am luat-o, fir-ar ea să fie de frumoasă.",
        "Pac! Ca musca în lapte.",
    ),
    Occasion.TRICK_UNWANTED: (
        "La naiba, ce să fac eu cu asta?",
        "Băga-mi-aș picioarele, iar iau când nu vreau!",
        "Levată nedorită, ca burta după sărbători. Drace!",
    ),
    Occasion.BURNED: (
        "M-am ars de-mi fumegă izmenele.",
        "Ars, prăjit, scrum. Băga-mi-aș picioarele în licitația mea!",
        "Futu-i norocul lui, iar m-am fript!",
    ),
    Occasion.MADE_IT: (
        "Fix! Ca dracu', cu șublerul.",
        "A ieșit, mama lui de calcul! Îs deștept din greșeală.",
        "La fix, și nici n-am știut ce fac.",
    ),
    Occasion.ALL_IN_MADE: (
        "TOATE! Să-mi bag unghia-n gât dacă mai cred!",
        "All in, drăcia dracului, și-am ieșit întreg!",
        "Le-am luat pe toate, de-a rămas masa în chiloți.",
    ),
    Occasion.ALL_BURNED: (
        "Ne-am ars toți, ca mititeii la hram.",
        "Dezastru general, ce dracu' de pachet! Dublu și înapoi.",
        "Toți fripți. Mirosul ăsta nu mai iese din perdele.",
    ),
    Occasion.PERFECT_ORBIT: (
        "Orbită perfectă, să mor de nu! Cur mai gros n-a văzut pachetul.",
        "Nicio arsură. Am izmene de azbest, frate!",
        "Douăzeci pe gratis. Mamă, ce noroc porcesc!",
    ),
    Occasion.TOTALE_MINUS: (
        "Totale minus. Damele naibii, la distanță!",
        "Cine-a băgat atâta carou în pachet, mânca-l-ar moliile?",
        "Fug de popa ăla ca dracu' de tămâie.",
    ),
    Occasion.TOTALE_PLUS: (
        "Totale plus: dați încoace toată putreziciunea!",
        "Acum îmi place și popa, ce jeg de joc!",
        "Puncte, puncte, veniți la mine, fir-ați voi să fiți.",
    ),
    Occasion.KING_TAKEN: (
        "Popa dracului, fix la mine trebuia!",
        "L-am luat pe popa. Băga-mi-aș în norocul meu!",
        "Popă în freză. Rahat cu inimioare.",
    ),
    Occasion.KING_GIVEN: (
        "Pa, popă! Și nu mai veni, la naiba.",
        "Am scăpat de ciuma aia roșie cu barbă.",
        "Zboară popa, frate, cu sutană cu tot!",
    ),
    Occasion.TAKING_ALL: (
        "Le iau pe toate, pe cuvântu' meu de nesimțit norocos.",
        "Miroase a „ia tot”, și nu-i de la picioarele mele.",
        "Toate porcăriile la mine. Exact așa, drăcia dracului!",
    ),
    Occasion.SEPTICA_CUT: (
        "Tai-o, că sângerează frumos!",
        "Hârști! Ca porcul de Ignat.",
        "Am tăiat, futu-i, că mă mânca palma.",
    ),
    Occasion.SEPTICA_GO_ON: (
        "Nu las, nici mort. Mai am!",
        "Încă una, peste bot levatei ăsteia!",
        "Continui, că-s încăpățânat ca dracu'.",
    ),
    Occasion.SEPTICA_LEAVE: (
        "O las, duce-s-ar învârtindu-se.",
        "Las rahatul ăsta, nu merită un șeptar.",
        "La naiba cu levata asta, am nervii scurți.",
    ),
    Occasion.SEPTICA_POINTS: (
        "Grasă levata, ca scroafa la Crăciun!",
        "Puncte, băi! Se linge echipa pe degete.",
        "Am supt levata asta până la os.",
    ),
    Occasion.PIELE: (
        "Pute a piele aici, frate, ca-n tăbăcărie!",
        "Îi jupuim pe toți asii! Pe nasturi!",
        "Nicio levată dincolo. Iese piele, să-mi trag o palmă!",
    ),
    Occasion.HAND_WON: (
        "Grasă mână, frate! Îmi curge untura pe bărbie.",
        "Puncte cu lopata, să moară dracii de ciudă!",
        "Ce mână, băi! Îmi vine s-o sărut pe frunte.",
    ),
    Occasion.HAND_LOST: (
        "M-a jupuit mâna asta ca pe iepure, la naiba.",
        "Am încasat-o de mi-au sărit capacele.",
        "Minus cât casa. Norocul meu de rahat!",
    ),
    Occasion.QUEEN_TAKEN: (
        "Iar o damă pe capul meu, drace!",
        "Damele naibii, numai la mine trag.",
        "Am luat-o pe dama asta ca prostul la iarmaroc.",
    ),
    Occasion.ACE_PLACED: (
        "As, frate! Și mai dau una, să usture.",
        "Pun asul și nu mă ridic de la masă, mânca-l-aș!",
        "Asul jos și bag și una după el, la naiba!",
    ),
    Occasion.SEVEN_PLACED: (
        "Șapte! Stai acolo și rabdă, cine-oi fi.",
        "Am pus lacătul, să-mi bag picioarele, ce bine se închide!",
        "Un șapte în freză la cine urmează.",
    ),
    Occasion.PASSED: (
        "Am stat ca prostul la gard, fără carte.",
        "Nimic de pus, ca naiba! Acum mă răzbun.",
        "Am dat pas de ciudă, fir-ar masa asta a dracului.",
    ),
    Occasion.LAST_CARD: (
        "Gata! N-am nicio carte, pupați-mă pe portofel.",
        "Ultima, frate! Să vă văd acum, la naiba!",
        "Am ieșit. Cine rămâne strânge rahatul.",
    ),
    Occasion.WINNING: (
        "Conduc! Noroc chior, dar al meu.",
        "Sunt primul, de-mi vine să mă pup în fund.",
        "Sus, frate! De aici scuip în pachet.",
    ),
    Occasion.LOSING: (
        "Sunt ultimul. Mai rău de-atât e doar cafeaua rece.",
        "Scorul meu arată ca dracu', da' am suflet.",
        "Sunt atât de jos că găsesc mărunțiș sub masă.",
    ),
    Occasion.WAITING: (
        "Ce cărți de rahat! Scuze, dar chiar sunt.",
        "Norocul meu s-a dus după țigări acum zece ani.",
        "Mâna asta-i de aruncat cu tot cu mână.",
        "Gândesc, drace, gândesc. Se aude?",
    ),
}
