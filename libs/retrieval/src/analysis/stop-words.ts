const ENGLISH = `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves what which who whom this that these those am is are was were be been being
have has had having do does did doing a an the and but if or because as until while of at by for with about against between
into through during before after above below to from up down in out on off over under again further then once here there
when where why how all any both each few more most other some such no nor not only own same so than too very s t can will
just don should now ll ve re d m`;

/** As they look after folding. */
const ARABIC = `في من علي الي عن ان انه انها هذا هذه ذلك تلك التي الذي الذين اللاتي هو هي هم هن نحن انا انت ما ماذا لا لم لن كان كانت
يكون تكون قد كل بعض او ثم مع كما كيف متي اين هل بين حيث اذا لكن عند عندما منذ حتي غير بعد قبل كم لماذا اي ايضا به بها له لها
فيه فيها منه منها عليه عليها اليه اليها و ف ب ل ك`;

/** Words too common to tell one passage from another. */
export const STOP_WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${ARABIC}`.split(/\s+/));
