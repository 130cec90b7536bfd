/** The one caller of `fetch`: adds the bearer, bounds the wait, types every failure. */
import { forgetSessionKey, sessionKey } from "@/lib/session-key";

const TIMEOUT_MS = 30_000;

/** An answer that is a problem, or none at all (`status` 0, `code` "unreachable"). */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, detail: string, status: number) {
    super(detail);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
  }
}

interface CallOptions {
  signal?: AbortSignal;
  /** Send no bearer: for the routes that give one. */
  open?: boolean;
  /** How long to wait: longer where a person answers. */
  timeoutMs?: number;
}

type Listener = () => void;
const signedOut = new Set<Listener>();

/** Hear when the server no longer takes this page's key; gives the function that stops it. */
export function onSignedOut(listener: Listener): () => void {
  signedOut.add(listener);
  return () => {
    signedOut.delete(listener);
  };
}

async function problemOf(response: Response): Promise<ApiError> {
  const fallback = `The server answered ${response.status}.`;
  try {
    const body: unknown = await response.json();
    const { code, detail } = body as { code?: unknown; detail?: unknown };
    return new ApiError(
      typeof code === "string" ? code : "unknown",
      typeof detail === "string" && detail !== "" ? detail : fallback,
      response.status,
    );
  } catch {
    return new ApiError("unknown", fallback, response.status);
  }
}

/** A key that is still good is always taken, however many wrong ones others have tried. */
function meansSignedOut(problem: ApiError): boolean {
  return problem.status === 401 || problem.code === "too_many_failures";
}

function headersOf(body: unknown, open: boolean): Headers {
  const headers = new Headers({ Accept: "application/json, image/*" });
  const key = open ? null : sessionKey();
  if (key !== null) {
    headers.set("Authorization", `Bearer ${key}`);
  }
  if (body !== undefined) {
    headers.set("Content-Type", body instanceof Blob ? "application/octet-stream" : "application/json");
  }
  return headers;
}

function bytesOf(body: unknown): BodyInit | null {
  if (body === undefined) {
    return null;
  }
  return body instanceof Blob ? body : JSON.stringify(body);
}

async function send(method: string, path: string, body: unknown, options: CallOptions): Promise<Response> {
  const limit = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  try {
    return await globalThis.fetch(path, {
      method,
      headers: headersOf(body, options.open === true),
      body: bytesOf(body),
      signal: options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]),
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
    });
  } catch (cause) {
    if (options.signal?.aborted === true) {
      throw cause;
    }
    throw new ApiError("unreachable", "The daemon does not answer.", 0);
  }
}

/** Give the answer to a call; one that is a problem is thrown. */
async function answerTo(method: string, path: string, body: unknown, options: CallOptions): Promise<Response> {
  const key = sessionKey();
  const response = await send(method, path, body, options);
  if (response.ok) {
    return response;
  }
  const problem = await problemOf(response);
  if (meansSignedOut(problem) && options.open !== true) {
    const current = sessionKey();
    if (current !== null && current !== key) {
      // A new key came while the old one was refused: it is not that one which is no good.
      return answerTo(method, path, body, options);
    }
    forgetSessionKey();
    for (const listener of signedOut) {
      listener();
    }
  }
  throw problem;
}

async function call<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
  const response = await answerTo(method, path, body, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

export const api = {
  get: <T>(path: string, options?: CallOptions) => call<T>("GET", path, undefined, options),
  post: <T>(path: string, body?: unknown, options?: CallOptions) => call<T>("POST", path, body, options),
  /** A `Blob` goes as its bytes, anything else as JSON. */
  put: <T>(path: string, body?: unknown, options?: CallOptions) => call<T>("PUT", path, body, options),
  bytes: async (path: string, options: CallOptions = {}) => (await answerTo("GET", path, undefined, options)).blob(),
  patch: <T>(path: string, body?: unknown, options?: CallOptions) => call<T>("PATCH", path, body, options),
  delete: <T>(path: string, options?: CallOptions) => call<T>("DELETE", path, undefined, options),
};

/** What to tell the person about a failure, whatever was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : "It did not work, and no reason was given.";
}
