// Rebuilds both pages into their Python packages whenever a source changes.
import { build } from "vite";

for (const mode of ["workspace", "hub"]) {
  await build({ mode, build: { watch: {} } });
}
