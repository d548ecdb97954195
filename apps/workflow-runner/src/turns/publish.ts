import { continueText, type TurnContext, withoutPictures } from '@app/agents';

/** Told before it is awaited that Postgres has it: so much may be ahead of the log. */
const AHEAD = 4_000;

/** Tells the pieces of an answer as they come; of an answer that is made again, only what was not told yet. */
export async function publish(context: TurnContext, pieces: AsyncIterable<string>): Promise<void> {
  const { text } = context.published;
  let ahead = 0;
  for await (const piece of withoutPictures(text, continueText(text, pieces))) {
    context.text(piece);
    ahead += piece.length;
    if (ahead < AHEAD) continue;
    await context.flush();
    ahead = 0;
  }
}
