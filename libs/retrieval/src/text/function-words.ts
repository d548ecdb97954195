/** Articles, pronouns, prepositions and the like: a sentence begins with one, and a line that ends with one goes on. */
const WORDS = `
a an the this that these those it its he she they we i you his her their our your there here in on at by for from to of with as if
when while although because since after before during under over through and or but so however therefore thus then no not all
each every any some such both neither either what which who where how why is are was were has have had does did will would may
can should must shall according please
der die das den dem des ein eine einer einem einen eines er sie es wir ihr ich man dies diese dieser dieses diesem diesen im in am an
auf aus bei beim bis durch für gegen mit nach ohne um unter über vom von vor zu zum zur zwischen und oder aber denn doch sondern
wenn falls weil da dass ob obwohl während nachdem bevor damit danach dann dort hier jedoch daher deshalb außerdem sowie als wie
nicht kein keine auch nur ist sind war waren wird werden wurde wurden hat haben kann muss soll darf bitte alle jede jeder jedes
le la les un une des du de au aux ce cet cette ces il elle ils elles on nous vous je son sa ses leur leurs dans en par pour sur sous
avec sans chez vers entre et ou mais donc car si quand lorsque comme que qui ne pas est sont a ont sera toutefois ainsi tout tous
el los las una unos unas al del este esta estos estas ese esa él ella ellos ellas se su sus con sin por para según sobre entre y o
pero porque cuando como si no es son fue será también además todo todos cada
il lo gli i uno questo questa questi queste egli essa essi si suo sua loro di da con su per tra fra e ed ma perché se quando come
non è sono era sarà nel nella nei nelle dal dalla del della dei delle al alla ai alle anche inoltre ogni
os as um uma uns umas ao aos à às do da dos das no na nos nas pelo pela este esta isto ele ela eles elas seu sua com sem por para
sobre entre e ou mas porque quando como se não é são foi será também além cada todo todos
de het een dit dat deze die hij zij ze wij we u ik hun zijn haar in op aan bij door met naar om onder over tot uit van voor zonder en
of maar want dus als wanneer omdat terwijl niet geen ook is was werd wordt worden heeft hebben kan moet zal alle elke
في من على إلى الى عن أن ان إن هذا هذه ذلك تلك التي الذي الذين هو هي هم نحن أنا لا لم لن كان كانت قد كل بعض أو او ثم مع كما حيث إذا لكن
عند منذ حتى غير بعد قبل بين خلال حول ضد تحت فوق دون و`;

/** Of the languages with most documents, lower case. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/).filter(Boolean));
