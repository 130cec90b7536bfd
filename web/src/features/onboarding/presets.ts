/** Services that a person has a key of, and the name that an address gets. Pure. */

export interface Preset {
  /** What it is called, and what its profile is called. */
  name: string;
  baseUrl: string;
}

export const PRESETS: readonly Preset[] = [
  { name: "OpenRouter", baseUrl: "https://openrouter.ai/api/v1" },
  { name: "OpenAI", baseUrl: "https://api.openai.com/v1" },
  { name: "Anthropic", baseUrl: "https://api.anthropic.com/v1" },
  { name: "Google Gemini", baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai" },
  { name: "Mistral", baseUrl: "https://api.mistral.ai/v1" },
  { name: "DeepSeek", baseUrl: "https://api.deepseek.com/v1" },
  { name: "Groq", baseUrl: "https://api.groq.com/openai/v1" },
  { name: "xAI", baseUrl: "https://api.x.ai/v1" },
  { name: "Together", baseUrl: "https://api.together.xyz/v1" },
  { name: "Fireworks", baseUrl: "https://api.fireworks.ai/inference/v1" },
  { name: "Cerebras", baseUrl: "https://api.cerebras.ai/v1" },
];

/** The choice of the list that takes an address of the person's own. */
export const OWN_ADDRESS = "";

/** Names hold no slash and at most 40 characters: a session names its model as `profile/model`. */
function plainName(text: string): string {
  const plain = text
    .replace(/[^A-Za-z0-9 ._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 40)
    .replace(/[^A-Za-z0-9]+$/, "");
  return plain === "" ? "Server" : plain;
}

function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return address;
  }
}

/** Give the name for an address of the person's own that no other profile has. */
export function freeName(address: string, taken: readonly string[]): string {
  const name = plainName(hostOf(address));
  const used = new Set(taken.map((each) => each.toLowerCase()));
  if (!used.has(name.toLowerCase())) {
    return name;
  }
  for (let number = 2; ; number += 1) {
    const next = `${name.slice(0, 36)} ${number}`;
    if (!used.has(next.toLowerCase())) {
      return next;
    }
  }
}

/** An address as people paste it: without a scheme, with the route of a request at its end. */
export function tidyAddress(address: string): string {
  const trimmed = address.trim().replace(/\/+$/, "").replace(/\/(chat\/completions|responses|models)$/, "");
  if (trimmed === "" || /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) {
    return trimmed;
  }
  const isHere = /^(localhost|127\.|\[::1\])/.test(trimmed);
  return `${isHere ? "http" : "https"}://${trimmed}`;
}
