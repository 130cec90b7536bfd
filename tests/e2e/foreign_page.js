// Everything a page of another origin can try against a server on this machine.
// Each attempt resolves to what the page could read of the answer: it should be nothing.

const NOTHING = "nothing readable";
const LIMIT = 8000;

const readable = async (answer) => {
  if (answer.type === "opaque") return NOTHING;
  return `status ${answer.status}: ${await answer.text()}`;
};

const fetching = (options) => async (url) => {
  try {
    return await readable(await fetch(url, options));
  } catch {
    return NOTHING;
  }
};

const posting = (type, body, mode) =>
  fetching({ method: "POST", mode, headers: { "Content-Type": type }, body });

const element = (tag, attributes) => (url) =>
  new Promise((resolve) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes(url))) made[name] = value;
    made.onerror = () => resolve(NOTHING);
    made.onload = () => resolve(frameText(made));
    document.documentElement.append(made);
  });

// An iframe or object fires `load` for an error page too: what counts is whether it can be read.
const frameText = (made) => {
  if (!("contentWindow" in made)) return `loaded ${made.tagName}`;
  try {
    return `read ${made.contentWindow.document.body.textContent}`;
  } catch {
    return NOTHING;
  }
};

const form = (method, enctype) => (url) =>
  new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.name = `frame-${url}`;
    const made = document.createElement("form");
    Object.assign(made, { action: url, method, enctype, target: frame.name });
    const field = document.createElement("input");
    Object.assign(field, { name: '{"text":"', value: '"}' });
    made.append(field);
    document.documentElement.append(frame, made);
    frame.onload = () => {
      if (frameText(frame) === NOTHING) resolve(NOTHING);
    };
    made.submit();
  });

const socket = (protocols) => (url) =>
  new Promise((resolve) => {
    const made = new WebSocket(url.replace("http", "ws"), protocols);
    made.onopen = () => resolve("opened");
    made.onerror = () => resolve(NOTHING);
  });

const ATTEMPTS = {
  fetch: fetching({}),
  fetchNoCors: fetching({ mode: "no-cors" }),
  fetchWithToken: fetching({ headers: { Authorization: "Bearer guess" } }),
  fetchWithCookies: fetching({ credentials: "include" }),
  fetchHealth: fetching({}),
  xhr: (url) =>
    new Promise((resolve) => {
      const made = new XMLHttpRequest();
      made.open("GET", url);
      made.onload = () => resolve(made.responseText);
      made.onerror = () => resolve(NOTHING);
      made.send();
    }),
  postText: posting("text/plain", '{"text":"x"}', "no-cors"),
  postJson: posting("application/json", '{"text":"x"}', "cors"),
  postExchange: posting("text/plain", '{"ticket":"guess"}', "no-cors"),
  beacon: async (url) => {
    navigator.sendBeacon(url, '{"text":"x"}');
    return NOTHING;
  },
  form: form("post", "application/x-www-form-urlencoded"),
  formAsText: form("post", "text/plain"),
  formGet: form("get", "application/x-www-form-urlencoded"),
  image: element("img", (url) => ({ src: url })),
  script: element("script", (url) => ({ src: url })),
  moduleScript: element("script", (url) => ({ type: "module", src: url })),
  style: element("link", (url) => ({ rel: "stylesheet", href: url })),
  iframe: element("iframe", (url) => ({ src: url })),
  objectElement: element("object", (url) => ({ data: url, type: "text/html" })),
  eventSource: (url) =>
    new Promise((resolve) => {
      const made = new EventSource(url);
      made.onopen = () => resolve("opened");
      made.onerror = () => {
        made.close();
        resolve(NOTHING);
      };
    }),
  openWindow: async (url) => {
    const made = window.open(url);
    if (!made) return "no window was opened";
    await new Promise((resolve) => setTimeout(resolve, 500));
    try {
      return `read ${made.document.body.textContent}`;
    } catch {
      return NOTHING;
    } finally {
      made.close();
    }
  },
  webSocket: socket([]),
  webSocketWithTicket: socket(["lar.v1", "ticket.guess"]),
  pageFile: element("script", (url) => ({ src: url })),
};

const bounded = (promise) =>
  Promise.race([
    promise,
    new Promise((resolve) => setTimeout(resolve, LIMIT, "no answer in time")),
  ]);

window.attack = async (base, attempts) => {
  const report = [];
  for (const [name, path] of attempts) {
    report.push({ name, outcome: await bounded(ATTEMPTS[name](base + path)) });
  }
  return report;
};
