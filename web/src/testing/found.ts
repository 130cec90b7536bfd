import type { FoundModels, ProfileChecked, ProfileInfo } from "@/generated/daemon";

/** A server on this machine that is ready; what is not given is of an Ollama of this user. */
export function found(given: Partial<FoundModels> = {}): FoundModels {
  return {
    id: "ollama",
    kind: "ollama",
    label: "Ollama",
    base_url: "http://127.0.0.1:11434/v1",
    models: [
      { name: "qwen3-coder:30b", context_window: null, calls_tools: null, reasoning: null, images: null },
      { name: "llama3", context_window: null, calls_tools: null, reasoning: null, images: null },
    ],
    model: "qwen3-coder:30b",
    ready: true,
    problem: "",
    own_listener: true,
    key_variable: "",
    key_hint: "",
    profile_kind: "chat",
    profile_name: "Ollama",
    saved_as: null,
    in_use: false,
    ...given,
  };
}

export const ENVIRONMENT = found({
  id: "environment:OPENAI_API_KEY",
  kind: "environment",
  label: "OpenAI key in your environment",
  base_url: "https://api.openai.com/v1",
  models: [],
  model: "",
  own_listener: false,
  key_variable: "OPENAI_API_KEY",
  key_hint: "…k3Zq",
  profile_name: "OpenAI",
});

export const NOT_READY = found({
  id: "lm-studio",
  kind: "lm-studio",
  label: "LM Studio",
  models: [],
  model: "",
  ready: false,
  problem: "Answers, but no model is loaded. Load one there, then look again.",
});

export const TOUR = found({ id: "tour", kind: "tour", label: "Tour", base_url: "", profile_kind: "tour" });

/** A saved profile that works; what is not given is of a service with a key in the keychain. */
export function profile(given: Partial<ProfileInfo> = {}): ProfileInfo {
  return {
    name: "OpenRouter",
    kind: "chat",
    base_url: "https://openrouter.ai/api/v1",
    model: "qwen3",
    context_window: null,
    fallback: "",
    headers: [],
    price: null,
    key_place: "keyring",
    key_variable: "",
    key_hint: "…9fQa",
    source: "settings",
    is_default: false,
    is_workspace_default: false,
    in_use: false,
    problem: "",
    ...given,
  };
}

/** A check that went well; what is given says otherwise. */
export function checked(given: Partial<ProfileChecked> = {}): ProfileChecked {
  return {
    ok: true,
    models: [
      { name: "qwen3", context_window: 262_144, calls_tools: null, reasoning: null, images: null },
      { name: "kimi", context_window: null, calls_tools: null, reasoning: null, images: null },
    ],
    model: "qwen3",
    milliseconds: 312,
    code: "",
    problem: "",
    status: null,
    warning: "",
    ...given,
  };
}
