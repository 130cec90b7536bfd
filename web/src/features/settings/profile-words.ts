/** What is said of a profile. Pure. */
import type { ProfileInfo } from "@/generated/daemon";

const KINDS: Record<ProfileInfo["kind"], string> = {
  chat: "Chat completions",
  responses: "Responses",
  copilot: "GitHub Copilot",
  tour: "Scripted and offline, not an AI",
};

/** "Chat completions · openrouter.ai" */
export function profileFacts({ kind, base_url: baseUrl }: ProfileInfo): string {
  let host = baseUrl;
  try {
    host = new URL(baseUrl).host;
  } catch {
    // As it is written.
  }
  return [KINDS[kind], host].filter((text) => text !== "").join(" · ");
}

/** Where the key lies, in words. */
export function keyWords({ key_place: place, key_variable: variable }: ProfileInfo): string {
  switch (place) {
    case "none":
      return "no key needed";
    case "keyring":
      return "system keychain";
    case "file":
      return "private file";
    case "environment":
      return `environment, ${variable}`;
  }
}

/** "••••••••9fQa"; "" when there is no key. */
export function maskedKey({ key_hint: hint }: ProfileInfo): string {
  return hint === "" ? "" : `••••••••${hint.replace(/^…/, "")}`;
}

/** What the choice of a profile is called: "OpenRouter · qwen3". */
export function choiceWords({ name, model }: ProfileInfo): string {
  return model === "" ? name : `${name} · ${model}`;
}
