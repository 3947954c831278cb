/** The service refused, or something between it and here did. */
export class ApiError extends Error {
  name = "ApiError";

  constructor(status, problem, headers) {
    const { code, error, title, detail, error_description, errors, requestId } = problem ?? {};
    const cause = code ?? error ?? null;
    const text = detail ?? error_description ?? `The answer has the status ${status}.`;
    super(`${status} ${cause ?? ""}: ${text}`.replace(" :", ":"));
    this.status = status;
    this.code = cause;
    this.title = title ?? null;
    this.detail = text;
    this.requestId = requestId ?? headers?.get("X-Request-Id") ?? null;
    this.errors = errors ?? [];
    this.retryAfter = seconds(headers);
    this.problem = problem;
  }

  /** The error that a response is, whose body is read. */
  static async of(response, parse = JSON.parse) {
    return new ApiError(response.status, object(await response.text(), parse), response.headers);
  }
}

/** No answer came, or none in time. */
export class NetworkError extends Error {
  name = "NetworkError";
}

/** Nothing was sent or published: `problems`, of {code, detail, …}, say why. */
export class PublishError extends Error {
  name = "PublishError";

  constructor(problems) {
    super(problems.map(({ code, detail }) => `${code}: ${detail}`).join(" "));
    this.problems = problems;
  }
}

function object(text, parse) {
  try {
    const found = parse(text);
    return typeof found === "object" ? found : null;
  } catch {
    return null; // a proxy's page
  }
}

// Of a number of seconds, or of a date, which a proxy may send (RFC 9110 §10.2.3). Its own clock
// counts, where script may read it.
function seconds(headers) {
  const value = headers?.get("Retry-After");
  if (!value) return null;
  const now = Date.parse(headers.get("Date")) || Date.now();
  const found = Number.isNaN(+value) ? (Date.parse(value) - now) / 1000 : +value;
  return Number.isNaN(found) ? null : Math.max(0, found);
}
