/** What places have in common: loading, doing, listening, and keeping what was typed. */
import { ApiError, NetworkError } from "../client.js";
import { useCallback, useEffect, useRef, useState } from "../vendor/preact.js";
import { keepDraft, readDraft } from "../drafts.js";
import { site } from "../base.js";
import { begun, recall, remember, shown } from "../history.js";
import { closed, onMaintenance } from "../maintenance.js";
import { news, onState, state } from "../session.js";

/** The state of the log-in; the caller is drawn again when it changes. */
export function useSession() {
  const [, draw] = useState(state);
  useEffect(() => onState(() => draw(state)), []);
  return state;
}

/**
 * @template T
 * @typedef {object} Loaded
 * @property {T | undefined} data
 * @property {unknown} error
 * @property {boolean} loading
 * @property {() => Promise<void>} reload reads it again; what is shown stays meanwhile
 * @property {(change: (data: T) => T) => void} change what is shown
 */

/** Milliseconds until what could not be read is read again, up to twice as long. */
const PAUSE = 5_000;

/** Whether the service was away, which passes.
 * @param {unknown} error */
function isPassing(error) {
  return (
    error instanceof NetworkError || (error instanceof ApiError && [502, 503, 504].includes(error.status))
  );
}

/** Read something, and again when `keys` change. What the service could not give is read again by itself.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} read
 * @param {unknown[]} keys
 * @returns {Loaded<T>} */
export function useLoad(read, keys) {
  const [found, setFound] = useState(
    /** @type {{data?: T, error?: unknown, loading: boolean}} */ ({ loading: true }),
  );
  const current = useRef(/** @type {AbortController | null} */ (null));
  const timer = useRef(0);
  const load = useCallback(async () => {
    current.current?.abort();
    clearTimeout(timer.current);
    const control = (current.current = new AbortController());
    const end = begun();
    try {
      const data = await read(control.signal);
      if (!control.signal.aborted) setFound({ data, loading: false });
    } catch (error) {
      if (control.signal.aborted) return;
      setFound(({ data }) => ({ data, error, loading: false }));
      if (isPassing(error)) timer.current = setTimeout(load, PAUSE * (1 + Math.random()));
    } finally {
      end();
    }
  }, keys);
  useEffect(() => {
    setFound({ loading: true });
    void load();
    return () => {
      clearTimeout(timer.current);
      current.current?.abort();
    };
  }, [load]);
  const failed = useRef(false);
  failed.current = found.error !== undefined;
  useEffect(() => {
    const mend = () => void (!closed && failed.current && load());
    addEventListener("online", mend);
    const end = onMaintenance(mend);
    return () => (removeEventListener("online", mend), end());
  }, [load]);
  /** @param {(data: T) => T} change */
  const change = (change) =>
    setFound((was) => (was.data === undefined ? was : { ...was, data: change(was.data) }));
  return { data: found.data, error: found.error, loading: found.loading, reload: load, change };
}

/** Do something when it is asked for, once at a time. `error` is why it failed.
 * @template {unknown[]} A
 * @param {(...values: A) => Promise<void>} work
 * @returns {{run: (...values: A) => Promise<boolean>, busy: boolean, error: unknown, clear: () => void}} */
export function useAction(work) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const running = useRef(false);
  /** @param {A} values */
  const run = async (...values) => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      await work(...values);
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { run, busy, error, clear: () => setError(null) };
}

/** Change something when it is asked for, and then do what follows, such as reading it again. What
 * `run` is given is the change.
 * @param {() => unknown} then */
export function useChange(then) {
  return useAction(async (/** @type {() => Promise<unknown>} */ change) => {
    await change();
    await then();
  });
}

/** Show a change of what was read at once, and take it back if it is refused. What `run` is given is the
 * change of what is shown, and that of the service.
 * @template T
 * @param {Loaded<T>} of */
export function useInstant(of) {
  return useAction(
    async (/** @type {(data: T) => T} */ shown, /** @type {() => Promise<unknown>} */ change) => {
      const before = of.data;
      of.change(shown);
      try {
        await change();
      } catch (error) {
        if (before !== undefined) of.change(() => before);
        throw error;
      }
    },
  );
}

/** Whether the browser has not lost its network since the page came: on a machine without one, it says from
 * the start that it is offline. */
export function useOnline() {
  const [online, setOnline] = useState(true);
  useEffect(() => {
    const look = (/** @type {Event} */ { type }) => setOnline(type === "online");
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => (removeEventListener("online", look), removeEventListener("offline", look));
  }, []);
  return online;
}

/** Hear of each notification, of what else the socket says, such as `missed`, of its `open`, and of
 * `changed`, which a part of the page says to the others.
 * @param {"notification" | "state" | "message" | "missed" | "open" | "changed" | "notices"} kind
 * @param {(detail: any) => void} listener */
export function useNews(kind, listener) {
  const last = useRef(listener);
  last.current = listener;
  useEffect(() => {
    /** @param {Event} event */
    const hear = (event) => last.current(/** @type {CustomEvent} */ (event).detail);
    news.addEventListener(kind, hear);
    return () => news.removeEventListener(kind, hear);
  }, [kind]);
}

/** As `useState`, but kept with the entry of the history that is shown: back, forward and a reload find it as
 * it was left.
 * @template T
 * @param {string} name which nothing else at this place has
 * @param {T} initial
 * @returns {[T, (value: T) => void]} */
export function useKept(name, initial) {
  const entry = shown();
  const read = () => ({ of: entry, value: /** @type {T} */ (recall(name) ?? initial) });
  const [state, set] = useState(read);
  const now = state.of === entry ? state : read();
  /** @param {T} value */
  const keep = (value) => {
    remember(name, value);
    set({ of: shown(), value });
  };
  return [now.value, keep];
}

/** The values of a form, kept until they are sent: `[values, change, forget]`.
 * @template {Record<string, any>} T
 * @param {string} name of the form
 * @param {T} initial
 * @returns {[T, (change: Partial<T>) => void, () => void]} */
export function useDraft(name, initial) {
  const user = useSession().user?.id ?? "";
  const read = () => /** @type {T} */ ({ ...initial, ...readDraft(user, name) });
  const [values, setValues] = useState(read);
  const owner = useRef(`${user}.${name}`);
  useEffect(() => {
    if (owner.current === `${user}.${name}`) return;
    owner.current = `${user}.${name}`;
    setValues(read());
  }, [user, name]);
  /** @param {Partial<T>} change */
  const change = (change) =>
    setValues((was) => {
      const now = { ...was, ...change };
      keepDraft(user, name, now);
      return now;
    });
  const forget = () => {
    keepDraft(user, name, null);
    setValues(initial);
  };
  return [values, change, forget];
}

/** What is shown now, with the title that it gives the page.
 * @type {Set<{title: string, instead: boolean}>} */
const titled = new Set();

/** The title of the page: that of what is shown `instead` of a place, or else the place's. */
function entitle() {
  const all = [...titled];
  const found = all.find(({ instead }) => instead) ?? all.at(-1);
  if (found) document.title = `${state.unread ? `(${state.unread}) ` : ""}${found.title} – ${site}`;
}

/** The title of the page.
 * @param {string} title
 * @param {boolean} [instead] whether this is what shows that the place around it cannot be seen */
export function useTitle(title, instead = false) {
  const { unread } = useSession();
  useEffect(() => {
    const own = { title, instead };
    titled.add(own);
    entitle();
    return () => {
      titled.delete(own);
      entitle();
    };
  }, [title, unread]);
}
