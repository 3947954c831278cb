const LONGEST = 2 ** 31 - 1; // milliseconds; timers take more than that for none. They may be one too early

/** Time that only goes forward, in milliseconds. Tests give a client another one. */
export const system = {
  now: () => performance.now(),
  setTimeout: (work, ms) => setTimeout(work, Math.min(ms + 1, LONGEST)),
  clearTimeout: (timer) => clearTimeout(timer),
};

/** Wait. Rejects with the signal's reason. */
export async function sleep(ms, signal, clock = system) {
  let timer;
  try {
    await unless(signal, new Promise((resolve) => (timer = clock.setTimeout(resolve, ms))));
  } finally {
    clock.clearTimeout(timer);
  }
}

/** What the promise gives. Rejects after so many milliseconds. */
export async function within(ms, promise, clock = system) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = clock.setTimeout(() => reject(new Error(`Nothing came within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clock.clearTimeout(timer);
  }
}

/**
 * What the promise gives. Rejects with the reason of the signal as soon as that is aborted; the
 * promise then goes on for others.
 */
export async function unless(signal, promise) {
  if (!signal) return promise;
  let leave;
  const aborted = new Promise((_, reject) => {
    leave = () => reject(signal.reason);
  });
  signal.addEventListener("abort", leave);
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/**
 * A controller that `signal` aborts too, and what parts the two again. AbortSignal.any is younger
 * than the browsers that this is for.
 */
export function linked(signal) {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const leave = () => stop.abort(signal.reason);
  signal?.addEventListener("abort", leave);
  return [stop, () => signal?.removeEventListener("abort", leave)];
}
