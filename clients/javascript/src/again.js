import { sleep, system } from "./clock.js";
import { NetworkError } from "./errors.js";

const FIRST = 250; // milliseconds
const LONGEST = 30; // seconds of a pause, and those that the service may ask for
const PASSING = [502, 503, 504];

/**
 * Do some work again while its errors pass: at most `retries` times more. A 429 had no effect, so
 * it is always done again; what else fails only if the work is `repeatable`. With `moved`, which
 * says whether the work got further since it was last asked, only attempts in a row without
 * progress count. `passing` are the statuses that pass, `longest` the seconds that the service may
 * ask for.
 */
export async function again(
  work,
  {
    retries = 3,
    signal,
    repeatable = true,
    clock = system,
    moved,
    passing = PASSING,
    longest = LONGEST,
  } = {},
) {
  for (let count = 0; ; count += 1) {
    try {
      return await work();
    } catch (error) {
      if (moved?.()) count = 0;
      const passes =
        error.status === 429 ||
        (repeatable && (error instanceof NetworkError || passing.includes(error.status)));
      const least = error.retryAfter ?? 0;
      if (!passes || count >= retries || least > longest) throw error;
      // Clients that failed at the same moment are not to come again at the same moment.
      const pause = Math.min(FIRST * 2 ** count, LONGEST * 1000) * (0.5 + Math.random());
      await sleep(Math.max(pause, least * 1000), signal, clock);
    }
  }
}
