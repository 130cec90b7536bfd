import { fileURLToPath } from "node:url";
import js from "@eslint/js";
import checkFile from "eslint-plugin-check-file";
import importPlugin from "eslint-plugin-import";
import reactHooks from "eslint-plugin-react-hooks";
import { globalIgnores } from "eslint/config";
import globals from "globals";
import { readdirSync } from "node:fs";
import tseslint from "typescript-eslint";

const SOURCE = fileURLToPath(new URL("./src", import.meta.url));
const features = readdirSync(new URL("./src/features", import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** Shared code knows no feature, features do not know each other, only a page knows them all. */
const zones = [
  ...features.map((name) => ({
    target: `./src/features/${name}`,
    from: "./src/features",
    except: [`./${name}`],
    message: "Features do not know each other: share through lib or components.",
  })),
  {
    target: ["./src/components", "./src/hooks", "./src/lib", "./src/generated"],
    from: ["./src/features", "./src/app", "./src/hub"],
    message: "Shared code does not know features or pages.",
  },
  {
    target: ["./src/lib", "./src/generated"],
    from: ["./src/components", "./src/hooks"],
    message: "lib is the lowest layer.",
  },
  { target: "./src/features", from: ["./src/app", "./src/hub"], message: "Pages know features." },
  { target: "./src/app", from: "./src/hub", message: "The two pages do not know each other." },
];

const HTML_SINKS = ["innerHTML", "outerHTML", "insertAdjacentHTML", "srcdoc", "createContextualFragment"];

export default tseslint.config(
  globalIgnores(["src/generated", "node_modules", "dist"]),
  js.configs.recommended,
  tseslint.configs.strict,
  {
    files: ["src/**/*.{ts,tsx}", "*.config.ts"],
    languageOptions: { globals: globals.browser },
    plugins: {
      import: importPlugin,
      "react-hooks": reactHooks,
      "check-file": checkFile,
    },
    settings: {
      "import/resolver": { typescript: { project: fileURLToPath(new URL("./tsconfig.json", import.meta.url)) } },
      "import/internal-regex": "^@/",
      "import/parsers": { "@typescript-eslint/parser": [".ts", ".tsx"] },
    },
    rules: {
      ...reactHooks.configs.recommended.rules,
      "react-hooks/exhaustive-deps": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true, varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-non-null-assertion": "error",
      "import/no-cycle": ["error", { ignoreExternal: true }],
      "import/no-restricted-paths": ["error", { basePath: SOURCE.replace(/src$/, ""), zones }],
      "import/order": [
        "error",
        {
          groups: ["builtin", "external", "internal", "parent", "sibling"],
          alphabetize: { order: "asc", caseInsensitive: true },
        },
      ],
      "check-file/filename-naming-convention": [
        "error",
        { "src/**/*.{ts,tsx}": "KEBAB_CASE" },
        { ignoreMiddleExtensions: true },
      ],
      "check-file/folder-naming-convention": ["error", { "src/**/": "KEBAB_CASE" }],
      complexity: ["error", { max: 12, variant: "modified" }],
      "max-lines": ["error", { max: 500 }],
      "max-lines-per-function": ["error", { max: 120, skipBlankLines: true, skipComments: true }],
      "no-console": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-restricted-globals": [
        "error",
        { name: "fetch", message: "lib/api-client.ts is the only caller of fetch." },
        { name: "localStorage", message: "State that matters lives in the daemon." },
      ],
      "no-restricted-properties": [
        "error",
        ...HTML_SINKS.map((property) => ({ property, message: "The page never makes HTML from text." })),
        { object: "document", property: "write" },
        { object: "document", property: "cookie" },
        { object: "window", property: "open", message: "Links go through lib/hub-link.ts." },
        { object: "window", property: "fetch", message: "lib/api-client.ts is the only caller of fetch." },
      ],
      "no-restricted-syntax": [
        "error",
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: "The page never makes HTML from text.",
        },
        {
          selector: "Property[key.name='dangerouslySetInnerHTML']",
          message: "The page never makes HTML from text.",
        },
      ],
    },
  },
  {
    // A component's ?: are its shape, not its logic.
    files: ["src/**/*.tsx"],
    rules: { complexity: ["error", { max: 16, variant: "modified" }] },
  },
  {
    files: ["src/**/*.test.{ts,tsx}", "src/testing/**"],
    rules: { "max-lines-per-function": "off", "@typescript-eslint/no-non-null-assertion": "off" },
  },
  {
    files: ["scripts/**/*.mjs", "eslint.config.js"],
    languageOptions: { globals: globals.node },
  },
);
