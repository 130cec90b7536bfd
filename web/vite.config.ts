import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Two pages, two builds: each is written into the Python package that serves it. */
const OUTPUTS: Record<string, string> = {
  workspace: here("../daemon/lararium_daemon/static"),
  hub: here("../desktop/lararium_desktop/static"),
};

export default defineConfig(({ mode }) => {
  const outDir = OUTPUTS[mode];
  if (outDir === undefined) {
    throw new Error(`Unknown page "${mode}": build with --mode workspace or --mode hub`);
  }
  return {
    root: here(`./${mode}`),
    base: "",
    publicDir: false,
    plugins: [react(), tailwindcss()],
    resolve: { alias: { "@": here("./src") } },
    build: {
      outDir,
      emptyOutDir: true,
      // The content security policy knows no data: addresses and no inline code.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: ["chrome123", "safari17.5"],
      cssTarget: ["chrome123", "safari17.5"],
      chunkSizeWarningLimit: 900,
    },
  };
});
