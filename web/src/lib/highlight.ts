/**
 * Syntax highlighting as tokens, never as HTML.
 *
 * The highlighter and each grammar load on first use, in chunks of their own; the JavaScript engine
 * is used because the page's content security policy refuses WebAssembly, and it is worked on in
 * slices, one text after the other, because the policy refuses workers too. Colours are CSS
 * variables of the theme.
 */
import type { GrammarState, HighlighterCore, LanguageRegistration } from "shiki/core";

export interface Token {
  text: string;
  colour: string | undefined;
}

type Grammar = () => Promise<{ default: LanguageRegistration[] }>;

const GRAMMARS: Record<string, Grammar> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const ALIASES: Record<string, string> = {
  sh: "bash", shell: "bash", zsh: "bash", console: "bash", h: "c", cc: "cpp", hpp: "cpp", js: "javascript",
  jsx: "tsx", mjs: "javascript", md: "markdown", py: "python", rs: "rust", ts: "typescript", yml: "yaml",
  jsonc: "json", htm: "html", patch: "diff",
};

/** Longer code stays plain: colouring it would hold up the page. */
const LONGEST = 60_000;

let highlighter: Promise<HighlighterCore> | undefined;

async function start(): Promise<HighlighterCore> {
  const [{ createCssVariablesTheme, createHighlighterCore }, { createJavaScriptRegexEngine }] =
    await Promise.all([import("shiki/core"), import("shiki/engine/javascript")]);
  return createHighlighterCore({
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    themes: [createCssVariablesTheme({ name: "lararium", variablePrefix: "--code-" })],
    langs: [],
  });
}

/** Gives the language's own name, or null when it is not highlighted. */
export function languageOf(name: string): string | null {
  const low = name.toLowerCase();
  const language = ALIASES[low] ?? low;
  return language in GRAMMARS ? language : null;
}

/** Gives the language of a file by its name's ending, or null. */
export function languageOfPath(path: string): string | null {
  return languageOf(path.slice(path.lastIndexOf(".") + 1));
}

/** Gives the tokens of each line; null when the language is not known or the code too long. */
export async function highlight(code: string, name: string): Promise<Token[][] | null> {
  const language = languageOf(name);
  const grammar = language ? GRAMMARS[language] : undefined;
  if (!language || !grammar || code.length > LONGEST) return null;
  highlighter ??= start();
  const shiki = await highlighter;
  if (!shiki.getLoadedLanguages().includes(language)) await shiki.loadLanguage((await grammar()).default);
  const done = queue.then(() => inSlices(shiki, code, language));
  queue = done.then(() => undefined, () => undefined);
  return done;
}

/** What is coloured now, and before what comes next. */
let queue: Promise<void> = Promise.resolve();

/** How long colouring may hold up the page at once, and how many lines lie between two looks at the clock. */
const SLICE_MS = 8;
const STEP_LINES = 4;

const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve));

/** Colour a few lines at a time, each from the state that the last one left, with room in between for the page. */
async function inSlices(shiki: HighlighterCore, code: string, lang: string): Promise<Token[][]> {
  const lines = code.split(/\r?\n/);
  const coloured: Token[][] = [];
  let grammarState: GrammarState | undefined;
  let begun = performance.now();
  for (let from = 0; from < lines.length; from += STEP_LINES) {
    const step = lines.slice(from, from + STEP_LINES).join("\n");
    const tokens = shiki.codeToTokensBase(step, { lang, theme: "lararium", ...(grammarState && { grammarState }) });
    grammarState = shiki.getLastGrammarState(tokens);
    coloured.push(...tokens.map((line) => line.map(({ content, color }) => ({ text: content, colour: color }))));
    if (performance.now() - begun > SLICE_MS) {
      await nextTask();
      begun = performance.now();
    }
  }
  return coloured;
}
